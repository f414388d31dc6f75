//! Whether a call asks the same as an earlier one: a hash over a list of fields that is written down here, so that
//! stored fingerprints stay comparable when the types change.
//!
//! A fingerprint names the version of its list (`2:…`). An absent field leaves no trace, so a list that grows by an
//! optional field gives the same fingerprints as before, and keeps its version. What only bounds or seeds a call is
//! left out, as is the schema of the reply: whether it is sent depends on what the provider offers at the time.

use sha2::{Digest as _, Sha256};

use crate::llm::{ChatRequest, Role};

/// What a request asks, comparable with every version.
#[derive(Debug, Clone, Copy)]
pub struct Fingerprint<'r>(&'r ChatRequest);

impl<'r> Fingerprint<'r> {
    /// The fingerprint of this request.
    #[must_use]
    pub fn of(request: &'r ChatRequest) -> Self {
        Self(request)
    }

    /// The fingerprint as it is stored.
    #[must_use]
    pub fn text(self) -> String {
        format!("2:{}", second(self.0))
    }

    /// Whether a call that was stored with this fingerprint asked the same.
    #[must_use]
    pub fn is(self, stored: &str) -> bool {
        match stored.split_once(':') {
            Some(("2", hash)) => hash == second(self.0),
            Some(_) => false,
            // Before there were versions, there were no embeddings and no pictures.
            None => !self.0.embeds && !shows(self.0) && stored == first(self.0),
        }
    }
}

fn shows(request: &ChatRequest) -> bool {
    request.messages.iter().any(|message| !message.images.is_empty())
}

/// Each field as its name, the length of its value in bytes, and the value.
///
/// `model`; for each message, in order, its role (`system`, `user`, `assistant` or `tool`) with its content as the
/// value, for each tool call `call` (the id), `name` and `arguments`, for a tool's message `answers` (the id), and
/// for each picture that comes with it `image` (the hash of its content); for each tool on offer `offers` (its name),
/// `description` and `parameters`; then, each only where it is set, `temperature` (the shortest decimal that reads back
/// the same) and `max_tokens`; last, `embeds` with an empty value where a vector is asked for. Reasoning that goes back
/// to its model with the tool calls is left out, since it came with them.
fn second(request: &ChatRequest) -> String {
    let mut hash = Sha256::new();
    let mut field = |name: &str, value: &[&str]| {
        hash.update(format!("{name} {}\n", value.iter().map(|piece| piece.len()).sum::<usize>()));
        value.iter().for_each(|piece| hash.update(piece));
    };
    field("model", &[&request.model]);
    for message in &request.messages {
        let role = match message.role {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::Tool => "tool",
        };
        field(role, &message.content.pieces().collect::<Vec<_>>());
        for call in &message.tool_calls {
            field("call", &[&call.id]);
            field("name", &[&call.name]);
            field("arguments", &[&call.arguments]);
        }
        if let Some(id) = &message.tool_call_id {
            field("answers", &[id]);
        }
        for image in &message.images {
            field("image", &[image.id()]);
        }
    }
    for tool in &request.tools {
        field("offers", &[&tool.name]);
        field("description", &[&tool.description]);
        field("parameters", &[&tool.parameters.to_string()]);
    }
    let sampling = &request.sampling;
    if let Some(temperature) = sampling.temperature {
        field("temperature", &[&temperature.to_string()]);
    }
    if let Some(max_tokens) = sampling.max_tokens {
        field("max_tokens", &[&max_tokens.to_string()]);
    }
    if request.embeds {
        field("embeds", &[]);
    }
    short(hash)
}

/// The hash from before there were versions. Frozen: what was stored then is compared with it.
fn first(request: &ChatRequest) -> String {
    let mut hash = Sha256::new();
    hash.update(request.model.as_bytes());
    for message in &request.messages {
        let role = match message.role {
            Role::System => 0,
            Role::User => 1,
            Role::Assistant => 2,
            Role::Tool => 3,
        };
        hash.update([0, role]);
        message.content.pieces().for_each(|piece| hash.update(piece));
    }
    let set =
        |value: Option<String>| value.map_or_else(|| "None".to_owned(), |value| format!("Some({value})"));
    hash.update(format!(
        "Sampling {{ temperature: {}, max_tokens: {} }}",
        set(request.sampling.temperature.map(|value| format!("{value:?}"))),
        set(request.sampling.max_tokens.map(|value| value.to_string())),
    ));
    short(hash)
}

