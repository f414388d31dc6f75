//! Early consensus: where the reviewers agree on an answer and the members are sure, that answer is
//! the final one, and nobody is paid for writing another (SPEC section 6).

pub mod info;
mod notes;

pub use info::{ConsensusInfo, ConsensusMetrics};
use serde::{Deserialize, Serialize};

use crate::council::any_event::FeatureEvent;
use crate::council::note::Note;
use crate::council::ranking::aggregate::{AggregateFacts, AggregateRow};
use crate::council::round::Round;
use crate::council::stages::answers::{self, Answer};
use crate::council::stages::synthesis::{self, Synthesis};

/// The best answer's average rank is at most this.
const MAX_AVERAGE_RANK: f64 = 1.5;
/// At least this share of the voters puts it first.
const MIN_AGREEMENT: f64 = 0.8;
/// The members' average confidence is at least this.
const MIN_CONFIDENCE: f64 = 7.0;
/// One reviewer agrees with itself whatever it says.
const MIN_VOTERS: u32 = 2;

/// The events of early consensus.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ConsensusEvent {
    /// The council agreed: `stage3_complete` follows with its answer, and nobody writes another.
    ConsensusDetected { data: Box<ConsensusInfo> },
}

impl FeatureEvent for ConsensusEvent {
    fn note(&self) -> Option<Note> {
        Some(notes::note(self))
    }
}

/// Looks whether the council agreed.
#[must_use]
pub fn look(round: &Round<'_>) -> ConsensusInfo {
    let reviewed: Vec<Answer> =
        round.answers.iter().filter(|answer| answer.is_good() && !answer.late).cloned().collect();
    let confidence = answers::summary(&reviewed).average;
    let metadata = &round.reviewed.metadata;
    let (metrics, verdict) = judge(&metadata.aggregate_rankings, metadata.aggregate.as_ref(), confidence);
    let agreed = verdict.and_then(|row| {
        let answer = reviewed.iter().find(|answer| answer.member == row.member);
        answer.ok_or_else(|| format!("{}'s answer is gone", row.member)).and_then(fit)
    });
    match agreed {
        Ok(answer) => ConsensusInfo {
            is_consensus: true,
            consensus_model: Some(answer.model.clone()),
            consensus_member: Some(answer.member.clone()),
            consensus_response: Some(answer.response.clone()),
            reason: reached(answer, &metrics, metadata.aggregate.as_ref()),
            metrics,
        },
        Err(reason) => {
            ConsensusInfo { reason: format!("No consensus: {reason}."), metrics, ..Default::default() }
        }
    }
}

/// The final answer of a council that agreed; none without a consensus.
#[must_use]
pub fn take(round: &Round<'_>, info: &ConsensusInfo) -> Option<Synthesis> {
    let member = info.consensus_member.as_ref().filter(|_| info.is_consensus)?;
    let answer = round.answers.iter().find(|answer| answer.member == *member)?;
    let (good, asked) = (round.good().count(), round.answers.len());
    let heading = if good < asked {
        format!("The {good} of {asked} members that answered agreed: the answer of {member}")
    } else {
        format!("The council agreed: the answer of {member}")
    };
    Some(Synthesis {
        model: answer.model.clone(),
        alias: answer.alias.clone(),
        served_by: answer.served_by.clone(),
        response: answer.response.clone(),
        heading,
        notes: synthesis::losses(round),
        // Nobody was asked for it.
        cost: Some(0.0),
        simulated: answer.simulated,
        ..Synthesis::default()
    })
}

/// The figures, and the row that the council agrees on or everything that is missing.
fn judge<'a>(
    rows: &'a [AggregateRow],
    facts: Option<&AggregateFacts>,
    average_confidence: Option<f64>,
) -> (ConsensusMetrics, Result<&'a AggregateRow, String>) {
    let mut metrics = ConsensusMetrics { average_confidence, ..ConsensusMetrics::default() };
    let (Some(row), Some(facts)) = (rows.first(), facts) else {
        return (metrics, Err("no answer was ranked against another".to_owned()));
    };
    let average_rank = if row.weights_applied { row.weighted_average_rank } else { row.average_rank };
    metrics.average_rank = Some(average_rank);
    metrics.first_place_votes = row.first_place_votes;
    metrics.total_voters = row.voters;
    if row.voters > 0 {
        metrics.agreement_ratio = rounded(row.first_place_votes / f64::from(row.voters));
    }

    let mut missing = Vec::new();
    if facts.winner.as_ref() != Some(&row.member) {
        missing.push("several answers share the first place".to_owned());
    }
    if row.voters < MIN_VOTERS {
        let ballots = if row.voters == 1 { "only one ballot judges" } else { "no ballot judges" };
        missing.push(format!("{ballots} {}, {MIN_VOTERS} are needed", row.member));
    }
    if average_rank > MAX_AVERAGE_RANK {
        missing.push(format!(
            "the average rank of {} is {average_rank:.2}, at most {MAX_AVERAGE_RANK} is needed",
            row.member
        ));
    }
    if metrics.agreement_ratio < MIN_AGREEMENT {
        missing.push(format!(
            "{} of {} reviewers put it first, {:.0} % are needed",
            row.first_place_votes,
            row.voters,
            MIN_AGREEMENT * 100.0
        ));
    }
    match average_confidence {
        None => missing.push("no member said how sure it is".to_owned()),
        Some(average) if average < MIN_CONFIDENCE => {
            missing.push(format!(
                "the members' average confidence is {average}, at least {MIN_CONFIDENCE} is needed"
            ));
        }
        Some(_) => {}
    }
    let verdict = if missing.is_empty() { Ok(row) } else { Err(missing.join("; ")) };
    (metrics, verdict)
}

/// What may not be given out as it is, whoever liked it.
fn fit(answer: &Answer) -> Result<&Answer, String> {
    if answer.truncated {
        Err(format!("{}'s answer was cut at its token limit", answer.member))
    } else if answer.addresses_judges {
        Err(format!("{}'s answer speaks to its reviewers", answer.member))
    } else {
        Ok(answer)
    }
}

fn reached(answer: &Answer, metrics: &ConsensusMetrics, facts: Option<&AggregateFacts>) -> String {
    // A reviewer who put its own answer before this one counts among them, as its own does not count.
    let own = if facts.is_some_and(|facts| facts.count_self_votes) { "" } else { ", their own left aside" };
    format!(
        "{} of {} reviewers put the answer of {} first{own} (at least {:.0} % are needed), its average rank is {:.2} \
         (at most {MAX_AVERAGE_RANK}), and the members' average confidence is {} (at least {MIN_CONFIDENCE}).",
        metrics.first_place_votes,
        metrics.total_voters,
        answer.member,
        MIN_AGREEMENT * 100.0,
        metrics.average_rank.unwrap_or_default(),
        metrics.average_confidence.unwrap_or_default(),
    )
}

/// To 4 decimals, so that four fifths are four fifths.
fn rounded(ratio: f64) -> f64 {
    (ratio * 1e4).round() / 1e4
}

#[cfg(test)]
mod tests;
