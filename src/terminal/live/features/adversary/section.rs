//! The attack, and what came of it.

use super::shape::Adversary;
use crate::terminal::live::state::Run;
use crate::terminal::sections::section::{Body, Kind, Section};

/// What the devil's advocate says, or why it does not.
#[must_use]
pub fn attack(adversary: &Adversary, run: &Run) -> Section {
    let mut notes: Vec<String> = adversary.severity.iter().cloned().collect();
    if adversary.revised {
        notes.push("the answer was revised".to_owned());
    }
    let failed = adversary.error.as_ref();
    // With a severity the attack is whole: what failed is the revision.
    if failed.is_some() && adversary.severity.is_some() {
        notes.push("the answer was not revised".to_owned());
    }
    let said = failed.into_iter().chain(Some(&adversary.critique)).filter(|text| !text.is_empty());
    Section {
        key: "adversary".to_owned(),
        title: format!("Devil's advocate: {}", adversary.model),
        notes,
        body: Body::Markdown(said.map(String::as_str).collect::<Vec<_>>().join("\n\n")),
        kind: if failed.is_some() { Kind::Failed } else { Kind::Answer },
        ready: !run.status.is_live(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attack_is_shown_where_the_revision_after_it_failed() {
        let adversary = Adversary {
            model: "m/devil".to_owned(),
            critique: "The year is wrong.".to_owned(),
            severity: Some("major".to_owned()),
            error: Some("no answer came in time".to_owned()),
            ..Adversary::default()
        };
        let section = attack(&adversary, &Run::default());
        assert_eq!(section.notes, ["major", "the answer was not revised"]);
        assert_eq!(section.body, Body::Markdown("no answer came in time\n\nThe year is wrong.".to_owned()));
    }
}
