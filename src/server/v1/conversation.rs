//! Finds the conversation that a list of messages continues. Clients of chat completions send the whole conversation
//! each time, without an id: it continues the one whose last turns are the same. Also puts a question of these APIs into
//! the words of our own API.

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::api::{Continuation, Names};
use super::files::MessageFile;
use super::followed_run::RULE;
use super::keeping;
use super::messages::ParsedMessages;
use super::request::ParsedRequest;
use crate::council::prompts::history::Turn;
use crate::server::app::App;
use crate::server::extract::Caller;
use crate::server::problem::Problem;
use crate::store::conversations::{self, Text};

/// How many of the last turns are compared at most.
const TURNS: usize = 4;

/// The hash by which a conversation is found through its last question. It leaves out what programs change in a text.
pub(super) fn digest(question: &str) -> Vec<u8> {
    Sha256::digest(plain(question)).to_vec()
}

/// A text without any white space, since programs trim and wrap texts as they like.
fn plain(text: &str) -> String {
    text.split_whitespace().collect()
}

/// The place in the caller's conversation that ends with the turns of this request, among the latest that this API has
/// begun; `None` if there is none, or the request has no turns. The end of a conversation is what was written last in it,
/// whichever branch a browser shows.
pub(super) async fn of(
    app: &App,
    caller: &Caller,
    origin: &str,
    messages: &ParsedMessages,
) -> Result<Option<Continuation>, Problem> {
    let Some(last) = messages.turns.last() else { return Ok(None) };
    let mut tx = app.db.begin(&caller.scope()).await?;
    for id in conversations::asked_last(&mut tx, origin, &digest(&last.question)).await? {
        let tree = conversations::tree(&mut tx, id).await?;
        let Some(newest) = tree.newest() else { continue };
        let texts = conversations::texts(&mut tx, id, &tree.path(newest)).await?;
        if ends_with(&texts, &messages.turns) {
            return Ok(Some(Continuation { conversation: id, after: newest.id }));
        }
    }
    Ok(None)
}

/// Whether a conversation ends with these turns. Both are compared backwards from their ends, as far as both go and at
/// most [`TURNS`] turns: a program may leave out the oldest ones, or have some that are not stored here. At least one
/// question with its answer has to be compared.
fn ends_with(stored: &[Text], turns: &[Turn]) -> bool {
    let repeated = turns.iter().flat_map(|turn| [&turn.question, &turn.answer]).rev().take(2 * TURNS);
    let mut compared = 0;
    for (stored, repeated) in stored.iter().rev().zip(repeated) {
        if !repeats(repeated, stored) {
            return false;
        }
        compared += 1;
    }
    compared >= 2
}

/// Whether a text that a program sends is the stored one. Of an answer it may also send the whole stream: if one writer
/// broke off and another wrote the answer, the stream had the beginning by the first, then [`RULE`], then the answer, and
/// only the answer is stored.
fn repeats(text: &str, stored: &Text) -> bool {
    let Some(stored_text) = stored.content.as_deref().map(plain) else { return false };
    let text = plain(text);
    text == stored_text
        || (stored.role == "assistant" && text.ends_with(&format!("{}{stored_text}", plain(RULE))))
}

/// For each field of a question in our own API, the field of these APIs that it came from, by which errors name it.
pub(super) fn field_names(names: Names, files: &[MessageFile]) -> Vec<(String, &str)> {
    let fields = [
        ("content", names.question),
        ("attachments", names.question),
        ("system_prompt", names.instructions),
        ("preset_id", "model"),
        ("mode", "model"),
        ("use_web_search", names.search),
        ("Idempotency-Key", "Idempotency-Key"),
    ];
    let fields = fields.into_iter().map(|(ours, theirs)| (ours.to_owned(), theirs));
    let files = files.iter().enumerate();
    fields.chain(files.map(|(place, file)| (format!("attachments.{place}"), file.field.as_str()))).collect()
}

/// The body of a question in our own API: the options that the name of a model stands for, and what the request says.
pub(super) fn body(
    parsed: &ParsedRequest,
    files: &[MessageFile],
    options: &Value,
    continuation: Option<Continuation>,
) -> Value {
    let messages = &parsed.messages;
    let mut body = options.clone();
    body["content"] = messages.question.clone().into();
    if !files.is_empty() {
        body["attachments"] = keeping::named(files);
    }
    body["new_conversation"] = continuation.is_none().into();
    body["parent_message_id"] = continuation.map(|continuation| continuation.after.to_string()).into();
    if let Some(system) = &messages.system {
        body["system_prompt"] = system.clone().into();
    }
    if parsed.searches {
        body["use_web_search"] = true.into();
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(question: &str, answer: &str) -> Turn {
        Turn { question: question.into(), answer: answer.into() }
    }

    fn text(role: &str, content: Option<&str>) -> Text {
        Text { role: role.to_owned(), content: content.map(str::to_owned), corrections: None }
    }

    fn stored(texts: &[&str]) -> Vec<Text> {
        let role = |place: usize| if place.is_multiple_of(2) { "user" } else { "assistant" };
        texts.iter().enumerate().map(|(place, said)| text(role(place), Some(said))).collect()
    }

    #[test]
    fn a_conversation_goes_on_where_its_end_is_what_was_said_last() {
        let two = stored(&["One?", "1", "Two?", "2\n"]);
        assert!(ends_with(&two, &[turn("One?", "1"), turn("Two?", " 2")]));
        assert!(ends_with(&two, &[turn("Two?", "2")]), "a program may leave out what is long ago");
        assert!(ends_with(&two, &[turn("Zero?", "0"), turn("One?", "1"), turn("Two?", "2")]));
        assert!(!ends_with(&two, &[turn("One?", "1")]), "it has gone on since");
        assert!(!ends_with(&two, &[turn("One?", "one"), turn("Two?", "2")]));
        assert!(!ends_with(&[text("user", Some("Two?"))], &[turn("Two?", "2")]));
        assert!(ends_with(&two, &[turn("Two?", "Half a\n\n---\n\n2")]), "as a stream told it");
        assert!(!ends_with(&two, &[turn("Half a\n\n---\n\nTwo?", "2")]));
        let unanswered = [text("user", Some("Two?")), text("assistant", None)];
        assert!(!ends_with(&unanswered, &[turn("Two?", "2")]));
        assert!(!ends_with(&[], &[turn("Two?", "2")]));
    }
}