fn short(hash: Sha256) -> String {
    hex::encode(&hash.finalize()[..12])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::{ChatMessage, Image, Sampling, Schema, Tool, ToolCall};

    fn request() -> ChatRequest {
        ChatRequest {
            sampling: Sampling { temperature: Some(0.7), max_tokens: Some(4096) },
            ..ChatRequest::new(
                "a/one",
                &crate::council::stages::answers::ANSWER,
                vec![
                    ChatMessage::system("Be kind."),
                    ChatMessage::user("What is new?"),
                    ChatMessage::assistant("Nothing."),
                    ChatMessage::user("Why?\nÜber 漢字."),
                ],
            )
        }
    }

    fn search() -> Tool {
        Tool { name: "f".into(), description: "Does.".into(), parameters: serde_json::json!({}) }
    }

    fn called(id: &str, arguments: &str) -> ToolCall {
        ToolCall { id: id.into(), name: "f".into(), arguments: arguments.into() }
    }

    fn plain() -> ChatRequest {
        ChatRequest { sampling: Sampling::default(), ..request() }
    }

    /// These texts are in databases: changing them would pay again for stored calls.
    #[test]
    fn what_was_stored_with_each_version_is_known_again() {
        for (request, stored) in [
            (request(), ["553c25155104956406fcc786", "2:cc61df7cfa2759edc81878d4"]),
            (plain(), ["3c7253dfc45b47bebda575d3", "2:3e86da9e5757e69e13d09a55"]),
        ] {
            let fingerprint = Fingerprint::of(&request);
            assert_eq!(fingerprint.text(), stored[1]);
            assert!(stored.into_iter().all(|stored| fingerprint.is(stored)));
        }
        assert!(!Fingerprint::of(&request()).is(&Fingerprint::of(&plain()).text()));
        assert!(!Fingerprint::of(&request()).is("3:00"));
    }

    #[test]
    fn whatever_is_asked_otherwise_has_another_fingerprint() {
        let text = |change: fn(&mut ChatRequest)| {
            let mut request = request();
            change(&mut request);
            [Fingerprint::of(&request).text(), first(&request)]
        };
        let same = text(|_| {});
        let other: [fn(&mut ChatRequest); 6] = [
            |request| request.model.push('x'),
            |request| request.messages[0].role = Role::User,
            |request| request.messages[3].content.push_str("!"),
            |request| drop(request.messages.remove(1)),
            |request| request.sampling.temperature = Some(0.8),
            |request| request.sampling.max_tokens = None,
        ];
        for change in other {
            let [one, two] = text(change);
            assert!(one != same[0] && two != same[1]);
        }
        let tools: [fn(&mut ChatRequest); 7] = [
            |request| request.embeds = true,
            |request| request.messages[3].images.push(Image::new("a", "png", (1, 1), b"x").into()),
            |request| request.messages[3].images.push(Image::new("b", "png", (1, 1), b"x").into()),
            |request| request.tools.push(search()),
            |request| request.messages[2].tool_calls.push(called("a", "{}")),
            |request| request.messages[2].tool_calls.push(called("b", "{}")),
            |request| request.messages[3].tool_call_id = Some("a".into()),
        ];
        let mut seen = vec![same[0].clone()];
        for change in tools {
            let [two, _] = text(change);
            assert!(!seen.contains(&two));
            seen.push(two);
        }
        // Requests from before embeddings existed are not embeddings.
        let embeds = ChatRequest { embeds: true, ..request() };
        assert!(!Fingerprint::of(&embeds).is(&first(&embeds)));
        let mut shown = request();
        shown.messages[3].images.push(Image::new("a", "png", (1, 1), b"x").into());
        assert!(!Fingerprint::of(&shown).is(&first(&shown)));
        let bounds: [fn(&mut ChatRequest); 3] = [
            |request| request.seed = 7,
            |request| request.timeouts.total_ms = 1,
            |request| request.schema = Some(Schema::new("x", serde_json::json!({}))),
        ];
        for change in bounds {
            assert_eq!(text(change), same);
        }
    }
}
