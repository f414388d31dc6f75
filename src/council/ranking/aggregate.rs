//! What the ballots say together.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::agreement::{self, Agreement};
use super::ballots::{Ballots, Candidate, Correction, OwnPlace, Settings, Vote};
use super::certainty::Certainty;
use super::methods::{self, Kemeny, Places};
use super::self_votes::SelfVotes;
use crate::llm::fact::known;
use crate::llm::family;

/// One answer's row in the table, as existing clients read it and with what the other methods say.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct AggregateRow {
    pub model: String,
    pub member: String,
    /// `Response A`.
    pub label: String,
    /// In the headline order, 1 the best; those that share a place have the same, and the next one is as
    /// many further (1, 1, 3).
    #[serde(default)]
    pub place: u32,
    /// The mean of its places over the ballots that place it, to 2 decimals; 1 is the best. Where places were
    /// corrected, of the corrected ones.
    pub average_rank: f64,
    /// That mean without any correction, where there were some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncorrected_rank: Option<f64>,
    /// How many ballots place it.
    pub rankings_count: u32,
    /// The mean of its places, weighted by the reviewers.
    pub weighted_average_rank: f64,
    /// Places gained (positive) or lost by the weights; who shares a place has the best of it.
    pub rank_change: i32,
    /// Whether the weights made the order: they were on, and the ballots did not all weigh the same.
    pub weights_applied: bool,
    /// Mean normalised Borda score, 0 to 1; absent when nothing could be compared.
    pub borda: Option<f64>,
    /// The mean Borda score, weighted by the reviewers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weighted_borda: Option<f64>,
    /// How many counted ballots may judge it: all, but for its author's where self-votes are left out.
    #[serde(default)]
    pub voters: u32,
    /// First places; tied ones share a vote.
    pub first_place_votes: f64,
    /// The place that its own author gives it among all answers.
    pub self_rank: Option<f64>,
    /// The mean of its places on all other ballots, among all answers.
    pub peer_rank: Option<f64>,
    /// How many ballots of other models of its family put it first.
    pub same_family_votes: u32,
}

/// What holds for the ranking as a whole. Answers are named by their seats.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct AggregateFacts {
    /// Ballots that count.
    pub ballots: u32,
    pub abstentions: u32,
    /// Whether reviewers' places for their own answers were counted, corrected or as they were cast.
    pub count_self_votes: bool,
    /// How they were; absent in messages from before there was a choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub self_votes: Option<SelfVotes>,
    /// Votes for one's own answer that count corrected.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub corrections: Vec<Correction>,
    /// The orders of reading were not balanced (reviewers failed), so that places count without what is known of
    /// their reviewers' position effects.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub position_corrected: bool,
    /// The order without any correction, where it is another.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub order_without_corrections: Vec<String>,
    /// The labels that share the first place without any correction, where there were some. Not stored: it serves a
    /// note.
    #[serde(skip)]
    pub level_without_corrections: Vec<String>,
    /// How certain it is that the first is the best.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certainty: Option<Certainty>,
    /// The first of the headline order; absent when several share the first place.
    pub winner: Option<String>,
    /// Several share the first place, or the winner falls without some single ballot.
    pub winner_is_tie: bool,
    /// Reviewers without whose single ballot the winner would not stand alone.
    pub winner_depends_on: Vec<String>,
    /// Who wins against each other answer.
    pub condorcet_winner: Option<String>,
    /// The order that contradicts the fewest preferences.
    pub kemeny_order: Vec<String>,
    /// A plain sentence when the methods name different winners.
    pub methods_disagree: Option<String>,
    /// Whom each method names then.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "known")]
    pub methods_disagree_facts: Vec<MethodFact>,
    /// Answers that no counted ballot places: they have no row.
    pub unplaced: Vec<String>,
    pub agreement: Option<Agreement>,
}

impl AggregateFacts {
    /// Where this reviewer's own answer stands on its ballot over so many answers, as it counts where only the order
    /// matters: what else is corrected moves nothing there.
    #[must_use]
    pub fn own_place(&self, member: &str, answers: usize) -> OwnPlace {
        if !self.count_self_votes {
            return OwnPlace::LeftOut;
        }
        let correction = self.corrections.iter().find(|correction| correction.member == member);
        correction.map_or(OwnPlace::AsCast, |Correction { place, preference, .. }| {
            let last = methods::count(answers).max(1.0);
            OwnPlace::Moved((place + preference.round()).clamp(1.0, last) - place)
        })
    }
}

