//! Whether a council can be held.

use super::report::{Area, Check, ModelCheck, ProbeKind, State};
use super::verdict_fact::Verdict;

/// The fewest members of a council.
const MIN_ANSWERING: usize = 2;

/// Judges by the results for the database and the models. Every model that answers can write: the best of the members
/// does it where the chairman and its fallbacks cannot. A model that sits twice is two members.
pub(super) fn of(checks: &[Check], models: &[ModelCheck], members: &[String]) -> Verdict {
    if checks.iter().any(|check| check.area == Area::Database && check.state == State::Failed) {
        return Verdict::DatabaseUnusable;
    }
    let found = |member: &String| models.iter().find(|model| model.model == *member);
    let checked: Vec<&ModelCheck> = members.iter().filter_map(found).collect();
    let answering = checked.iter().filter(|member| answers(member)).count();
    let asked = checked.iter().filter(|member| member.state != State::Skipped).count();
    let members = members.len();
    if answering >= MIN_ANSWERING {
        Verdict::CouncilReady { answering, members }
    } else if asked < MIN_ANSWERING {
        Verdict::TooFewAsked { asked, members }
    } else {
        Verdict::TooFewMembers { answering, members }
    }
}

fn answers(model: &ModelCheck) -> bool {
    let word = |kind| matches!(kind, ProbeKind::Streamed | ProbeKind::Whole);
    model.probes.iter().any(|probe| word(probe.probe) && probe.state == State::Ok)
}
