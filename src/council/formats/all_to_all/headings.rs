//! What the participants write under headings. A text without them is taken whole.

use crate::council::debate::headings::sections;
use crate::council::debate::statement::{DebateCritique, Statement};

/// The heading over a critique of this participant.
pub fn of_critique(label: &str) -> String {
    format!("## Critique of {label}")
}

/// Reads the critiques out of a text: of nobody but these, the first of each.
pub fn read_critiques(statement: &mut Statement, others: &[&str]) {
    let about = |heading: &str| {
        let heading = heading.to_lowercase();
        let named = heading.strip_prefix("critique of ")?.trim().to_owned();
        others.iter().find(|label| label.to_lowercase() == named).map(|label| (*label).to_owned())
    };
    for (of, text) in sections(&statement.text, about) {
        if !text.is_empty() && !statement.critiques.iter().any(|known| known.of == of) {
            statement.critiques.push(DebateCritique { of, text });
        }
    }
}

/// Reads the reply to the critics, and the answer as it stands then.
pub fn read_defense(statement: &mut Statement, _others: &[&str]) {
    let headings: Vec<String> = sections(&statement.text, |heading| Some(heading.to_lowercase()))
        .into_iter()
        .map(|(heading, _)| heading)
        .collect();
    // A heading that only begins the same may belong to a section, as `Revised Plan` belongs to an answer.
    let found = |asked_for: &str, begins: &str| {
        let exact = headings.iter().find(|heading| *heading == asked_for);
        exact.or_else(|| headings.iter().find(|heading| heading.starts_with(begins)))
    };
    let addressing = found("addressing critiques", "addressing");
    let revised = found("revised response", "revised");
    let parts = sections(&statement.text, |heading| {
        let heading = heading.to_lowercase();
        [addressing, revised].into_iter().flatten().find(|name| **name == heading)
    });
    let text_under = |heading: Option<&String>| {
        let part = parts.iter().rfind(|(name, text)| Some(*name) == heading && !text.is_empty());
        part.map(|(_, text)| text.clone())
    };
    statement.addressed = text_under(addressing);
    statement.revised_answer = text_under(revised);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn said(text: &str) -> Statement {
        Statement { text: text.into(), ..Statement::default() }
    }

    #[test]
    fn critiques_stand_under_the_names_of_those_they_are_about() {
        let text = "Well.\n\n## Critique of Participant B\nIt rains.\n\n### **critique of participant c:**\nNo.\n```\n## Critique of Participant B\n```\n## Critique of Participant X\nWho?\n## Summary\nDone.";
        let mut statement = said(text);
        read_critiques(&mut statement, &["Participant B", "Participant C"]);
        let of: Vec<&str> = statement.critiques.iter().map(|critique| critique.of.as_str()).collect();
        assert_eq!(of, ["Participant B", "Participant C"]);
        assert_eq!(statement.critiques[0].text, "It rains.");
        assert!(
            statement.critiques[1].text.starts_with("No.") && statement.critiques[1].text.contains("Done.")
        );
    }

    #[test]
    fn a_defense_has_two_sections_and_without_them_it_is_taken_whole() {
        let mut statement = said("## Addressing Critiques\nGranted.\n## Revised Response\nIt rains.");
        read_defense(&mut statement, &[]);
        assert_eq!(statement.addressed.as_deref(), Some("Granted."));
        assert_eq!(statement.answer(), "It rains.");
        let mut statement = said("It rains, as I said.");
        read_defense(&mut statement, &[]);
        assert_eq!(statement.answer(), "It rains, as I said.");
    }

    #[test]
    fn a_section_goes_on_under_headings_that_begin_like_those_of_the_two() {
        let text = "## Addressing Critiques\n### Addressing Participant B\nGranted.\n### Addressing Participant C\nNo.\n\
            ## Revised Response\nIn short:\n### Revised Plan\n1. Wait.\n### Addressing the Cost\nLittle.";
        let mut statement = said(text);
        read_defense(&mut statement, &[]);
        let addressed = "### Addressing Participant B\nGranted.\n### Addressing Participant C\nNo.";
        assert_eq!(statement.addressed.as_deref(), Some(addressed));
        assert_eq!(
            statement.answer(),
            "In short:\n### Revised Plan\n1. Wait.\n### Addressing the Cost\nLittle."
        );
        let text =
            "**Addressing the Criticism**\nGranted.\n**Revised Answer**\nIn short:\n**Revised Plan**\nWait.";
        let mut statement = said(text);
        read_defense(&mut statement, &[]);
        assert_eq!(statement.addressed.as_deref(), Some("Granted."));
        assert_eq!(statement.answer(), "In short:\n**Revised Plan**\nWait.");
    }

    proptest! {
        #[test]
        fn no_text_stops_it(text in "(#{0,3} ?(Critique of B|Addressing Critiques|Revised Response|x)?.{0,10}\n){0,6}") {
            let mut statement = said(&text);
            read_critiques(&mut statement, &["B"]);
            read_defense(&mut statement, &["B"]);
            prop_assert!(!statement.answer().is_empty() || text.is_empty());
        }
    }
}
