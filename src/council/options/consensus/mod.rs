//! Early consensus: where the reviewers agree on an answer and the members are sure, that answer is
//! the final one, and nobody is paid for writing another (SPEC section 6). `final: auto` is the same
//! without the members' own confidence: models nearly always say that they are sure.

pub mod facts;
pub mod info;
mod notes;

pub use facts::{ConsensusFact, MissingFact};
pub use info::{ConsensusInfo, ConsensusMetrics};
pub use notes::ConsensusNote;
use serde::{Deserialize, Serialize};

use crate::council::ranking::aggregate::{AggregateFacts, AggregateRow};
use crate::council::round::Round;
use crate::council::stages::answers::{self, Answer, Unfit};
use crate::council::stages::synthesis::{self, HeadingFact, Synthesis};

/// The best answer's average rank is at most this.
const MAX_AVERAGE_RANK: f64 = 1.5;
/// At least this share of the voters puts it first.
const MIN_AGREEMENT: f64 = 0.8;
/// The members' average confidence is at least this.
const MIN_CONFIDENCE: f64 = 7.0;
/// A single reviewer always agrees with itself.
const MIN_VOTERS: u32 = 2;

/// The events of early consensus.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ConsensusEvent {
    /// The council agreed: `stage3_complete` follows with its answer, and nobody writes another.
    ConsensusDetected { data: Box<ConsensusInfo> },
}

/// Looks whether the council agreed. `must_be_sure` says whether the members' confidence counts too.
#[must_use]
pub fn look(round: &Round<'_>, must_be_sure: bool) -> ConsensusInfo {
    let reviewed: Vec<Answer> =
        round.answers.iter().filter(|answer| answer.is_good() && !answer.late).cloned().collect();
    let confidence = answers::summary(&reviewed).average;
    let metadata = &round.reviewed.metadata;
    let (metrics, verdict) =
        judge(&metadata.aggregate_rankings, metadata.aggregate.as_ref(), confidence, must_be_sure);
    let agreed = verdict.and_then(|row| {
        let answer = reviewed.iter().find(|answer| answer.member == row.member);
        answer
            .ok_or_else(|| vec![MissingFact::NoAnswer { member: row.member.clone() }])
            .and_then(|answer| fit(answer).map_err(|missing| vec![missing]))
    });
    let mut info = match &agreed {
        Ok(answer) => ConsensusInfo {
            is_consensus: true,
            consensus_model: Some(answer.model.clone()),
            consensus_member: Some(answer.member.clone()),
            consensus_response: Some(answer.response.clone()),
            ..ConsensusInfo::default()
        },
        Err(_) => ConsensusInfo::default(),
    };
    let fact = match agreed {
        Ok(answer) => reached(answer, &metrics, metadata.aggregate.as_ref(), must_be_sure),
        Err(missing) => ConsensusFact::NotAgreed { missing },
    };
    info.reason = fact.to_string();
    info.reason_fact = Some(fact);
    info.metrics = metrics;
    info
}

/// The final answer of a council that agreed; none without a consensus.
#[must_use]
pub fn take(round: &Round<'_>, info: &ConsensusInfo) -> Option<Synthesis> {
    let member = info.consensus_member.as_ref().filter(|_| info.is_consensus)?;
    let answer = round.answers.iter().find(|answer| answer.member == *member)?;
    let (good, asked) = (round.good().count(), round.answers.len());
    let mut synthesis = Synthesis::of_answer(answer);
    let member = member.clone();
    synthesis.name(if good < asked {
        HeadingFact::SomeAgreed { good, asked, member }
    } else {
        HeadingFact::Agreed { member }
    });
    for loss in synthesis::losses(round) {
        synthesis.note(loss);
    }
    Some(synthesis)
}

/// The figures, and the row that the council agrees on or everything that is missing.
fn judge<'a>(
    rows: &'a [AggregateRow],
    facts: Option<&AggregateFacts>,
    average_confidence: Option<f64>,
    must_be_sure: bool,
) -> (ConsensusMetrics, Result<&'a AggregateRow, Vec<MissingFact>>) {
    let mut metrics = ConsensusMetrics { average_confidence, ..ConsensusMetrics::default() };
    let (Some(row), Some(facts)) = (rows.first(), facts) else {
        return (metrics, Err(vec![MissingFact::NoRanking]));
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
        missing.push(MissingFact::SharedFirst);
    }
    if row.voters < MIN_VOTERS {
        let (member, ballots) = (row.member.clone(), row.voters);
        missing.push(MissingFact::FewBallots { member, ballots, needed: MIN_VOTERS });
    }
    if average_rank > MAX_AVERAGE_RANK {
        let member = row.member.clone();
        missing.push(MissingFact::PoorRank { member, average_rank, most: MAX_AVERAGE_RANK });
    }
    if metrics.agreement_ratio < MIN_AGREEMENT {
        let (votes, voters) = (row.first_place_votes, row.voters);
        missing.push(MissingFact::FewVotes { votes, voters, needed_share: MIN_AGREEMENT });
    }
    match average_confidence {
        _ if !must_be_sure => {}
        None => missing.push(MissingFact::NoConfidence),
        Some(average) if average < MIN_CONFIDENCE => {
            missing.push(MissingFact::LowConfidence { average, least: MIN_CONFIDENCE });
        }
        Some(_) => {}
    }
    let verdict = if missing.is_empty() { Ok(row) } else { Err(missing) };
    (metrics, verdict)
}

/// Why an answer must not be given out unchanged, however the reviewers ranked it.
fn fit(answer: &Answer) -> Result<&Answer, MissingFact> {
    let member = answer.member.clone();
    match answer.unfit() {
        None => Ok(answer),
        Some(Unfit::Cut) => Err(MissingFact::CutAnswer { member }),
        Some(Unfit::AddressesJudges) => Err(MissingFact::AddressesJudges { member }),
    }
}

fn reached(
    answer: &Answer,
    metrics: &ConsensusMetrics,
    facts: Option<&AggregateFacts>,
    must_be_sure: bool,
) -> ConsensusFact {
    let own_left_aside = !facts.is_some_and(|facts| facts.count_self_votes);
    if !must_be_sure {
        return ConsensusFact::Clear {
            member: answer.member.clone(),
            votes: metrics.first_place_votes,
            voters: metrics.total_voters,
            own_left_aside,
            needed_share: MIN_AGREEMENT,
            average_rank: metrics.average_rank.unwrap_or_default(),
            most_rank: MAX_AVERAGE_RANK,
        };
    }
    ConsensusFact::Agreed {
        member: answer.member.clone(),
        votes: metrics.first_place_votes,
        voters: metrics.total_voters,
        own_left_aside,
        needed_share: MIN_AGREEMENT,
        average_rank: metrics.average_rank.unwrap_or_default(),
        most_rank: MAX_AVERAGE_RANK,
        average_confidence: metrics.average_confidence.unwrap_or_default(),
        least_confidence: MIN_CONFIDENCE,
    }
}

/// To 4 decimals, so that four fifths are four fifths.
fn rounded(ratio: f64) -> f64 {
    (ratio * 1e4).round() / 1e4
}

/// What a request may say of early consensus.
#[derive(Debug, utoipa::ToSchema)]
#[expect(dead_code, reason = "documents the body, which the plan reads field by field")]
pub(in crate::council) struct ConsensusFields {
    /// Whether an answer that the reviewers agree on, of members that are sure, is the final one.
    #[schema(default = false)]
    use_early_consensus: Option<bool>,
}

#[cfg(test)]
mod tests;
