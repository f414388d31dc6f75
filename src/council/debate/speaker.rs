//! Who speaks in a debate, and under which name.

use serde::{Deserialize, Serialize};

use crate::council::member::Member;

/// A member that speaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Speaker {
    /// The name under which the others know it.
    pub label: String,
    pub member: Member,
}

/// How speakers are called.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Names {
    /// `Participant A`, `Participant B` …
    #[default]
    Labels,
    /// As their models, or as their seats where they have names.
    Models,
}

/// The members as speakers named `A`, `B` …
#[must_use]
pub fn lettered(members: &[Member]) -> Vec<Speaker> {
    labelled(members, |letter, _| letter.to_string())
}

/// The members as speakers named `Participant A`, `Participant B` …, or by their own names.
#[must_use]
pub fn participants(members: &[Member], names: Names) -> Vec<Speaker> {
    labelled(members, |letter, member| match names {
        Names::Labels => format!("Participant {letter}"),
        Names::Models => member.name().to_owned(),
    })
}

fn labelled(members: &[Member], label: impl Fn(char, &Member) -> String) -> Vec<Speaker> {
    let letters = 'A'..='Z';
    letters
        .zip(members)
        .map(|(letter, member)| Speaker { label: label(letter, member), member: member.clone() })
        .collect()
}
