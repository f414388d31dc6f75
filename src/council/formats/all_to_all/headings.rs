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

/// The two sections of an answer to critics.
#[derive(PartialEq)]
enum Section {
    Addressing,
    Revised,
}

/// Reads what is said to the critics, and the answer as it stands then.
pub fn read_defense(statement: &mut Statement, _others: &[&str]) {
    let name = |heading: &str| {
        let heading = heading.to_lowercase();
        if heading.starts_with("addressing") {
            Some(Section::Addressing)
        } else if heading.starts_with("revised") {
            Some(Section::Revised)
        } else {
            None
        }
    };
    let mut parts = sections(&statement.text, name);
    let mut take = |section: &Section| {
        let at = parts.iter().rposition(|(name, text)| name == section && !text.is_empty())?;
        Some(parts.swap_remove(at).1)
    };
    statement.addressed = take(&Section::Addressing);
    statement.revised_answer = take(&Section::Revised);
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