/// Whom a method puts first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum MethodFact {
    AverageRank {
        member: String,
    },
    WeightedAverageRank {
        member: String,
    },
    Borda {
        member: String,
    },
    WeightedBorda {
        member: String,
    },
    /// The most first places.
    FirstPlaces {
        member: String,
    },
    /// Every single comparison.
    Condorcet {
        member: String,
    },
    /// The order that contradicts the fewest preferences.
    Kemeny {
        member: String,
    },
}

impl fmt::Display for MethodFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AverageRank { member } => write!(f, "the average rank puts {member} first"),
            Self::WeightedAverageRank { member } => {
                write!(f, "the weighted average rank puts {member} first")
            }
            Self::Borda { member } => write!(f, "the Borda score puts {member} first"),
            Self::WeightedBorda { member } => write!(f, "the weighted Borda score puts {member} first"),
            Self::FirstPlaces { member } => write!(f, "the most first places went to {member}"),
            Self::Condorcet { member } => {
                write!(f, "the winner of every single comparison is {member}")
            }
            Self::Kemeny { member } => write!(f, "the Kemeny order begins with {member}"),
        }
    }
}

/// The table and what holds for it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Aggregate {
    pub rows: Vec<AggregateRow>,
    pub facts: AggregateFacts,
}

/// Counts the ballots.
#[must_use]
pub fn aggregate(candidates: &[Candidate], votes: &[Vote], settings: Settings<'_>) -> Aggregate {
    let n = candidates.len();
    let (cast, abstained): (Vec<&Vote>, Vec<&Vote>) = votes.iter().partition(|vote| !vote.tiers.is_empty());
    let settings = Settings {
        self_votes: if n < 3 { SelfVotes::Counted } else { settings.self_votes },
        weights_on: settings.weights_on && weigh_differently(&cast),
        ..settings
    };
    let ballots = Ballots::of(candidates, &cast, settings);

    let counted = &ballots.counted;
    let order = order(counted, n, settings);
    let plain = Settings { weights_on: false, ..settings };
    let ahead = |one, settings| ahead(counted, n, one, settings);
    let rows = order
        .iter()
        .filter_map(|candidate| {
            let mut row = row(candidates, &cast, &ballots, *candidate)?;
            row.place = 1 + ahead(*candidate, settings);
            row.weights_applied = settings.weights_on;
            row.rank_change = difference(ahead(*candidate, plain), ahead(*candidate, settings));
            Some(row)
        })
        .collect();
    let facts = AggregateFacts {
        abstentions: small(abstained.len()),
        certainty: ballots.certainty(&cast, &order, settings),
        ..facts(candidates, &cast, &ballots, &order, settings)
    };
    Aggregate { rows, facts }
}

/// Whether the weights can change anything.
fn weigh_differently(cast: &[&Vote]) -> bool {
    cast.windows(2).any(|pair| (pair[0].weight - pair[1].weight).abs() > 1e-9)
}

/// What the headline order goes by, smaller is better; none for an answer nobody placed.
fn score(counted: &[Places], candidate: usize, settings: Settings<'_>) -> Option<f64> {
    let average = methods::average_rank(counted, candidate)?;
    let score = match (goes_by_rank(counted, settings), settings.weights_on) {
        (true, false) => average,
        (true, true) => methods::weighted_average_rank(counted, candidate)?,
        (false, false) => -methods::borda(counted, candidate)?,
        (false, true) => -methods::weighted_borda(counted, candidate)?,
    };
    // Equal scores must be equal, in whatever order their parts were added.
    Some((score * 1e9).round())
}

/// Without self-votes the places of one answer come from ballots over one answer more or less than those of
/// another, and the mean place of an answer that ballots leave out knows only those that do not; only normalised scores
/// compare.
fn goes_by_rank(counted: &[Places], settings: Settings<'_>) -> bool {
    let places_all = |ballot: &Places| ballot.of.iter().all(Option::is_some);
    settings.self_votes != SelfVotes::LeftOut && counted.iter().all(places_all)
}

