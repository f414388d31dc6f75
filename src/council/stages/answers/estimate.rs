//! Which calls the answers will probably take.

use super::{ANSWER, STAGE};
use crate::council::estimate::{ExpectedCall, Expecting, Kept};
use crate::council::options::{confidence, cot};
use crate::council::pricing::tokens;
use crate::council::settings::Member;
use crate::council::task::Task;
use crate::council::tool_use::estimate::with_tools;

pub(in crate::council) fn expected_calls(task: &Task, kept: &Kept, members: &[Member]) -> Vec<ExpectedCall> {
    let expecting = Expecting::of(&task.brief).with_tools(task.tools);
    let sure = tokens(task.brief.prompts.text(&confidence::SUFFIX));
    let prompt = expecting.history + expecting.asked() + sure + steps(task);
    let call =
        |member: &Member| expecting.call(STAGE, &member.model, &ANSWER, expecting.system_of(member) + prompt);
    let kept = |member: &&Member| kept.reviews || kept.answers.contains(member.name());
    let calls = members.iter().filter(|member| !kept(member)).map(call);
    calls.flat_map(|call| with_tools(expecting, call)).collect()
}

/// What each member is asked besides where its answer is to show its steps, in tokens.
pub(in crate::council) fn steps(task: &Task) -> u64 {
    if task.chain_of_thought { tokens(task.brief.prompts.text(&cot::SUFFIX)) } else { 0 }
}
