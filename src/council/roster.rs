//! Who is to answer.

use super::plan::Plan;
use super::settings::Member;

/// Who answers, in order.
#[derive(Debug, Clone)]
pub struct Roster {
    pub members: Vec<Member>,
}

impl Roster {
    /// The whole council.
    #[must_use]
    pub fn everyone(plan: &Plan) -> Self {
        Self { members: plan.members().to_vec() }
    }

    /// The seats of these models: as they sit in the council, with alias and prompt, else plain ones.
    #[must_use]
    pub fn of_models(plan: &Plan, models: &[String]) -> Self {
        let seat = |model: &String| {
            let known = plan.members().iter().find(|member| member.model == *model);
            known.cloned().unwrap_or_else(|| Member::plain(model))
        };
        Self { members: models.iter().map(seat).collect() }
    }
}
