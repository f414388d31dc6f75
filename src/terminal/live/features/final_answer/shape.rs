//! The final answer, whoever writes it: a chairman, a judge, or whoever puts together the parts of a question.

use crate::terminal::live::event::Fields;
use crate::terminal::live::piece::{CallStatus, Failure, Piece};
use serde::Serialize;

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FinalAnswer {
    /// Whoever writes it has no seat: only its model is known.
    pub piece: Piece,
    /// The failures of those who tried before.
    pub failures: Vec<Failure>,
    /// The first version, if it was revised.
    pub draft: Option<String>,
    /// What it is, in a line: who wrote it, and from whose answers.
    pub heading: String,
    /// Notes about it.
    pub notes: Vec<String>,
    /// The member whose own answer it is, word for word.
    pub selected_member: Option<String>,
    /// The model for which its writer stood in.
    pub fallback_for: Option<String>,
    /// Where the members agree, and where they do not.
    pub disagreement: Option<Editorial>,
    /// What a judge makes of it.
    pub verdict: Option<Verdict>,
}

/// Where the members agree, and where they do not.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Editorial {
    pub agreements: Vec<String>,
    pub contradictions: Vec<String>,
    pub only_one: Vec<String>,
    pub none_covered: Vec<String>,
    pub minority: Vec<String>,
}

impl Editorial {
    #[must_use]
    pub fn of(fields: Fields) -> Self {
        Self {
            agreements: fields.texts("agreements"),
            contradictions: fields.texts("contradictions"),
            only_one: fields.texts("only_one"),
            none_covered: fields.texts("none_covered"),
            minority: fields.texts("minority"),
        }
    }
}

/// What a judge makes of what was argued.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Verdict {
    /// The labels of those who argued best.
    pub most_convincing: Vec<String>,
    pub settled: Vec<String>,
    pub open: Vec<String>,
    pub minority: Vec<String>,
}

impl FinalAnswer {
    pub(in crate::terminal::live) fn ended(result: Fields, failures: Vec<Failure>) -> Self {
        let mut piece = Piece::ended(result, "response");
        piece.seat.member.clear();
        piece.seat.alias = None;
        if is_placeholder(result) {
            piece.text.clear();
        }
        let (disagreement, verdict) = (result.within("disagreement"), result.within("verdict"));
        Self {
            piece,
            failures,
            draft: result.owned("draft"),
            heading: result.string("heading"),
            notes: result.texts("notes"),
            selected_member: result.owned("selected_member"),
            fallback_for: result.owned("fallback_for"),
            disagreement: disagreement.is_there().then(|| Editorial::of(disagreement)),
            verdict: verdict.is_there().then(|| Verdict {
                most_convincing: verdict.texts("most_convincing"),
                settled: verdict.texts("settled"),
                open: verdict.texts("open"),
                minority: verdict.texts("minority"),
            }),
        }
    }

    /// The run is over: an answer that is still being written has failed. If no model was asked, it stays as it is.
    pub(in crate::terminal::live) fn settle(&mut self) {
        if self.piece.status == CallStatus::Writing {
            self.piece.status = CallStatus::Failed;
        }
    }

    /// Replaces the answer by a whole revision; the first version is kept as the draft.
    pub(in crate::terminal::live) fn revise(&mut self, text: &str) {
        let Some(outcome) = self.piece.outcome.as_mut().filter(|_| self.piece.text != text) else { return };
        outcome.truncated = false;
        let before = std::mem::replace(&mut self.piece.text, text.to_owned());
        self.draft.get_or_insert(before);
    }
}

/// Whether the text is only a placeholder for older clients; here the failure itself is shown.
fn is_placeholder(result: Fields) -> bool {
    let heading = result.within("heading_fact");
    let by_kind = || result.text("error_kind") != Some("cancelled");
    result.words("error").is_some()
        && if heading.is_there() { heading.text("code") == Some("no_answer") } else { by_kind() }
}
