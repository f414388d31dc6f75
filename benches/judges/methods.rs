//! The ways of counting that are compared. Those that the program has are called just as it calls them.

use std::collections::BTreeMap;

use llm_council::council::ranking::aggregate::{Aggregate, aggregate};
use llm_council::council::ranking::ballots::{Candidate, Settings, Vote};
use llm_council::council::ranking::effects::{Cast, Seen, effects};
use llm_council::council::ranking::label::Label;
use llm_council::council::ranking::records::{ReviewerRecord, ReviewerRecords, Tally};
use llm_council::council::ranking::self_votes::SelfVotes;

use crate::plackett_luce::{self, Covariates};
use crate::rng::Rng;
use crate::world::{Ballot, Question, World};

/// A way of counting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// One order for all reviewers, own votes counted, the mean of the places: what an older council does.
    Older,
    Counted,
    LeftOut,
    /// The default, of a council without any earlier run, …
    AdjustedNew,
    /// … after 30 …
    Adjusted30,
    /// … and after 300.
    Adjusted300,
    Kemeny,
    PlackettLuce,
    /// With each reviewer's own preference and one position effect, learned from the same 30 runs.
    PlackettLuceCovariates,
}

impl Method {
    pub const ALL: [Self; 9] = [
        Self::Older,
        Self::Counted,
        Self::LeftOut,
        Self::AdjustedNew,
        Self::Adjusted30,
        Self::Adjusted300,
        Self::Kemeny,
        Self::PlackettLuce,
        Self::PlackettLuceCovariates,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Older => "one order, counted",
            Self::Counted => "counted",
            Self::LeftOut => "left out",
            Self::AdjustedNew => "adjusted, new",
            Self::Adjusted30 => "adjusted, 30 runs",
            Self::Adjusted300 => "adjusted, 300 runs",
            Self::Kemeny => "Kemeny",
            Self::PlackettLuce => "Plackett–Luce",
            Self::PlackettLuceCovariates => "the same, covariates",
        }
    }
}

/// What earlier runs have taught.
pub struct Learned {
    pub after_30: ReviewerRecords,
    pub after_300: ReviewerRecords,
    pub covariates: Covariates,
}

impl Learned {
    pub fn from(world: &World, rng: &mut Rng) -> Self {
        let runs: Vec<Question> = (0..300).map(|_| world.ask(rng)).collect();
        Self {
            after_30: records(&runs[..30]),
            after_300: records(&runs),
            covariates: Covariates::learn(&runs[..30], world.members),
        }
    }
}

fn member(number: usize) -> String {
    format!("m{number}/model")
}

/// The ledger of these runs, as the program keeps it.
fn records(runs: &[Question]) -> ReviewerRecords {
    let mut user: BTreeMap<String, ReviewerRecord> = BTreeMap::new();
    let (mut agreement, mut reading) = (Tally::default(), Tally::default());
    for run in runs {
        let names: Vec<String> = (0..run.quality.len()).map(member).collect();
        let seen: Vec<Seen<'_>> =
            names.iter().map(|name| Seen { member: name, model: name, length: 0 }).collect();
        let cast: Vec<Cast<'_>> = run
            .ballots
            .iter()
            .enumerate()
            .filter_map(|(reviewer, ballot)| {
                let ballot = ballot.as_ref()?;
                let tiers = ballot.ranking.iter().map(|answer| vec![*answer]).collect();
                Some(Cast {
                    member: &names[reviewer],
                    model: &names[reviewer],
                    tiers,
                    order: ballot.order.clone(),
                })
            })
            .collect();
        let shown = effects(&seen, &cast);
        for (cast, leanings) in cast.iter().zip(&shown.leanings) {
            let record = user.entry(cast.model.to_owned()).or_default();
            add(&mut record.own, leanings.own);
            add(&mut record.position, leanings.position);
        }
        add(&mut agreement, shown.correlations.map(|of| of.ballots));
        add(&mut reading, shown.correlations.map(|of| of.reading));
    }
    ReviewerRecords { user, agreement, reading, ..ReviewerRecords::default() }
}

fn add(tally: &mut Tally, value: Option<f64>) {
    if let Some(value) = value {
        tally.count += 1;
        tally.sum += value;
    }
}

/// Counts as the program does.
pub fn count(ballots: &[Option<Ballot>], self_votes: SelfVotes, records: &ReviewerRecords) -> Aggregate {
    let candidates: Vec<Candidate> = (0..ballots.len())
        .map(|one| Candidate { label: Label::nth(one), model: member(one), member: member(one) })
        .collect();
    let votes: Vec<Vote> = ballots
        .iter()
        .enumerate()
        .filter_map(|(reviewer, ballot)| {
            let ballot = ballot.as_ref()?;
            Some(Vote {
                model: member(reviewer),
                member: member(reviewer),
                counted_as: member(reviewer),
                tiers: ballot.ranking.iter().map(|answer| vec![Label::nth(*answer)]).collect(),
                order_shown: ballot.order.iter().map(|answer| Label::nth(*answer)).collect(),
                weight: 1.0,
            })
        })
        .collect();
    aggregate(&candidates, &votes, Settings { self_votes, records, weights_on: false })
}

/// The chance that the best answer is the one put first: a shared first place is shared.
pub fn hits(question: &Question, learned: &Learned) -> [f64; Method::ALL.len()] {
    let nothing = ReviewerRecords::default();
    let best = question.best();
    let first = |counted: &Aggregate| -> f64 {
        let firsts: Vec<&str> =
            counted.rows.iter().filter(|row| row.place == 1).map(|row| row.member.as_str()).collect();
        if firsts.contains(&member(best).as_str()) { 1.0 / firsts.len() as f64 } else { 0.0 }
    };
    let counted = count(&question.ballots, SelfVotes::Counted, &nothing);
    let kemeny = counted.facts.kemeny_order.first().is_some_and(|first| *first == member(best));
    let strongest = |strengths: Vec<f64>| {
        let top = (0..strengths.len()).max_by(|a, b| strengths[*a].total_cmp(&strengths[*b]));
        f64::from(u8::from(top == Some(best)))
    };
    Method::ALL.map(|method| match method {
        Method::Older => first(&count(&question.in_one_order, SelfVotes::Counted, &nothing)),
        Method::Counted => first(&counted),
        Method::LeftOut => first(&count(&question.ballots, SelfVotes::LeftOut, &nothing)),
        Method::AdjustedNew => first(&count(&question.ballots, SelfVotes::Adjusted, &nothing)),
        Method::Adjusted30 => first(&count(&question.ballots, SelfVotes::Adjusted, &learned.after_30)),
        Method::Adjusted300 => first(&count(&question.ballots, SelfVotes::Adjusted, &learned.after_300)),
        Method::Kemeny => f64::from(u8::from(kemeny)),
        Method::PlackettLuce => {
            strongest(plackett_luce::strengths(&question.ballots, &Covariates::default()))
        }
        Method::PlackettLuceCovariates => {
            strongest(plackett_luce::strengths(&question.ballots, &learned.covariates))
        }
    })
}
