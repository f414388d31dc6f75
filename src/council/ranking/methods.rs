//! The voting methods over ballots of places. Candidates are numbers from 0.

/// One ballot: where it puts each candidate.
#[derive(Debug, Clone, PartialEq)]
pub struct Places {
    /// The place of each candidate, 1 the best; tied ones share the mean of theirs; none where the
    /// ballot leaves the candidate out.
    pub of: Vec<Option<f64>>,
    /// The candidate that this ballot may not judge.
    pub barred: Option<usize>,
    pub weight: f64,
}

impl Places {
    /// The places of `tiers`, without the barred candidate.
    #[must_use]
    pub fn new(candidates: usize, tiers: &[Vec<usize>], barred: Option<usize>, weight: f64) -> Self {
        let mut of = vec![None; candidates];
        let mut taken = 0;
        for tier in tiers {
            let tier: Vec<usize> = tier.iter().copied().filter(|one| Some(*one) != barred).collect();
            for candidate in &tier {
                of[*candidate] = Some(mean_place(taken, tier.len()));
            }
            taken += tier.len();
        }
        Self { of, barred, weight }
    }

    /// The places as fractions: 0 the first, 1 the last of those that it may judge.
    #[must_use]
    pub fn fractions(&self) -> Vec<Option<f64>> {
        let last = count(self.eligible().saturating_sub(1)).max(1.0);
        self.of.iter().map(|place| place.map(|place| (place - 1.0) / last)).collect()
    }

    /// Moves a candidate that the ballot places, by a fraction of its places: 1 moves the first to the last. None
    /// leaves the ballot, so a first place moves no further up and a last one no further down.
    pub fn move_by(&mut self, candidate: usize, fraction: f64) {
        let last = count(self.eligible());
        if let Some(place) = &mut self.of[candidate] {
            *place = (fraction * (last - 1.0) + *place).clamp(1.0, last);
        }
    }

    /// How many candidates the ballot may judge.
    fn eligible(&self) -> usize {
        self.of.len() - usize::from(self.barred.is_some())
    }

    /// The place of a candidate, where those left out share the last ones; none for the barred.
    fn full(&self, candidate: usize) -> Option<f64> {
        if self.barred == Some(candidate) {
            return None;
        }
        let placed = self.of.iter().flatten().count();
        Some(self.of[candidate].unwrap_or_else(|| mean_place(placed, self.eligible() - placed)))
    }

    /// Whether the ballot may judge the candidate.
    #[must_use]
    pub fn may_judge(&self, candidate: usize) -> bool {
        self.barred != Some(candidate)
    }

    /// The ballot's Borda score for a candidate; none where it cannot compare it with another.
    fn borda(&self, candidate: usize) -> Option<f64> {
        let eligible = count(self.eligible());
        let place = self.full(candidate).filter(|_| self.eligible() > 1)?;
        Some((eligible - place) / (eligible - 1.0))
    }

    /// Whether the ballot puts `a` before `b`.
    fn prefers(&self, a: usize, b: usize) -> bool {
        matches!((self.full(a), self.full(b)), (Some(a), Some(b)) if a < b)
    }

    fn is_first(&self, candidate: usize) -> bool {
        let best = self.of.iter().flatten().copied().min_by(f64::total_cmp);
        best.is_some() && self.of[candidate] == best
    }

    /// The part of this ballot's vote for the first place: tied ones share it.
    #[must_use]
    pub fn first_place_share(&self, candidate: usize) -> f64 {
        let firsts = (0..self.of.len()).filter(|one| self.is_first(*one)).count();
        if self.is_first(candidate) { 1.0 / count(firsts) } else { 0.0 }
    }
}

/// The mean of the `tied` places that follow the first `taken`.
fn mean_place(taken: usize, tied: usize) -> f64 {
    count(taken) + (count(tied) + 1.0) / 2.0
}

/// A small number of things as a float.
#[must_use]
pub fn count(things: usize) -> f64 {
    u32::try_from(things).map_or(f64::MAX, f64::from)
}

/// The mean of some values; `None` without values.
#[must_use]
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / count(values.len()))
}

/// The mean of a candidate's places over the ballots that place it.
#[must_use]
pub fn average_rank(ballots: &[Places], candidate: usize) -> Option<f64> {
    let places: Vec<f64> = ballots.iter().filter_map(|ballot| ballot.of[candidate]).collect();
    mean(&places)
}

