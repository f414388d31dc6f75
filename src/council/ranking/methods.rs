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

/// The mean of some values; none of no values.
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

/// The same, each ballot counting by its weight. None also when all weights are 0.
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

/// The same, each ballot counting by its weight. None also when all weights are 0.
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
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// `"201"`: candidate 2 first, then 0, then 1; `"2(01)"`: 0 and 1 tied.
    fn ballot(candidates: usize, text: &str, barred: Option<usize>) -> Places {
        let mut tiers: Vec<Vec<usize>> = Vec::new();
        let mut tied = false;
        for c in text.chars() {
            match c {
                '(' => {
                    tiers.push(Vec::new());
                    tied = true;
                }
                ')' => tied = false,
                digit if tied => tiers.last_mut().unwrap().push(digit.to_digit(10).unwrap() as usize),
                digit => tiers.push(vec![digit.to_digit(10).unwrap() as usize]),
            }
        }
        Places::new(candidates, &tiers, barred, 1.0)
    }

    fn close(a: Option<f64>, b: f64) {
        assert!((a.unwrap() - b).abs() < 1e-9, "{a:?} is not {b}");
    }

    #[test]
    fn tied_answers_share_the_mean_of_their_places() {
        assert_eq!(ballot(4, "0(12)3", None).of, [Some(1.0), Some(2.5), Some(2.5), Some(4.0)]);
        assert_eq!(ballot(3, "(012)", None).of, [Some(2.0); 3]);
    }

    #[test]
    fn the_barred_answer_gives_up_its_place() {
        assert_eq!(ballot(3, "201", Some(2)).of, [Some(1.0), Some(2.0), None]);
        assert_eq!(ballot(3, "(20)1", Some(2)).of, [Some(1.0), Some(2.0), None]);
    }

    #[test]
    fn borda_gives_one_to_the_first_and_nothing_to_the_last() {
        let ballots = [ballot(3, "012", None), ballot(3, "102", None)];
        close(borda(&ballots, 0), 0.75);
        close(borda(&ballots, 1), 0.75);
        close(borda(&ballots, 2), 0.0);
    }

    #[test]
    fn answers_left_out_of_a_ballot_share_its_last_places() {
        // Of four, 1 and 2 are left out: places 3 and 4, so 3.5 each: (4 - 3.5) / 3.
        let ballots = [ballot(4, "03", None)];
        close(borda(&ballots, 1), 1.0 / 6.0);
        close(borda(&ballots, 2), 1.0 / 6.0);
        assert_eq!(average_rank(&ballots, 1), None, "an average is of places that were given");
    }

    #[test]
    fn a_tie_for_the_first_place_shares_the_vote() {
        let one = ballot(3, "(01)2", None);
        close(Some(one.first_place_share(0)), 0.5);
        close(Some(one.first_place_share(2)), 0.0);
    }

    #[test]
    fn a_weight_moves_the_weighted_average_only() {
        let mut ballots = [ballot(2, "01", None), ballot(2, "10", None)];
        ballots[0].weight = 3.0;
        close(average_rank(&ballots, 0), 1.5);
        close(weighted_average_rank(&ballots, 0), 1.25);
    }

    #[test]
    fn borda_and_condorcet_can_part() {
        // Five voters: three say 0 1 2, two say 1 2 0. Borda: 0 has 3·1, 1 has 3·½ + 2·1 = 3.5 of 5.
        let mut ballots = vec![ballot(3, "012", None); 3];
        ballots.extend(vec![ballot(3, "120", None); 2]);
        assert!(borda(&ballots, 1) > borda(&ballots, 0));
        assert_eq!(condorcet_winner(&ballots, 3), Some(0));
        assert_eq!(kemeny(&ballots, 3).order, [0, 1, 2]);
    }

    #[test]
    fn a_cycle_has_no_condorcet_winner_and_no_kemeny_leader() {
        let ballots = [ballot(3, "012", None), ballot(3, "120", None), ballot(3, "201", None)];
        assert_eq!(condorcet_winner(&ballots, 3), None);
        assert_eq!(kemeny(&ballots, 3), Kemeny { order: vec![0, 1, 2], leader: None });
    }

    #[test]
    fn eight_candidates_are_not_searched() {
        assert_eq!(kemeny(&[ballot(8, "01234567", None)], 8), Kemeny::default());
    }

    fn ballots(candidates: usize) -> impl Strategy<Value = Vec<Places>> {
        let order: Vec<usize> = (0..candidates).collect();
        let one = (Just(order).prop_shuffle(), 0..=candidates, any::<bool>()).prop_map(
            move |(order, kept, tie)| {
                let mut tiers: Vec<Vec<usize>> = order[..kept].iter().map(|one| vec![*one]).collect();
                if tie && kept > 1 {
                    let last = tiers.pop().unwrap();
                    tiers.last_mut().unwrap().extend(last);
                }
                Places::new(candidates, &tiers, None, 1.0)
            },
        );
        proptest::collection::vec(one, 0..6)
    }

    proptest! {
        #[test]
        fn a_condorcet_winner_leads_every_kemeny_order(ballots in ballots(5)) {
            if let Some(winner) = condorcet_winner(&ballots, 5) {
                prop_assert_eq!(kemeny(&ballots, 5).leader, Some(winner));
            }
        }

        #[test]
        fn scores_stay_in_their_ranges(ballots in ballots(4)) {
            for candidate in 0..4 {
                prop_assert!(borda(&ballots, candidate).is_none_or(|score| (0.0..=1.0).contains(&score)));
                prop_assert!(average_rank(&ballots, candidate).is_none_or(|rank| (1.0..=4.0).contains(&rank)));
            }
            let sum: f64 = (0..4).filter_map(|candidate| borda(&ballots, candidate)).sum();
            prop_assert!(ballots.is_empty() || (sum - 2.0).abs() < 1e-9, "the mean score is a half: {}", sum);
        }
    }
}
