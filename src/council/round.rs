//! What the council has said: its members, their answers, and the reviews of these.

use std::borrow::Cow;

use super::brief::Brief;
use super::failure::Failure;
use super::options::jury::second;
use super::pass::Pass;
use super::run::Run;
use super::settings::Member;
use super::stages::answers::{self, Answer, Late};
use super::stages::reviews::{self, Review, Reviewed};
use super::task::Task;

/// Answers and reviews, before any conclusion is drawn from them.
pub struct Round<'p> {
    /// The task as reviewers and writers read it: with the corrections of the question.
    pub task: Cow<'p, Task>,
    /// The members that were asked, in the order of the answers.
    pub members: Vec<Member>,
    /// One per member, failed ones included.
    pub answers: Vec<Answer>,
    pub reviewed: Reviewed,
}

impl Round<'_> {
    /// What the run is about.
    #[must_use]
    pub fn brief(&self) -> &Brief {
        &self.task.brief
    }

    /// The answers that can be used.
    pub fn good(&self) -> impl Iterator<Item = &Answer> {
        self.answers.iter().filter(|answer| answer.is_good())
    }

    /// The system prompt for a model that speaks for the council in a later stage: its own if it has
    /// a seat, else the run's; `None` where the settings say so.
    #[must_use]
    pub fn system_prompt_of(&self, model: &str) -> Option<&str> {
        self.members
            .iter()
            .find(|member| member.model == model)
            .and_then(|member| self.brief().system_prompt_for(member))
            .or(self.brief().system_prompt.as_deref())
            .filter(|_| self.brief().settings.use_system_prompt_stage3)
    }
}

/// The task with the corrections made while the members answered. After that no more are taken in.
pub(super) async fn corrected<'p>(run: &Run, task: &'p Task) -> Cow<'p, Task> {
    let corrections = run.take_corrections().await;
    if corrections.is_empty() {
        return Cow::Borrowed(task);
    }
    let mut task = task.clone();
    let known = &mut task.brief.corrections;
    for added in corrections {
        if !known.contains(&added) {
            known.push(added);
        }
    }
    Cow::Owned(task)
}

/// Lets the members review the answers, unless the task has no reviews, while late answers may still come in. `before`
/// are earlier reviews that no longer count; `settle` sees the result of the reviews before it is published.
///
/// # Errors
/// When not one member answered.
pub(super) async fn review(
    run: &Run,
    task: &Task,
    pass: Pass,
    (members, before): (&[Member], &[Review]),
    answers: &mut [Answer],
    late: Late<'_>,
    settle: impl FnOnce(&mut Reviewed),
) -> Result<Reviewed, Failure> {
    let labelled = reviews::label(run, pass, answers);
    if labelled.is_empty() {
        return Err(Failure::no_answers(answers.iter().map(|answer| answer.error_kind)));
    }
    if task.without_reviews {
        let (unreviewed, arrivals) =
            answers::wait_for_late(run, pass, late, labelled.len(), async { Reviewed::default() }).await;
        answers::put(answers, arrivals);
        return Ok(unreviewed);
    }
    let reviews = async {
        let mut reviewed = reviews::hold(run, task, pass, (members, before), answers, &labelled).await;
        second::hold(run, task, pass, members, &labelled, &mut reviewed).await;
        settle(&mut reviewed);
        reviews::complete(run, pass, &reviewed).await;
        reviewed
    };
    let (reviewed, arrivals) = answers::wait_for_late(run, pass, late, labelled.len(), reviews).await;
    answers::put(answers, arrivals);
    Ok(reviewed)
}
