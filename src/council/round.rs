//! What the council has said: who sat, what they answered, and what the reviews say of it.

use super::Failure;
use super::plan::Plan;
use super::roster::Roster;
use super::run::Run;
use super::settings::Member;
use super::stages::answers::{self, Answer};
use super::stages::reviews::{self, Reviewed};

/// Answers and reviews, before anybody draws a conclusion from them.
pub struct Round<'p> {
    pub plan: &'p Plan,
    /// Who was asked, in the order of the answers.
    pub members: Vec<Member>,
    /// One per member, failed ones included.
    pub answers: Vec<Answer>,
    pub reviewed: Reviewed,
}

impl<'p> Round<'p> {
    /// Lets the roster answer, and review what was answered.
    ///
    /// # Errors
    /// When not one member answered.
    pub async fn hold(run: &Run, plan: &'p Plan, roster: Roster) -> Result<Self, Failure> {
        answers::announce(run, plan, &roster).await;
        let members = roster.members;
        let (mut answers, late) = answers::ask_all(run, plan, &members).await;
        let labelled = reviews::label(run, &answers);
        if labelled.is_empty() {
            return Err(Failure::no_answers(&answers));
        }
        let reviews = reviews::hold(run, plan, &members, &answers, &labelled);
        let (reviewed, came) = answers::wait_for_late(run, late, labelled.len(), reviews).await;
        for late in came {
            answers[late.place] = late.what;
        }
        Ok(Self { plan, members, answers, reviewed })
    }

    /// The answers that can be used.
    pub fn good(&self) -> impl Iterator<Item = &Answer> {
        self.answers.iter().filter(|answer| answer.is_good())
    }

    /// The system prompt for a model that speaks for the council in a later stage: its own if it
    /// sits, else the run's; none where the settings say so.
    #[must_use]
    pub fn system_prompt_of(&self, model: &str) -> Option<&str> {
        self.members
            .iter()
            .find(|member| member.model == model)
            .and_then(|member| self.plan.system_prompt_for(member))
            .or(self.plan.system_prompt.as_deref())
            .filter(|_| self.plan.settings.use_system_prompt_stage3)
    }
}
