//! What the chairman notes of a debate under its answer: who convinced, what was settled, what stays open.

use serde::{Deserialize, Serialize};

use crate::council::prompts::template::Template;
use crate::council::tail_notes::{self, TailNotes};
use crate::council::view::TextFilter;

/// What the chairman is asked to append.
pub static INSTRUCTIONS: Template = Template {
    name: "debate_notes",
    about: "What the chairman of a debate is asked to append.",
    text: "After the answer, write a line that says DEBATE NOTES: and under it short notes \
        for the reader, one per line, each beginning with one of these words; leave out what does not apply:\n\
        MOST CONVINCING: who argued most convincingly, and why\n\
        SETTLED: a point that the debate settled, and by which argument\n\
        OPEN: a point that stays in dispute, and who holds what\n\
        MINORITY: the view of the minority, in its own strongest form",
    places: &[],
    marks: &["DEBATE NOTES:", "MOST CONVINCING:", "SETTLED:", "OPEN:", "MINORITY:"],
};

/// What came of a debate, as the chairman saw it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct DebateVerdict {
    /// Who argued most convincingly, and why.
    pub most_convincing: Vec<String>,
    pub settled: Vec<String>,
    /// What stays in dispute.
    pub open: Vec<String>,
    /// The minority's view.
    pub minority: Vec<String>,
}

impl TailNotes for DebateVerdict {
    const MARKER: &'static str = "debate notes";

    fn list(&mut self, word: &str) -> Option<&mut Vec<String>> {
        match word {
            "most convincing" => Some(&mut self.most_convincing),
            "settled" => Some(&mut self.settled),
            "open" | "not settled" | "unsettled" => Some(&mut self.open),
            "minority" | "minority view" => Some(&mut self.minority),
            _ => None,
        }
    }
}

/// Splits a chairman's text into its answer and its notes.
#[must_use]
pub fn parse(text: &str) -> (String, Option<DebateVerdict>) {
    tail_notes::parse(text)
}

/// Holds the notes back while the answer streams.
#[must_use]
pub fn filter() -> impl TextFilter + 'static {
    tail_notes::filter::<DebateVerdict>()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::council::line_filter::tests::in_pieces;

    #[test]
    fn the_notes_are_split_off_and_sorted() {
        let text = "Yes.\n\n**DEBATE NOTES:**\nMOST CONVINCING: B, who measured\n- **SETTLED:** it rains\nOPEN:\n- how long\nMINORITY: none";
        let (answer, verdict) = parse(text);
        assert_eq!(answer, "Yes.");
        let verdict = verdict.unwrap();
        assert_eq!(verdict.most_convincing, ["B, who measured"]);
        assert_eq!(verdict.settled, ["it rains"]);
        assert_eq!(verdict.open, ["how long"]);
        assert!(verdict.minority.is_empty());
        assert_eq!(parse("Yes."), ("Yes.".to_owned(), None));
    }

    proptest! {
        #[test]
        fn no_text_stops_it_and_what_streams_is_what_is_kept(
            text in "[a-z]{1,9}\n.{0,60}(\nDEBATE NOTES:\n)?.{0,60}",
            sizes in prop::collection::vec(1..9_usize, 1..5),
        ) {
            let (answer, _) = parse(&text);
            let streamed = in_pieces(&mut filter(), &text, &sizes);
            prop_assert_eq!(streamed.trim_end(), answer.trim_end());
        }
    }
}
