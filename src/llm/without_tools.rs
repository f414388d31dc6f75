//! Models that take no tools: how they refuse them, and how they are asked all the same.

use super::error::{CallError, ErrorKind};
use super::request::{ChatMessage, ChatRequest, Role};

/// How servers say that a model takes no tools. In lower case.
const REFUSALS: &[&str] = &["tool", "function"];
/// How servers say that the model tried to call a tool and wrote nonsense: it does take tools.
const FAILED_TRIES: &[&str] = &["tool_use_failed", "failed to call a function", "failed to parse tool call"];

/// Whether a provider may have refused a request for its tools: servers word it in many ways. It is certain once the
/// same request is accepted without them.
pub(super) fn may_mean_the_tools(error: &CallError) -> bool {
    let status_fits = match error.kind {
        ErrorKind::Refused => match error.status {
            // Groq says so within a stream that has begun.
            None => was_a_failed_try(error),
            Some(status) => matches!(status, 400 | 404 | 405 | 422),
        },
        // llama.cpp without `--jinja`, and gateways that cannot translate the request.
        ErrorKind::Overloaded => matches!(error.status, Some(500 | 501)),
        ErrorKind::Auth
        | ErrorKind::RateLimited
        | ErrorKind::ContextTooLong
        | ErrorKind::Timeout
        | ErrorKind::BadResponse
        | ErrorKind::Budget
        | ErrorKind::Cancelled => false,
    };
    status_fits && mentions(error, REFUSALS)
}

/// Whether the model tried to call a tool and failed: it is offered tools again, even if this request succeeds only
/// without them.
pub(super) fn was_a_failed_try(error: &CallError) -> bool {
    mentions(error, FAILED_TRIES)
}

fn mentions(error: &CallError, words: &[&str]) -> bool {
    let said = error.message.to_lowercase();
    words.iter().any(|words| said.contains(words))
}

impl ChatRequest {
    /// The request without tools: earlier calls and their results become plain text, since providers refuse calls of
    /// tools that are not offered.
    #[must_use]
    pub fn without_tools(self) -> Self {
        Self { messages: as_plain_text(self.messages), tools: Vec::new(), ..self }
    }
}

/// A conversation with tool calls, rewritten without them: a call is a sentence of the assistant, and what came back is
/// a message of the user.
fn as_plain_text(messages: Vec<ChatMessage>) -> Vec<ChatMessage> {
    let mut plain: Vec<ChatMessage> = Vec::with_capacity(messages.len());
    let mut names: Vec<(String, String)> = Vec::new();
    // Whether the last message is made of results, so that what follows is joined to it: many models want turns
    // to alternate.
    let mut in_results = false;
    for message in messages {
        match message.role {
            Role::Assistant if !message.tool_calls.is_empty() => {
                let calls = message
                    .tool_calls
                    .iter()
                    .map(|call| format!("(I called {}: {})", call.name, call.arguments));
                let said = Some(message.content.whole().trim().to_owned()).filter(|text| !text.is_empty());
                let text: Vec<String> = said.into_iter().chain(calls).collect();
                names.extend(message.tool_calls.into_iter().map(|call| (call.id, call.name)));
                plain.push(ChatMessage::assistant(text.join("\n\n")));
                in_results = false;
            }
            Role::Tool => {
                let id = message.tool_call_id.as_deref().unwrap_or_default();
                let name =
                    names.iter().rev().find(|(known, _)| known == id).map_or("a tool", |(_, name)| name);
                let text = format!("Result of {name}:\n\n{}", message.content);
                add(&mut plain, ChatMessage::user(text), in_results);
                in_results = true;
            }
            Role::User if in_results => add(&mut plain, message, true),
            Role::System | Role::User | Role::Assistant => {
                in_results = false;
                plain.push(ChatMessage { reasoning_details: None, ..message });
            }
        }
    }
    plain
}

fn add(messages: &mut Vec<ChatMessage>, said: ChatMessage, to_the_last: bool) {
    match messages.last_mut().filter(|_| to_the_last) {
        Some(last) => {
            last.content.push_str("\n\n");
            last.content.push(&said.content);
            last.images.extend(said.images);
        }
        None => messages.push(said),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::super::reply::ToolCall;
    use super::super::upstream_error::{ErrorContext, Secrets};
    use super::*;

    fn call(id: &str) -> ToolCall {
        ToolCall { id: id.into(), name: "search_web".into(), arguments: format!("{{\"query\":\"{id}\"}}") }
    }

    #[test]
    fn a_conversation_with_calls_is_told_in_turns() {
        let told = as_plain_text(vec![
            ChatMessage::system("Be kind."),
            ChatMessage::user("Why?"),
            ChatMessage::calling("Let me look.", vec![call("a"), call("b")], Some(Value::Null)),
            ChatMessage::tool("a", "one"),
            ChatMessage::tool("b", "two"),
            ChatMessage::user("Answer now."),
        ]);
        assert_eq!(
            told,
            [
                ChatMessage::system("Be kind."),
                ChatMessage::user("Why?"),
                ChatMessage::assistant(
                    "Let me look.\n\n(I called search_web: {\"query\":\"a\"})\n\n(I called search_web: {\"query\":\"b\"})"
                ),
                ChatMessage::user(
                    "Result of search_web:\n\none\n\nResult of search_web:\n\ntwo\n\nAnswer now."
                ),
            ]
        );
        assert_eq!(as_plain_text(told.clone()), told);
    }

    #[test]
    fn refusals_of_tools_are_told_from_other_refusals() {
        let error =
            |kind, status, message: &str| CallError { status: Some(status), ..CallError::new(kind, message) };
        for (kind, status, message) in [
            (ErrorKind::Refused, 404, "No endpoints found that support tool use."),
            (ErrorKind::Refused, 400, "registry.ollama.ai/library/gemma:2b does not support tools"),
            (ErrorKind::Refused, 400, "\"auto\" tool choice requires --enable-auto-tool-choice"),
            (ErrorKind::Refused, 422, "Function calling is not enabled for this model"),
            (ErrorKind::Overloaded, 500, "tools param requires --jinja flag"),
        ] {
            assert!(may_mean_the_tools(&error(kind, status, message)), "{message}");
        }
        let context =
            ErrorContext { provider: "groq".into(), model: "m".into(), secrets: Secrets::default() };
        let midway = context.failed_midway(&serde_json::json!({
            "message": "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.",
            "type": "invalid_request_error", "code": "tool_use_failed", "failed_generation": "<function=x>",
        }));
        assert!(may_mean_the_tools(&midway) && was_a_failed_try(&midway), "{midway:?}");
        let of_ours = CallError::new(ErrorKind::Refused, "web search, a tool, is no longer set up");
        assert!(!may_mean_the_tools(&of_ours));
        for (kind, status, message) in [
            (ErrorKind::Refused, 400, "temperature is not supported"),
            (ErrorKind::RateLimited, 429, "too many tool calls"),
            (ErrorKind::Overloaded, 503, "no tool server"),
            (ErrorKind::Refused, 404, "the model `m` is not on offer"),
        ] {
            assert!(!may_mean_the_tools(&error(kind, status, message)), "{message}");
        }
        assert!(was_a_failed_try(&error(
            ErrorKind::Refused,
            400,
            "Failed to call a function. Please adjust"
        )));
    }
}
