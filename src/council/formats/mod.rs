//! The ways of deliberating, one file each.

pub mod council;

use std::collections::BTreeSet;

use super::estimate::{self, Estimate, Kept};
use super::plan::Plan;
use crate::llm::Pricing;

/// What a plan will probably cost, beyond what is kept of an earlier run, at the price of each model for a prompt of
/// so many tokens. Where it depends on what the models say which calls there are, the dearest course is taken.
#[must_use]
pub fn estimate(plan: &Plan, kept: &Kept, price: impl Fn(&str, u64) -> Option<Pricing>) -> Estimate {
    estimate::dearest(council::courses(plan, kept), price)
}

/// The models that a plan may ask, beyond what is kept of an earlier run.
#[must_use]
pub fn models(plan: &Plan, kept: &Kept) -> BTreeSet<String> {
    council::courses(plan, kept).into_iter().flatten().map(|call| call.model).collect()
}
