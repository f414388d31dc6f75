use proptest::prelude::*;

use super::*;

/// `ballot("a bc d")`: a first, b and c tied.
fn ballot(text: &str) -> Ballot {
    text.split(' ').map(|tier| tier.chars().map(|c| c.to_string()).collect()).collect()
}

fn tally(runs: &[(&[&str], usize)]) -> Tally {
    let mut tally = Tally::default();
    for (ballots, times) in runs {
        let ballots: Vec<Ballot> = ballots.iter().map(|text| ballot(text)).collect();
        (0..*times).for_each(|_| tally.add(&ballots));
    }
    tally
}

/// A table of wins: `(winner, loser, times)`.
fn wins(models: usize, games: &[(usize, usize, f64)]) -> Wins {
    let games: Vec<Game> = games
        .iter()
        .map(|(above, below, times)| Game { above: *above, below: *below, times: *times })
        .collect();
    Wins::of(models, [(games.as_slice(), 1.0)].into_iter())
}

#[track_caller]
fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-4, "{found} is not {expected}");
}

/// How many times as strong the first is as the second, by what was seen alone: a millionth of an imagined game only
/// fixes the origin of the scale.
fn ratio(wins: &Wins, first: usize, second: usize) -> f64 {
    let strengths = strengths(wins, 1e-6);
    (strengths[first] - strengths[second]).exp()
}

/// Worked by hand: the most likely strengths explain the wins that were seen.
#[test]
fn strengths_are_those_that_make_the_wins_most_likely() {
    // 3 of 4: three times as strong.
    close(ratio(&wins(2, &[(0, 1, 3.0), (1, 0, 1.0)]), 0, 1), 3.0);
    // 4 : 2 : 1 expects 20 of 30, 24 of 30 and 20 of 30.
    let games = [(0, 1, 20.0), (1, 0, 10.0), (0, 2, 24.0), (2, 0, 6.0), (1, 2, 20.0), (2, 1, 10.0)];
    close(ratio(&wins(3, &games), 0, 2), 4.0);
    close(ratio(&wins(3, &games), 1, 2), 2.0);
    // A circle: all alike.
    let circle = wins(3, &[(0, 1, 5.0), (1, 2, 5.0), (2, 0, 5.0)]);
    close(ratio(&circle, 0, 2), 1.0);
    close(ratio(&circle, 1, 2), 1.0);
    // Strength carries over: a and c never met. a beats b 2:1, b beats c 2:1, so a is to c as 4:1.
    let chain = wins(3, &[(0, 1, 2.0), (1, 0, 1.0), (1, 2, 2.0), (2, 1, 1.0)]);
    close(ratio(&chain, 0, 2), 4.0);
}

/// Worked by hand: a has won the only game, so p(b) = 1/p(a) = 1/p, and a's wins, the drawn game among
/// them, are as many as expected: 1 + ½ = p²/(p²+1) + p/(p+1), which p = 2.1304 solves.
#[test]
fn a_model_that_has_never_lost_is_not_infinitely_strong() {
    let found = strengths(&wins(2, &[(0, 1, 1.0)]), 1.0);
    close(found[0].exp(), 2.130_395);
    close(found[1].exp(), 1.0 / 2.130_395);
    close(strengths(&wins(1, &[]), 1.0)[0], 0.0);
    // Nor after a thousand wins: 1000½ = 1000 p²/(p²+1) + p/(p+1) at about p = 45.7.
    let sure = strengths(&wins(2, &[(0, 1, 1000.0)]), 1.0)[0].exp();
    close(1000.0 * sure * sure / (sure * sure + 1.0) + sure / (sure + 1.0), 1000.5);
}

/// Two groups that never met, each with a thousand games inside: each is average as a whole, as if the
/// other one were not there.
#[test]
fn groups_that_never_met_are_each_average() {
    let apart = |x: usize, y: usize| [(x, y, 900_000.0), (y, x, 100_000.0)];
    let games: Vec<_> = apart(0, 1).into_iter().chain(apart(2, 3)).collect();
    let found = strengths(&wins(4, &games), 1.0);
    close(found[0], 3f64.ln());
    close(found[1], -(3f64.ln()));
    close(found[2], 3f64.ln());
    close(found[3], -(3f64.ln()));
}