fn compare(a: Option<f64>, b: Option<f64>) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => Ordering::Equal,
    }
}

/// The headline order; equals stay in the order of their labels.
fn order(counted: &[Places], candidates: usize, settings: Settings<'_>) -> Vec<usize> {
    let scores: Vec<Option<f64>> = (0..candidates).map(|one| score(counted, one, settings)).collect();
    let mut order: Vec<usize> = (0..candidates).collect();
    order.sort_by(|a, b| compare(scores[*a], scores[*b]));
    order
}

/// How many are before this one in the headline order, those that share its place not among them.
fn ahead(counted: &[Places], candidates: usize, one: usize, settings: Settings<'_>) -> u32 {
    let own = score(counted, one, settings);
    small((0..candidates).filter(|other| compare(score(counted, *other, settings), own).is_lt()).count())
}

/// The one that leads alone.
fn leader(counted: &[Places], candidates: usize, settings: Settings<'_>) -> Option<usize> {
    let order = order(counted, candidates, settings);
    let first = *order.first()?;
    let best = score(counted, first, settings)?;
    let second = order.get(1).and_then(|second| score(counted, *second, settings));
    (second != Some(best)).then_some(first)
}

/// Who shares the first place without any correction, in this order; nobody where nothing is corrected.
fn level(ballots: &Ballots, order: &[usize], settings: Settings<'_>) -> Vec<usize> {
    let uncorrected = &ballots.uncorrected;
    let is_first = |one: &usize| {
        score(uncorrected, *one, settings).is_some() && ahead(uncorrected, order.len(), *one, settings) == 0
    };
    let level: Vec<usize> = order.iter().copied().filter(is_first).collect();
    if ballots.is_corrected() && level.len() > 1 { level } else { Vec::new() }
}

fn row(candidates: &[Candidate], cast: &[&Vote], ballots: &Ballots, index: usize) -> Option<AggregateRow> {
    let candidate = &candidates[index];
    let counted = &ballots.counted;
    let average = methods::average_rank(counted, index)?;
    let is_own = |vote: &Vote| vote.member == candidate.member;
    let (own, peers): (Vec<_>, Vec<_>) = cast.iter().zip(&ballots.whole).partition(|(vote, _)| is_own(vote));
    let rank = |ballots: &[(&&Vote, &Places)]| {
        let places: Vec<f64> = ballots.iter().filter_map(|(_, places)| places.of[index]).collect();
        methods::mean(&places).map(rounded)
    };
    let of_the_family = peers.iter().filter(|(vote, places)| {
        family(&vote.model) == family(&candidate.model) && places.first_place_share(index) > 0.0
    });
    Some(AggregateRow {
        model: candidate.model.clone(),
        member: candidate.member.clone(),
        label: candidate.label.to_string(),
        place: 0,
        average_rank: rounded(average),
        uncorrected_rank: methods::average_rank(&ballots.uncorrected, index)
            .filter(|_| ballots.is_corrected())
            .map(rounded),
        rankings_count: small(counted.iter().filter(|places| places.of[index].is_some()).count()),
        weighted_average_rank: rounded(methods::weighted_average_rank(counted, index).unwrap_or(average)),
        rank_change: 0,
        weights_applied: false,
        borda: methods::borda(counted, index).map(finely),
        weighted_borda: methods::weighted_borda(counted, index).map(finely),
        voters: small(counted.iter().filter(|places| places.may_judge(index)).count()),
        first_place_votes: rounded(
            ballots.ordered.iter().map(|places| places.first_place_share(index)).sum(),
        ),
        self_rank: rank(&own),
        peer_rank: rank(&peers),
        same_family_votes: small(of_the_family.count()),
    })
}

