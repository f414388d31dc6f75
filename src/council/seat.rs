//! A seat of the council as events name it.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::member::Member;

/// A seat, as events name it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Seat {
    pub model: String,
    pub member: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alias: Option<String>,
}

impl From<&Member> for Seat {
    fn from(member: &Member) -> Self {
        Self { model: member.model.clone(), member: member.name().to_owned(), alias: member.alias.clone() }
    }
}

/// A seat that answers without the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Alone {
    Member,
    Chairman,
}

/// The names of these seats.
pub fn names(seats: &[Seat]) -> Vec<&str> {
    seats.iter().map(|seat| seat.member.as_str()).collect()
}

/// Seats for these models: those of the council with alias and prompt, for other models plain ones.
/// No two have the same name.
#[must_use]
pub fn seats(council: &[Member], models: &[String]) -> Vec<Member> {
    let seat = |model: &String| {
        let known = council.iter().find(|member| member.model == *model);
        known.cloned().unwrap_or_else(|| Member::plain(model))
    };
    let mut seen = BTreeSet::new();
    let mut seats: Vec<Member> = models.iter().filter(|model| seen.insert(*model)).map(seat).collect();
    let names: BTreeSet<&str> = seats.iter().map(Member::name).collect();
    if names.len() < seats.len() {
        // An alias equals another seat's model id: then all seats go by their ids, which are distinct.
        seats.iter_mut().for_each(|seat| seat.alias = None);
    }
    seats
}
