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
    let text = |template| tokens(task.brief.prompts.text(template));
    let steps = if task.chain_of_thought { text(&cot::SUFFIX) } else { 0 };
    let prompt = expecting.history + expecting.asked() + text(&confidence::SUFFIX) + steps;
    let call =
        |member: &Member| expecting.call(STAGE, &member.model, &ANSWER, expecting.system_of(member) + prompt);
    let kept = |member: &&Member| kept.reviews || kept.answers.contains(member.name());
    let calls = members.iter().filter(|member| !kept(member)).map(call);
    calls.flat_map(|call| with_tools(expecting, call)).collect()
}
