//! The chairman's notes: where the members agree and differ, as a structured tail of its answer.

use serde::{Deserialize, Serialize};

use crate::council::line_filter::bare;
use crate::council::prompts::template::Template;
use crate::council::tail_notes::{self, TailNotes};
use crate::council::view::TextFilter;

/// What the chairman is asked to append.
pub static INSTRUCTIONS: Template = Template {
    name: "chairman_notes",
    about: "What the chairman is asked to append: where the members agree and where not.",
    text: "After the answer, write a line that says COUNCIL NOTES: and under it short notes \
        for the reader, one per line, each beginning with one of these words; leave out what does not apply:\n\
        AGREEMENT: what the members agree on\n\
        CONTRADICTION: where they contradict each other, and who says what\n\
        ONLY ONE: what only one member saw, who it was, and at the end in square brackets whether your answer keeps it or \
        leaves it out, and why, as in [KEPT: it holds and matters here] or [LEFT OUT: two others show it to be wrong]\n\
        NOT COVERED: what none of them covered and should be known\n\
        MINORITY: the view of the minority, in its own strongest form",
    places: &[],
    marks: &["COUNCIL NOTES:", "AGREEMENT:", "CONTRADICTION:", "ONLY ONE:", "NOT COVERED:", "MINORITY:"],
};

/// Where the members agree and differ.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct Editorial {
    pub agreements: Vec<String>,
    pub contradictions: Vec<String>,
    /// What only one member saw, as the chairman wrote it.
    pub only_one: Vec<String>,
    /// What became of each of them; as many, or none where the chairman said it of none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub only_one_ideas: Vec<Idea>,
    /// What no member covered.
    pub none_covered: Vec<String>,
    /// The minority's view.
    pub minority: Vec<String>,
}

/// What only one member saw, and what became of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct Idea {
    /// The idea, without what became of it.
    pub text: String,
    /// Whether the answer has it; absent where the chairman does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept: Option<bool>,
    /// Why, in the chairman's words; empty where it does not say.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
}

impl Idea {
    /// Reads what the chairman wrote of one. Whatever is not in the form that it was asked for is the idea.
    fn read(line: &str) -> Self {
        let whole = || Self { text: line.to_owned(), ..Self::default() };
        let bare_line = line.trim_end().trim_end_matches('.');
        let Some((text, verdict)) = bare_line.strip_suffix(']').and_then(|line| line.rsplit_once('[')) else {
            return whole();
        };
        let (word, why) = verdict.split_once(':').unwrap_or((verdict, ""));
        let kept = match bare(word).to_lowercase().as_str() {
            "kept" => true,
            "left out" => false,
            _ => return whole(),
        };
        let text = text.trim_matches(['*', '_', ' ']);
        if text.is_empty() {
            return whole();
        }
        Self {
            text: text.to_owned(),
            kept: Some(kept),
            why: why.trim().trim_matches(['*', '_']).trim().to_owned(),
        }
    }
}

impl TailNotes for Editorial {
    const MARKER: &'static str = "council notes";

    fn list(&mut self, word: &str) -> Option<&mut Vec<String>> {
        match word {
            "agreement" | "agreements" => Some(&mut self.agreements),
            "contradiction" | "contradictions" => Some(&mut self.contradictions),
            "only one" => Some(&mut self.only_one),
            "not covered" | "none covered" => Some(&mut self.none_covered),
            "minority" | "minority view" => Some(&mut self.minority),
            _ => None,
        }
    }

    fn sorted(&mut self) {
        let ideas: Vec<Idea> = self.only_one.iter().map(|line| Idea::read(line)).collect();
        if ideas.iter().any(|idea| idea.kept.is_some()) {
            self.only_one_ideas = ideas;
        }
    }
}

/// Splits a chairman's text into its answer and its notes.
#[must_use]
pub fn parse(text: &str) -> (String, Option<Editorial>) {
    tail_notes::parse(text)
}

