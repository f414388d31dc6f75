//! What a section is, and how one is made.

use crate::terminal::live::{CallStatus, Piece};
use crate::terminal::text::amounts;

/// A part of a run as it is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// Its key, the same every time the run is laid out.
    pub key: String,
    pub title: String,
    /// Short notes next to the title.
    pub notes: Vec<String>,
    pub body: Body,
    pub kind: Kind,
    /// Whether it is complete: nothing is added to it any more.
    pub ready: bool,
}

/// The content of a section.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    Markdown(String),
    Table {
        heading: Vec<&'static str>,
        rows: Vec<Vec<String>>,
    },
    /// This program's own sentences, one a line.
    Lines(Vec<String>),
}

/// How a section is framed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Answer,
    Failed,
    Ranking,
    Reasoning,
    Final,
    Figures,
}

/// A section of this program's own sentences; `None` if there are none.
pub fn lines(key: &str, title: &str, lines: Vec<String>, ready: bool) -> Option<Section> {
    let section = Section {
        key: key.to_owned(),
        title: title.to_owned(),
        notes: Vec::new(),
        body: Body::Lines(lines),
        kind: Kind::Ranking,
        ready,
    };
    (!matches!(&section.body, Body::Lines(lines) if lines.is_empty())).then_some(section)
}

/// A member's name, with its model if that is another name.
pub fn name(piece: &Piece) -> String {
    let seat = &piece.seat;
    match () {
        () if seat.member.is_empty() => seat.model.clone(),
        () if seat.member == seat.model => seat.member.clone(),
        () => format!("{} ({})", seat.member, seat.model),
    }
}

/// A model's text under its name, preceded by `what`.
pub fn of_piece(of: &str, what: Option<&str>, piece: &Piece) -> Section {
    let is_bad = piece.status == CallStatus::Failed;
    let why = piece.failure().map(|failure| failure.error.as_str());
    let mut title = name(piece);
    if let Some(what) = what {
        title = format!("{what}: {title}");
    }
    let body = if is_bad {
        let why = why.unwrap_or("it was stopped before its end").to_owned();
        let partial = piece.text.trim();
        Body::Markdown(if partial.is_empty() { why } else { format!("{why}\n\n{partial}") })
    } else {
        Body::Markdown(piece.text.clone())
    };
    Section {
        key: format!("{of}/{}", piece.seat.member),
        title,
        notes: notes(piece),
        body,
        kind: if is_bad { Kind::Failed } else { Kind::Answer },
        ready: !piece.status.is_open(),
    }
}

/// How far a call is, and what is known of it once it is over.
fn notes(piece: &Piece) -> Vec<String> {
    let Some(outcome) = &piece.outcome else {
        return match piece.status {
            CallStatus::Waiting => vec!["waiting".to_owned()],
            CallStatus::Writing if piece.text.is_empty() => vec!["thinking".to_owned()],
            CallStatus::Writing => vec!["writing".to_owned()],
            CallStatus::Done | CallStatus::Failed => Vec::new(),
        };
    };
    let mut notes = Vec::new();
    if piece.status == CallStatus::Failed {
        notes.push("failed".to_owned());
    }
    notes.extend(outcome.latency_ms.map(amounts::seconds));
    notes.extend(outcome.tokens.map(tokens));
    notes.extend(outcome.cost.map(|usd| amounts::usd(Some(usd))));
    notes.extend(outcome.confidence.map(|sure| format!("{sure} of 10 sure")));
    if outcome.truncated {
        notes.push("cut off at its limit".to_owned());
    }
    let files = |(read, all): (u64, u64)| format!("read the first {read} of {all} characters of the files");
    notes.extend(outcome.files_read.map(files));
    notes
}

/// A number of tokens.
pub fn tokens(count: u64) -> String {
    format!("{} tokens", amounts::tokens(count))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::terminal::live::Fields;

    #[test]
    fn how_much_a_member_read_of_the_files_stands_beside_its_name() {
        let notes =
            |result: Value| of_piece("answer", None, &Piece::ended(Fields::of(&result), "response")).notes;
        let answer = json!({"member": "m/one", "model": "m/one", "response": "Yes.", "latency_ms": 1_200});
        assert_eq!(notes(answer.clone()), ["1.2 s"]);
        let mut cut = answer;
        cut["files_read"] = json!({"characters": 60_000, "characters_read": 12_000});
        assert_eq!(notes(cut), ["1.2 s", "read the first 12000 of 60000 characters of the files"]);
    }
}
