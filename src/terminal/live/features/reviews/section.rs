//! What the reviewers judge by.

use super::shape::Judging;
use crate::terminal::sections::section::{Body, Kind, Section};

/// The criteria, if some were given.
#[must_use]
pub fn rubric(judging: &Judging) -> Option<Section> {
    let (name, text) = judging.rubric.as_ref()?;
    Some(Section {
        key: "rubric".to_owned(),
        title: if name.is_empty() { "Rubric".to_owned() } else { format!("Rubric: {name}") },
        notes: Vec::new(),
        body: Body::Markdown(text.clone()),
        kind: Kind::Ranking,
        ready: true,
    })
}
