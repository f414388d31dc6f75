//! What the critics thought of the drafts.

use super::shape::Refinement;
use crate::terminal::sections::section::{Section, lines};

/// A line for each iteration.
#[must_use]
pub fn iterations(refinement: &Refinement) -> Option<Section> {
    let said = refinement.iterations.iter().map(|iteration| {
        let grave = iteration.critiques.iter().filter(|critique| critique.is_substantive).count();
        format!(
            "Round {}: {grave} of {} critics had something of weight to say",
            iteration.iteration, iteration.asked
        )
    });
    lines("refinement", "Refinement", said.collect(), refinement.done)
}