/// Holds the notes back while the answer streams.
#[must_use]
pub fn filter() -> impl TextFilter + 'static {
    tail_notes::filter::<Editorial>()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::council::line_filter::tests::in_pieces;

    const NOTES: &str = "AGREEMENT: it rains\nCONTRADICTION: how long\n- **ONLY ONE:** a roof\nNOT COVERED: none\nMINORITY: it snows";

    #[test]
    fn the_notes_are_split_off() {
        for marker in ["COUNCIL NOTES:", "**Council Notes:**", "## Council notes", "**COUNCIL NOTES**:"] {
            let (answer, notes) = parse(&format!("It rains.\n\n{marker}\n{NOTES}\n"));
            assert_eq!(answer, "It rains.", "{marker}");
            let notes = notes.unwrap();
            assert_eq!(notes.agreements, ["it rains"]);
            assert_eq!(notes.contradictions, ["how long"]);
            assert_eq!(notes.only_one, ["a roof"]);
            assert!(notes.none_covered.is_empty());
            assert_eq!(notes.minority, ["it snows"]);
        }
    }

    #[test]
    fn lists_under_a_label_belong_to_it() {
        let (_, notes) = parse("Yes.\nCOUNCIL NOTES:\nAGREEMENT:\n- one\n- two: more\n");
        assert_eq!(notes.unwrap().agreements, ["one", "two: more"]);
    }

    #[test]
    fn what_became_of_an_idea_is_read_where_it_is_said() {
        let idea = |text: &str, kept, why: &str| Idea { text: text.to_owned(), kept, why: why.to_owned() };
        let (_, notes) = parse(
            "Yes.\nCOUNCIL NOTES:\nONLY ONE: a roof, Ada [KEPT: it rains]\n\
             ONLY ONE: **a boat, Bea** [left out: there is no water].\nONLY ONE: a hat [LEFT OUT]\n\
             ONLY ONE: an array [1]\nONLY ONE: [KEPT: what?]\nONLY ONE: a coat",
        );
        let notes = notes.unwrap();
        assert_eq!(
            notes.only_one_ideas,
            [
                idea("a roof, Ada", Some(true), "it rains"),
                idea("a boat, Bea", Some(false), "there is no water"),
                idea("a hat", Some(false), ""),
                idea("an array [1]", None, ""),
                idea("[KEPT: what?]", None, ""),
                idea("a coat", None, ""),
            ]
        );
        assert_eq!(notes.only_one.len(), 6);
        assert_eq!(notes.only_one[0], "a roof, Ada [KEPT: it rains]", "older clients read it there");
        let (_, notes) = parse("Yes.\nCOUNCIL NOTES:\nONLY ONE: a roof");
        assert!(notes.unwrap().only_one_ideas.is_empty(), "nothing is said of any");
    }

    #[test]
    fn only_notes_are_the_answer() {
        let text = "COUNCIL NOTES:\nAGREEMENT: all";
        assert_eq!(parse(text), (text.to_owned(), None));
        assert_eq!(in_pieces(&mut filter(), text, &[3]), text);
    }

    #[test]
    fn an_answer_that_mentions_the_notes_is_not_cut() {
        let text = "The council notes that it rains.\nSo be it.";
        assert_eq!(parse(text), (text.to_owned(), None));
    }

    #[test]
    fn notes_that_are_quoted_are_not_the_chairmans() {
        for quote in
            ["```\nCOUNCIL NOTES:\nAGREEMENT: I am right\n```", "> COUNCIL NOTES:\n> AGREEMENT: I am right"]
        {
            let answer = format!("One member wrote:\n\n{quote}\n\nIt rains.");
            let (shown, notes) = parse(&format!("{answer}\n\nCOUNCIL NOTES:\n{NOTES}"));
            assert_eq!((shown, notes.unwrap().agreements), (answer.clone(), vec!["it rains".to_owned()]));
            assert_eq!(parse(&answer), (answer, None));
        }
        let all = format!("It rains.\n\n```\nCOUNCIL NOTES:\n{NOTES}\n```");
        let (shown, notes) = parse(&all);
        assert_eq!((shown, notes.unwrap().agreements), (all, vec!["it rains".to_owned()]));
    }

    proptest! {
        #[test]
        fn what_streams_is_what_is_stored(
            before in "([a-z* ]|\n|```\n|> ){0,30}",
            marker in prop_oneof![Just("COUNCIL NOTES:"), Just("**Council Notes:**"), Just("council note")],
            after in "[A-Z: a-z\n-]{0,40}",
            sizes in prop::collection::vec(1usize..6, 1..4),
        ) {
            let text = format!("{before}\n{marker}\n{after}");
            let streamed = in_pieces(&mut filter(), &text, &sizes);
            let (answer, _) = parse(&text);
            prop_assert_eq!(streamed.trim(), answer.trim());
        }

        #[test]
        fn any_text_is_read(text in any::<String>()) {
            let (answer, _) = parse(&text);
            prop_assert!(answer.len() <= text.len());
            let idea = Idea::read(&text);
            prop_assert!(idea.text.len() + idea.why.len() <= text.len());
        }
    }
}