/// The mean of a candidate's places, each ballot counting by its weight. `None` also when all weights are 0.
#[must_use]
pub fn weighted_average_rank(ballots: &[Places], candidate: usize) -> Option<f64> {
    weighted_mean(
        ballots.iter().filter_map(|ballot| ballot.of[candidate].map(|place| (place, ballot.weight))),
    )
}

fn weighted_mean(values: impl Iterator<Item = (f64, f64)>) -> Option<f64> {
    let (sum, weights) = values
        .fold((0.0, 0.0), |(sum, weights), (value, weight)| (value.mul_add(weight, sum), weights + weight));
    (weights > 0.0).then(|| sum / weights)
}

/// Mean normalised Borda score: on each ballot 1 for the first of those it may judge, 0 for the
/// last, in even steps; answers left out share the last places. Normalising makes ballots over n
/// and over n-1 answers comparable (de Borda, 1781; tied places as in Kendall, 1945).
#[must_use]
pub fn borda(ballots: &[Places], candidate: usize) -> Option<f64> {
    let scores: Vec<f64> = ballots.iter().filter_map(|ballot| ballot.borda(candidate)).collect();
    mean(&scores)
}

/// The mean of a candidate's Borda scores, each ballot counting by its weight. `None` also when all weights are 0.
#[must_use]
pub fn weighted_borda(ballots: &[Places], candidate: usize) -> Option<f64> {
    weighted_mean(
        ballots.iter().filter_map(|ballot| ballot.borda(candidate).map(|score| (score, ballot.weight))),
    )
}

/// Ballots that put `a` before `b`, minus those that put `b` before `a`.
fn margin(ballots: &[Places], a: usize, b: usize) -> i64 {
    ballots.iter().map(|ballot| i64::from(ballot.prefers(a, b)) - i64::from(ballot.prefers(b, a))).sum()
}

/// The candidate that more ballots put before than behind, against every other one (Condorcet,
/// 1785). Often there is none.
#[must_use]
pub fn condorcet_winner(ballots: &[Places], candidates: usize) -> Option<usize> {
    (0..candidates).find(|a| (0..candidates).all(|b| *a == b || margin(ballots, *a, b) > 0))
}

/// The most candidates for which the Kemeny order is searched: 7! = 5040 orders.
pub const KEMENY_LIMIT: usize = 7;

/// The orders that contradict the fewest pairwise preferences (Kemeny, 1959).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Kemeny {
    /// The first of the best orders; empty beyond [`KEMENY_LIMIT`] candidates.
    pub order: Vec<usize>,
    /// The candidate that all of the best orders begin with.
    pub leader: Option<usize>,
}

/// Searches all orders.
#[must_use]
pub fn kemeny(ballots: &[Places], candidates: usize) -> Kemeny {
    if candidates == 0 || candidates > KEMENY_LIMIT {
        return Kemeny::default();
    }
    let margins: Vec<Vec<i64>> =
        (0..candidates).map(|a| (0..candidates).map(|b| margin(ballots, a, b)).collect()).collect();
    let mut search = Search { margins, best: i64::MIN, order: Vec::new(), leaders: Vec::new() };
    search.extend(&mut Vec::with_capacity(candidates), 0);
    let leader = search.order.first().copied().filter(|_| search.leaders.len() == 1);
    Kemeny { order: search.order, leader }
}

struct Search {
    margins: Vec<Vec<i64>>,
    best: i64,
    order: Vec<usize>,
    leaders: Vec<usize>,
}

impl Search {
    fn extend(&mut self, begun: &mut Vec<usize>, score: i64) {
        let candidates = self.margins.len();
        if begun.len() == candidates {
            if score > self.best {
                self.best = score;
                self.order.clone_from(begun);
                self.leaders.clear();
            }
            if score == self.best && !self.leaders.contains(&begun[0]) {
                self.leaders.push(begun[0]);
            }
            return;
        }
        for next in 0..candidates {
            if begun.contains(&next) {
                continue;
            }
            let gain: i64 = (0..candidates)
                .filter(|one| *one != next && !begun.contains(one))
                .map(|b| self.margins[next][b])
                .sum();
            begun.push(next);
            self.extend(begun, score + gain);
            begun.pop();
        }
    }
}

#[cfg(test)]
#[path = "methods_tests.rs"]
mod tests;