#[test]
fn ballots_become_comparisons_of_each_with_each() {
    // a above b and c, which tie; then c above b above a, in one run.
    let tally = tally(&[(&["a bc", "c b a"], 1)]);
    let board = tally.leaderboard(0, 1);
    let seen: Vec<_> = board.iter().map(|r| (r.model.as_str(), r.comparisons, r.wins, r.runs)).collect();
    // c: half of (b) + 2 of the second ballot; a: 2 of the first; b: half of (c) + 1 over a.
    assert_eq!(seen, [("c", 4, 2.5, 1), ("a", 4, 2.0, 1), ("b", 4, 1.5, 1)]);
    assert!((board[0].low - board[0].rating).abs() < 1e-12, "without draws there is no interval");
}

#[test]
fn a_model_that_sits_twice_is_not_compared_with_itself() {
    let twice = tally(&[(&["a a"], 3)]);
    assert_eq!((twice.runs(), twice.leaderboard(10, 1)), (0, vec![]));
    let board = tally(&[(&["a b a"], 1)]).leaderboard(0, 1);
    assert_eq!(board.iter().map(|r| (r.comparisons, r.wins)).collect::<Vec<_>>(), [(2, 1.0), (2, 1.0)]);
}

#[test]
fn ballots_without_a_comparison_say_nothing() {
    let mut tally = Tally::default();
    tally.add(&[]);
    tally.add(&[vec![], vec![vec![]], ballot("a")]);
    assert_eq!((tally.runs(), tally.leaderboard(20, 1)), (0, vec![]));
}

#[test]
fn ten_times_as_strong_is_four_hundred_more() {
    let games = [(0, 1, 10_000_000.0), (1, 0, 1_000_000.0)];
    let ratings = ratings(&wins(2, &games), 1.0);
    assert!((ratings[0] - ratings[1] - 400.0).abs() < 0.01, "{ratings:?}");
    assert!((ratings[0] + ratings[1] - 2.0 * AVERAGE).abs() < 0.01, "around the average: {ratings:?}");
}

#[test]
fn intervals_hold_the_rating_shrink_with_more_runs_and_are_the_same_each_time() {
    let few = tally(&[(&["a b"], 6), (&["b a"], 4)]);
    let many = tally(&[(&["a b"], 600), (&["b a"], 400)]);
    let (small, large) = (few.leaderboard(200, 7), many.leaderboard(200, 7));
    assert_eq!(small, few.leaderboard(200, 7));
    for board in [&small, &large] {
        assert_eq!(board[0].model, "a");
        assert!(board.iter().all(|r| r.low < r.rating && r.rating < r.high), "{board:?}");
    }
    let width = |board: &[Rated]| board[0].high - board[0].low;
    assert!(width(&large) * 4.0 < width(&small), "{small:?} {large:?}");
    assert!(small[0].low < AVERAGE && large[0].low > AVERAGE, "ten runs prove nothing, a thousand do");
}

/// A run is drawn whole: a hundred ballots of one run are no more evidence than one.
#[test]
fn a_run_with_many_ballots_is_still_one_run() {
    let ballots = vec!["a b"; 100];
    let board = tally(&[(&ballots, 1), (&["b a"], 1)]).leaderboard(200, 3);
    assert!(board[0].low < AVERAGE, "draws in which only the other run counts: {board:?}");
}

proptest! {
    /// What the most likely strengths expect is what was seen, whatever was seen.
    #[test]
    fn expected_wins_are_the_wins_seen(games in proptest::collection::vec((0usize..5, 0usize..5, 1u32..100_000), 1..20)) {
        let games: Vec<(usize, usize, f64)> =
            games.into_iter().filter(|(a, b, _)| a != b).map(|(a, b, times)| (a, b, f64::from(times))).collect();
        let wins = wins(5, &games);
        let found = strengths(&wins, 1.0);
        for i in 0..5 {
            let others = (0..5).filter(|j| *j != i);
            let seen: f64 = others.clone().map(|j| wins.above(i, j)).sum::<f64>() + 0.5;
            let met = |j: usize| wins.above(i, j) + wins.above(j, i);
            let expected = others.map(|j| met(j) * chance(found[i], found[j])).sum::<f64>() + chance(found[i], 0.0);
            prop_assert!((seen - expected).abs() < 1e-5, "{seen} {expected} {found:?}");
        }
    }
}
