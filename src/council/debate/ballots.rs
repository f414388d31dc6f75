//! The members rank the openings blind, once, while the debate goes on. It does not go by their ballots: they are
//! for the reader, who sees where each speaker stood before it was contradicted, and for the figures over many runs.

use futures_util::stream::{FuturesOrdered, StreamExt as _};

use super::event::DebateEvent;
use super::statement::Statement;
use crate::council::pass::Pass;
use crate::council::prompts::template::Template;
use crate::council::ranking::label::Label;
use crate::council::ranking::order;
use crate::council::run::Run;
use crate::council::seat::Seat;
use crate::council::settings::Member;
use crate::council::stages::answers::Answer;
use crate::council::stages::reviews::{self, Labelled, Review};
use crate::council::task::Task;

/// Everything that this asks models with.
pub static TEMPLATES: &[&Template] = reviews::TEMPLATES;

/// Asks every member that has opened, or the reviewers in their place.
pub async fn hold(run: &Run, task: &Task, openings: &[Statement]) {
    let members = task.brief.members();
    let answers: Vec<Answer> = openings.iter().map(Statement::as_answer).collect();
    let labelled: Vec<Labelled<'_>> = reviews::label(run, Pass::First, &answers);
    let (reviewers, abstained) = reviews::reviewers(run, task, Pass::First, (members, &[]), &answers);
    let start = DebateEvent::FormatBallotsStart {
        members: reviewers.iter().map(Seat::from).collect(),
        abstained: abstained.clone(),
        started_at: Some(run.now()),
    };
    run.emit("ballots/start", start).await;
    if !reviewers.is_empty() {
        reviews::remark_labels(run, "ballots/labels", &labelled).await;
    }

    let mut labels: Vec<Label> = labelled.iter().map(|entry| entry.label).collect();
    run.shuffle("orders", &mut labels);
    let orders = order::orders(reviewers.len(), &labels);
    let calls =
        reviewers.iter().zip(orders).map(|(member, order)| ballot(run, task, member, &labelled, order));
    let reviews: Vec<Review> = calls.collect::<FuturesOrdered<_>>().collect().await;

    let metadata = Box::new(reviews::summary(task, &labelled, &reviews, abstained));
    run.emit("ballots/complete", DebateEvent::FormatBallotsComplete { data: reviews, metadata }).await;
}

async fn ballot(
    run: &Run,
    task: &Task,
    member: &Member,
    labelled: &[Labelled<'_>],
    order: Vec<Label>,
) -> Review {
    let key = format!("ballots/{}", member.name());
    let review = reviews::ask(run, task, &key, member, labelled, order).await;
    let event = DebateEvent::FormatBallotsModelComplete {
        model: review.model.clone(),
        member: review.member.clone(),
        data: Box::new(review.clone()),
    };
    run.emit(&format!("{key}/complete"), event).await;
    review
}
