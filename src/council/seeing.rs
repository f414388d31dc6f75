//! Which models are shown the pictures of a question: decided when it is asked, and frozen with its plan.

use std::collections::BTreeSet;

use super::estimate::Kept;
use super::formats;
use super::pictures;
use super::plan::Plan;

/// The error that no model that may answer sees the pictures of the question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Blind;

/// The plan with those of its models that see pictures, if the question comes with any.
///
/// # Errors
/// Where no model that may answer would see them.
pub fn shown_to(mut plan: Plan, sees: impl Fn(&str) -> bool) -> Result<Plan, Blind> {
    if pictures::of(&plan.brief().attachments).next().is_none() {
        return Ok(plan);
    }
    let mut settings = plan.brief().settings.clone();
    let named = settings.named_models().into_iter().map(|(_, model)| model.clone());
    let asked = formats::models(&plan, &Kept::default());
    let mut models: BTreeSet<String> = named.chain(asked).collect();
    models.retain(|model| sees(model));
    plan.task.brief.seen_by = models.into_iter().collect();
    let council = plan.brief().members().iter().map(|member| member.model.as_str());
    let may_answer = plan.options.roster.may_answer(council.collect());
    if may_answer.iter().any(|group| !group.iter().any(|model| plan.brief().sees(model))) {
        return Err(Blind);
    }
    Ok(plan.scoped())
}
