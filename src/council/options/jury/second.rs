//! The second reading: where the first ballots disagree, every reviewer reads the answers once more in the reverse order,
//! and the places of both readings are put together (`use_second_reading`). Whatever the reading order does to a
//! reviewer's places then cancels out.

use std::collections::BTreeSet;

use futures_util::stream::{FuturesOrdered, StreamExt as _};
use serde::{Deserialize, Serialize};

use super::info::{SecondReading, SecondReadingFact};
use super::reviewers;
use crate::council::pass::Pass;
use crate::council::ranking::aggregate::AggregateFacts;
use crate::council::ranking::label::Label;
use crate::council::run::Run;
use crate::council::seat::Seat;
use crate::council::settings::Member;
use crate::council::stages::reviews::{self, Labelled, Review, Reviewed};
use crate::council::task::Task;

/// Below this the ballots disagree: half of the way from what chance gives (0) to unanimity (1).
pub const MIN_AGREEMENT: f64 = 0.5;

/// The events of a second reading. `stage2_complete` follows with everything.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum SecondReadingEvent {
    /// The reviewers are asked to read the answers again, in the reverse order.
    SecondReadingStart {
        members: Vec<Seat>,
        data: SecondReading,
        /// When they are asked (RFC 3339, UTC).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        started_at: Option<String>,
    },
    /// A reviewer has read them again, or failed. Then its first reading stands alone.
    SecondReadingModelComplete { model: String, member: String, data: Box<Review> },
}

/// Has the answers read a second time where the first ballots disagree, and counts the ballots anew.
pub(in crate::council) async fn hold(
    run: &Run,
    task: &Task,
    pass: Pass,
    members: &[Member],
    labelled: &[Labelled<'_>],
    reviewed: &mut Reviewed,
) {
    if !task.second_reading {
        return;
    }
    let info = SecondReading::of(judge(reviewed.metadata.aggregate.as_ref()));
    if info.held {
        read_again(run, task, pass, members, labelled, reviewed, &info).await;
    }
    reviewed.metadata.second_reading = Some(info);
}

async fn read_again(
    run: &Run,
    task: &Task,
    pass: Pass,
    members: &[Member],
    labelled: &[Labelled<'_>],
    reviewed: &mut Reviewed,
    info: &SecondReading,
) {
    let jury = reviewers(&task.brief.settings, members);
    // Reviewers that have failed are not asked again.
    let read = reviewed.reviews.iter().filter(|review| review.error.is_none());
    let again: Vec<(&Member, Vec<Label>)> = read
        .filter_map(|review| {
            let member = jury.iter().find(|member| member.name() == review.member)?;
            Some((member, review.order_shown.iter().rev().copied().collect()))
        })
        .collect();
    let start = SecondReadingEvent::SecondReadingStart {
        members: again.iter().map(|(member, _)| Seat::from(*member)).collect(),
        data: info.clone(),
        started_at: Some(run.now()),
    };
    run.emit(&pass.key("second_reading/start"), start).await;
    let calls = again.into_iter().map(|(member, order)| async move {
        let key = pass.key(&format!("second_reading/of/{}", member.name()));
        let second = reviews::ask(run, task, &key, member, labelled, order).await;
        let event = SecondReadingEvent::SecondReadingModelComplete {
            model: second.model.clone(),
            member: second.member.clone(),
            data: Box::new(second.clone()),
        };
        run.emit(&format!("{key}/complete"), event).await;
        second
    });
    let seconds: Vec<Review> = calls.collect::<FuturesOrdered<_>>().collect().await;
    for second in seconds {
        put(&mut reviewed.reviews, second);
    }
    let abstained = std::mem::take(&mut reviewed.metadata.abstained);
    reviewed.metadata = reviews::summary(task, labelled, &reviewed.reviews, abstained);
}

/// What the first ballots say.
fn judge(facts: Option<&AggregateFacts>) -> SecondReadingFact {
    let Some(facts) = facts.filter(|facts| facts.ballots > 0) else {
        return SecondReadingFact::NothingToCompare;
    };
    if facts.winner.is_none() {
        return SecondReadingFact::NoSoleWinner;
    }
    let needed = MIN_AGREEMENT;
    let agreement = facts.agreement.as_ref().and_then(|agreement| {
        let (value, chance) = (agreement.value?, agreement.expected_by_chance?);
        // Of Kendall's W this is the mean of Spearman's coefficient over all pairs (Kendall & Babington Smith, 1939).
        Some((value - chance) / (1.0 - chance))
    });
    match agreement {
        Some(agreement) if agreement < needed => SecondReadingFact::LowAgreement { agreement, needed },
        agreement => SecondReadingFact::Agreed { agreement, needed },
    }
}

/// Adds a second reading to the first one of the same reviewer.
pub(in crate::council) fn put(reviews: &mut [Review], second: Review) {
    let Some(first) = reviews.iter_mut().find(|review| review.member == second.member) else { return };
    if second.counts {
        first.tiers = if first.counts {
            let both = together(&first.tiers, &second.tiers, first.order_shown.len());
            first.first_tiers = std::mem::take(&mut first.tiers);
            both
        } else {
            first.counts = true;
            first.parse = second.parse;
            second.tiers.clone()
        };
        first.parsed_ranking = first.tiers.concat();
    }
    first.second = Some(Box::new(second));
}

/// The order of the mean places of two ballots over so many answers; equal means share a place. What one of them leaves out
/// shares its last places; what both leave out has none.
fn together(one: &[Vec<Label>], other: &[Vec<Label>], answers: usize) -> Vec<Vec<Label>> {
    let placed: BTreeSet<Label> = one.iter().chain(other).flatten().copied().collect();
    let ballots = [doubled_places(one), doubled_places(other)];
    let place = |label: Label, ballot: &[(Label, usize)]| {
        let known = ballot.iter().find(|(placed, _)| *placed == label);
        known.map_or(ballot.len() + answers + 1, |(_, place)| *place)
    };
    let mut means: Vec<(usize, Label)> = placed
        .into_iter()
        .map(|label| (ballots.iter().map(|ballot| place(label, ballot)).sum::<usize>(), label))
        .collect();
    means.sort_unstable();
    let mut tiers: Vec<Vec<Label>> = Vec::new();
    for (at, (mean, label)) in means.iter().enumerate() {
        match tiers.last_mut().filter(|_| at > 0 && means[at - 1].0 == *mean) {
            Some(tier) => tier.push(*label),
            None => tiers.push(vec![*label]),
        }
    }
    tiers
}

/// Twice the place of each label, so that the middle of tied places is a whole number.
fn doubled_places(tiers: &[Vec<Label>]) -> Vec<(Label, usize)> {
    let mut before = 0;
    let mut places = Vec::new();
    for tier in tiers {
        places.extend(tier.iter().map(|label| (*label, 2 * before + tier.len() + 1)));
        before += tier.len();
    }
    places
}

#[cfg(test)]
#[path = "second_tests.rs"]
mod tests;
