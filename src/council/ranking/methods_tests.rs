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
    let one =
        (Just(order).prop_shuffle(), 0..=candidates, any::<bool>()).prop_map(move |(order, kept, tie)| {
            let mut tiers: Vec<Vec<usize>> = order[..kept].iter().map(|one| vec![*one]).collect();
            if tie && kept > 1 {
                let last = tiers.pop().unwrap();
                tiers.last_mut().unwrap().extend(last);
            }
            Places::new(candidates, &tiers, None, 1.0)
        });
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
