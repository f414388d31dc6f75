//! Who is still asked: a member that has failed once in a run is asked for nothing more in it. The cost of a failure is
//! paid once, and nobody waits for it a second time.

use serde::{Deserialize, Serialize};

use super::answers::Answer;
use crate::council::settings::Member;
use crate::council::task::Task;
use crate::llm::ErrorKind;

/// Why a member is not asked to review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AbstentionReason {
    /// It failed in the answers.
    NoAnswer,
    /// It failed in the reviews that were held before the second tier answered.
    NoReview,
    /// It was still answering when the reviews began.
    Late,
}

/// A member that is not asked to review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Abstention {
    pub model: String,
    pub member: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alias: Option<String>,
    pub reason: AbstentionReason,
}

impl Abstention {
    fn of(seat: &Member, reason: AbstentionReason) -> Self {
        let (model, member, alias) = (seat.model.clone(), seat.name().to_owned(), seat.alias.clone());
        Self { model, member, alias, reason }
    }
}

/// Whom of these to ask for a review, and who abstains. A member that has not answered because it was not asked may
/// review. `failed_before` says who failed in reviews that do not count any more.
#[must_use]
pub fn reviewers<'a>(
    task: &Task,
    members: &'a [Member],
    answers: &[Answer],
    failed_before: impl Fn(&str) -> bool,
) -> (Vec<&'a Member>, Vec<Abstention>) {
    if !task.failed_are_done {
        return (not_hopeless(members, answers), Vec::new());
    }
    let mut abstained = Vec::new();
    let asked = members.iter().filter(|member| {
        let answer = answers.iter().find(|answer| answer.member == member.name());
        let reason = if answer.is_some_and(|answer| answer.pending) {
            AbstentionReason::Late
        } else if answer.is_some_and(|answer| answer.error.is_some()) {
            AbstentionReason::NoAnswer
        } else if failed_before(member.name()) {
            AbstentionReason::NoReview
        } else {
            return true;
        };
        abstained.push(Abstention::of(member, reason));
        false
    });
    (asked.collect(), abstained)
}

/// The rule of earlier plans: leaves out members that a longer prompt would not help, and those that the others would
/// have to wait for.
pub(in crate::council) fn not_hopeless<'a>(members: &'a [Member], answers: &[Answer]) -> Vec<&'a Member> {
    let is_hopeless = |answer: &Answer| {
        matches!(
            answer.error_kind,
            Some(
                ErrorKind::Auth
                    | ErrorKind::Refused
                    | ErrorKind::ContextTooLong
                    | ErrorKind::Budget
                    | ErrorKind::Cancelled
            )
        )
    };
    members
        .iter()
        .zip(answers)
        .filter(|(_, answer)| !answer.pending && !is_hopeless(answer))
        .map(|(member, _)| member)
        .collect()
}