fn facts(
    candidates: &[Candidate],
    cast: &[&Vote],
    ballots: &Ballots,
    own_order: &[usize],
    settings: Settings<'_>,
) -> AggregateFacts {
    let n = candidates.len();
    let counted = &ballots.counted;
    let without = order(&ballots.uncorrected, n, settings);
    let name = |index: usize| candidates[index].member.clone();
    let winner = leader(counted, n, settings);
    let depends_on = cast.iter().enumerate().filter(|(dropped, _)| {
        let mut rest = counted.to_vec();
        rest.remove(*dropped);
        winner.is_some() && leader(&rest, n, settings) != winner
    });
    let winner_depends_on: Vec<String> = depends_on.map(|(_, vote)| vote.member.clone()).collect();
    let ordered = &ballots.ordered;
    let condorcet = methods::condorcet_winner(ordered, n).filter(|_| !ordered.is_empty());
    let kemeny = if ordered.is_empty() { Kemeny::default() } else { methods::kemeny(ordered, n) };
    let disagreement = disagreement(candidates, ordered, winner, condorcet, &kemeny, settings);
    let placed = |index: &usize| methods::average_rank(counted, *index).is_some();
    AggregateFacts {
        ballots: small(cast.len()),
        abstentions: 0,
        count_self_votes: settings.self_votes != SelfVotes::LeftOut,
        self_votes: Some(settings.self_votes),
        corrections: ballots.corrections.clone(),
        position_corrected: ballots.position_corrected,
        order_without_corrections: if without == *own_order {
            Vec::new()
        } else {
            without.iter().map(|index| name(*index)).collect()
        },
        level_without_corrections: level(ballots, own_order, settings).into_iter().map(name).collect(),
        certainty: None,
        winner: winner.map(name),
        winner_is_tie: !counted.is_empty() && (winner.is_none() || !winner_depends_on.is_empty()),
        winner_depends_on,
        condorcet_winner: condorcet.map(name),
        kemeny_order: kemeny.order.iter().map(|index| name(*index)).collect(),
        methods_disagree: (!disagreement.is_empty()).then(|| {
            let said: Vec<String> = disagreement.iter().map(ToString::to_string).collect();
            format!("The methods disagree: {}.", said.join(", "))
        }),
        methods_disagree_facts: disagreement,
        unplaced: own_order.iter().filter(|index| !placed(index)).map(|index| name(*index)).collect(),
        agreement: (!counted.is_empty()).then(|| {
            if settings.self_votes != SelfVotes::LeftOut {
                agreement::kendall_w(&ballots.uncorrected)
            } else {
                agreement::mean_tau_b(counted)
            }
        }),
    }
}

/// Which winner each method names, when they do not all name the same one.
fn disagreement(
    candidates: &[Candidate],
    ordered: &[Places],
    winner: Option<usize>,
    condorcet: Option<usize>,
    kemeny: &Kemeny,
    settings: Settings<'_>,
) -> Vec<MethodFact> {
    let headline = |member| match (goes_by_rank(ordered, settings), settings.weights_on) {
        (true, false) => MethodFact::AverageRank { member },
        (true, true) => MethodFact::WeightedAverageRank { member },
        (false, false) => MethodFact::Borda { member },
        (false, true) => MethodFact::WeightedBorda { member },
    };
    let firsts = most_firsts(candidates.len(), ordered);
    let leaders: BTreeSet<usize> = [winner, firsts, condorcet, kemeny.leader].into_iter().flatten().collect();
    if leaders.len() < 2 {
        return Vec::new();
    }
    let name = |index: usize| candidates[index].member.clone();
    [
        winner.map(|index| headline(name(index))),
        firsts.map(|index| MethodFact::FirstPlaces { member: name(index) }),
        condorcet.map(|index| MethodFact::Condorcet { member: name(index) }),
        kemeny.leader.map(|index| MethodFact::Kemeny { member: name(index) }),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Who has more first places than anyone else.
fn most_firsts(candidates: usize, ordered: &[Places]) -> Option<usize> {
    let firsts = |one: usize| ordered.iter().map(|places| places.first_place_share(one)).sum::<f64>();
    let best = (0..candidates).map(firsts).max_by(f64::total_cmp)?;
    let mut leaders = (0..candidates).filter(|one| (firsts(*one) - best).abs() < 1e-9);
    leaders.next().filter(|_| leaders.next().is_none())
}

fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

/// To 4 decimals.
fn finely(score: f64) -> f64 {
    (score * 1e4).round() / 1e4
}

fn small(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn difference(before: u32, now: u32) -> i32 {
    i32::try_from(before).unwrap_or(i32::MAX) - i32::try_from(now).unwrap_or(i32::MAX)
}

#[cfg(test)]
#[path = "aggregate_tests.rs"]
mod tests;
