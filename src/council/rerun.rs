//! Asking again: a rerun goes on from what an earlier run has. It executes the same plan from the top; a call
//! whose request is the same as in the earlier run is answered from that run's journal, and all others are made. So
//! a member that now answers changes what the reviewers are shown, and they are asked again automatically.

use serde::{Deserialize, Serialize};

use super::checking;
use super::correction::Correction;
use super::debate::kind::SHORTER;
use super::debate::position;
use super::features;
use super::formats::list as formats;
use super::member_retry::first_key;
use super::options::confidence;
use super::run::FinishedCall;
use super::searching::source::Source;
use super::stages::answers::{ANSWER, ANSWER_KEY, WITHOUT_SYSTEM_PROMPT};
use super::stages::synthesis::WITHOUT_REVIEWS;
use super::stages::{reviews, synthesis};
use super::tool_use;
use crate::id::RunId;
use crate::invisible::shows_nothing;
use crate::llm::Reply;

/// The earlier run that a run repeats, and what of it. Frozen with the plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rerun {
    /// The run that it replaces, and the latest of those before. It takes calls over from every run of its
    /// message; older servers look here instead.
    pub of: Vec<RunId>,
    /// The run whose random choices it repeats: only with the same labels are the requests for reviews the same.
    pub seed: RunId,
    #[serde(rename = "again")]
    pub scope: RerunScope,
    /// The sources of the run that it replaces: only with the same numbers are requests after a search the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<Source>,
    /// Corrections made after the members had been asked. Members that are asked again do not read them: only so do the
    /// others' answers stay.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub corrections: Vec<Correction>,
}

/// What is asked again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RerunScope {
    /// What failed or was not reached.
    Failed,
    /// The answer of this seat.
    Member(String),
    /// What this seat said in this round of a debate, or answered to this part of a question, from 1.
    Speaker { member: String, round: u32 },
    /// Everything from this part on.
    From(Part),
}

/// A part of a run that can be asked for again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Everything.
    Stage1,
    /// The reviews and what follows.
    Stage2,
    /// The final answer and what follows.
    Stage3,
}

impl RerunScope {
    /// Whether a finished call of the earlier run may be taken over.
    #[must_use]
    pub fn keeps(&self, call: &FinishedCall) -> bool {
        call.result.as_ref().is_ok_and(|reply| !says_nothing(call, reply))
            && match self {
                Self::Failed => true,
                Self::Member(name) => call.purpose != ANSWER.name || !is_of(call, ANSWER_KEY, name),
                Self::Speaker { member, round } => {
                    !formats::keys_of_round(*round).iter().any(|key| is_of(call, key, member))
                }
                Self::From(Part::Stage1) => false,
                Self::From(Part::Stage2) => features::comes_before(&call.stage, &reviews::STAGE),
                Self::From(Part::Stage3) => features::comes_before(&call.stage, &synthesis::STAGE),
            }
    }
}

/// Whether a reply has nothing for the reader, so that its author counts as failed.
fn says_nothing(call: &FinishedCall, reply: &Reply) -> bool {
    if reply.text.is_empty() || !reply.tool_calls.is_empty() {
        return false;
    }
    let (text, _) = confidence::parse(&reply.text);
    let (text, _) = position::parse(&text, &[]);
    let writes = || features::purposes_of_final_answers().any(|purpose| call.purpose == purpose.name);
    shows_nothing(&text) || writes() && checking::is_only_an_action(&call.key, &reply.text)
}

/// Whether the call is this seat's under such a key, including further tries: after a failure, without its system
/// prompt, with less to read, or with the results of its tools.
fn is_of(call: &FinishedCall, key: &str, member: &str) -> bool {
    let place = first_key(&call.key).strip_prefix(key).and_then(|place| place.strip_prefix(member));
    place.is_some_and(|end| is_another_try(tool_use::without_turn(end)))
}

/// Whether the end of a key means that the same was asked again in a form that the model accepts, and nothing else.
fn is_another_try(mut end: &str) -> bool {
    let ways = [WITHOUT_SYSTEM_PROMPT, SHORTER, WITHOUT_REVIEWS];
    while let Some(rest) = ways.iter().find_map(|way| end.strip_suffix(way)) {
        end = rest;
    }
    end.is_empty()
}

/// Whether the failed call with this key was asked again in its own run and answered there, under one of these keys.
#[must_use]
pub fn has_recovered(failed: &str, answered: &[String]) -> bool {
    let end = |key: &String| first_key(key).strip_prefix(first_key(failed)).is_some_and(is_another_try);
    answered.iter().any(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_has_recovered_where_another_try_of_the_same_was_answered() {
        let recovered = |failed: &str, answered: &str| has_recovered(failed, &[answered.to_owned()]);
        for (failed, answered) in [
            ("stage1/openai", "retry/1/stage1/openai"),
            ("retry/1/stage1/openai", "retry/2/stage1/openai"),
            ("stage1/openai", "stage1/openai/without_system_prompt"),
            ("stage3/openai", "stage3/openai/without_system_prompt/without_reviews"),
            ("round2/openai", "round2/openai/shorter/shorter"),
        ] {
            assert!(recovered(failed, answered), "{failed}: {answered}");
        }
        for (failed, answered) in [
            ("stage1/openai", "stage1/openai/gpt-5.1"),
            ("stage1/openai/without_system_prompt", "stage1/openai"),
            ("stage3/openai", "stage3/anthropic"),
            ("stage2/openai/repair", "stage2/openai"),
        ] {
            assert!(!recovered(failed, answered), "{failed}: {answered}");
        }
    }
}
