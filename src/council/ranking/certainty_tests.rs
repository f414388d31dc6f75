use proptest::prelude::*;

use super::*;

fn evidence<'a>(places: &'a [f64], weights: &'a [f64]) -> Evidence<'a> {
    Evidence { places, weights, correlations: None, position_effect: 0.0 }
}

/// Worked by hand. Two answers, one ballot, reviewers that correlate by the prior of 0.3: places 0 and 1 have the variance
/// (2+1)/(12·1) = 0.25. Quality ⅔·0.3·0.25 = 0.05; shared error 0.025; own 0.7·0.25 = 0.175; the mean place errs by
/// 0.2. Shrunk by 0.05/0.25 = 0.2, the difference of 1 is one of 0.2 with a standard deviation of √(0.2·0.2) = 0.2 for
/// each answer: Φ(0.2 / (0.2·√2)) = Φ(0.7071) = 0.7602.
#[test]
fn one_ballot_over_two_answers() {
    let certainty = certainty(&evidence(&[0.0, 1.0], &[1.0]), &ReviewerRecords::default()).unwrap();
    assert!((certainty.first_is_best - 0.76).abs() < 1e-12, "{certainty:?}");
    assert_eq!(certainty.verdict, Verdict::Clear);
    assert!((certainty.worth - 1.0).abs() < 1e-12);
    assert_eq!(certainty.explanation, "One ballot; clear: 76 % that the first answer is the best.");
}

/// Worked by hand. With an agreement of 0.3 errors correlate by 0.1 / (0.1 + 0.7) = 0.125: four ballots are worth
/// 4 / (1 + 3·0.125) = 2.9.
#[test]
fn four_ballots_are_worth_less_than_four() {
    let certainty =
        certainty(&evidence(&[0.2, 0.4, 0.6, 0.8], &[1.0; 4]), &ReviewerRecords::default()).unwrap();
    assert!((certainty.worth - 2.9).abs() < 1e-12, "{certainty:?}");
    let (ballots, agreement) = (certainty.ballots, certainty.agreement);
    assert_eq!((ballots, agreement.to_bits()), (4, 0.3_f64.to_bits()));
}

/// Worked by hand. Weights 2, 1 and 1 are (2+1+1)² / (4+1+1) = 2.67 equal ones: 2.67 / (1 + 1.67·0.125) = 2.2.
#[test]
fn a_heavy_ballot_makes_the_others_worth_less() {
    let certainty =
        certainty(&evidence(&[0.2, 0.5, 0.8], &[2.0, 1.0, 1.0]), &ReviewerRecords::default()).unwrap();
    assert!((certainty.worth - 2.2).abs() < 1e-12, "{certainty:?}");
}

#[test]
fn nothing_to_compare_is_no_certainty() {
    let records = ReviewerRecords::default();
    assert_eq!(certainty(&evidence(&[0.0], &[1.0]), &records), None);
    assert_eq!(certainty(&evidence(&[0.0, 1.0], &[]), &records), None);
    assert_eq!(certainty(&evidence(&[0.0, 1.0], &[0.0]), &records), None);
}

#[test]
fn a_shared_first_place_is_as_likely_as_chance_among_those_that_share_it() {
    let shared = certainty(&evidence(&[0.0, 0.0], &[1.0; 2]), &ReviewerRecords::default()).unwrap();
    assert!((shared.first_is_best - 0.5).abs() < 1e-12);
    let seven = certainty(&evidence(&[0.5; 7], &[1.0; 7]), &ReviewerRecords::default()).unwrap();
    assert!((seven.first_is_best - 0.14).abs() < 1e-12);
    assert_eq!(seven.verdict, Verdict::CloseCall);
}

/// Reviewers who read in mirrored orders and only see positions contradict each other; that says nothing of how far they
/// agree about answers.
#[test]
fn what_comes_of_the_order_of_reading_is_no_disagreement() {
    let correlations = Some(Correlations { ballots: -0.2, reading: -0.333 });
    let one = Evidence { correlations, ..evidence(&[0.2, 0.4, 0.6, 0.8], &[1.0; 4]) };
    let records = ReviewerRecords::default();
    let blind = agreement(&one, &records);
    let seeing = agreement(&Evidence { position_effect: 0.5, ..one }, &records);
    assert!(seeing > blind, "{seeing} {blind}");
}

/// Worked by hand for one pick at 0.5: the offset x solves 4x = 1 - σ(x): x = 0.1179.
#[test]
fn people_s_picks_move_the_probabilities() {
    assert!(calibration(&[]).abs() < 1e-12);
    assert!((calibration(&[(0.5, true)]) - 0.117_9).abs() < 1e-3);
    let always = calibration(&vec![(0.5, true); 400]);
    let never = calibration(&vec![(0.5, false); 400]);
    assert!(always > 2.0 && (always + never).abs() < 1e-9);
    let records = ReviewerRecords {
        picks: super::super::records::Picks { count: 400, offset: always },
        ..ReviewerRecords::default()
    };
    let plain = certainty(&evidence(&[0.2, 0.8], &[1.0; 2]), &ReviewerRecords::default()).unwrap();
    let calibrated = certainty(&evidence(&[0.2, 0.8], &[1.0; 2]), &records).unwrap();
    assert!(calibrated.first_is_best > plain.first_is_best);
    assert_eq!(calibrated.uncalibrated.to_bits(), plain.first_is_best.to_bits());
}

/// Pearson by hand: (1,2,3) and (1,3,2): covariance 1, both variances 2: ½.
#[test]
fn correlations_are_pearsons() {
    assert!((correlation(&[1.0, 2.0, 3.0], &[1.0, 3.0, 2.0]).unwrap() - 0.5).abs() < 1e-12);
    assert_eq!(correlation(&[1.0, 1.0], &[1.0, 2.0]), None);
    assert_eq!(correlation(&[], &[]), None);
}

proptest! {
    /// Whatever the places, weights and records: a probability, and never more worth than there are ballots.
    #[test]
    fn a_certainty_is_a_probability(
        places in proptest::collection::vec(0.0_f64..=1.0, 2..8),
        weights in proptest::collection::vec(0.3_f64..2.5, 1..15),
        seen in proptest::option::of((-1.0_f64..=1.0, -1.0_f64..=1.0)),
        effect in -0.9_f64..0.9,
        offset in -3.0_f64..3.0,
    ) {
        let mut places = places;
        places.sort_by(f64::total_cmp);
        let correlations = seen.map(|(ballots, reading)| Correlations { ballots, reading });
        let evidence = Evidence { places: &places, weights: &weights, correlations, position_effect: effect };
        let picks = super::super::records::Picks { count: 1, offset };
        let said = certainty(&evidence, &ReviewerRecords { picks, ..ReviewerRecords::default() }).unwrap();
        prop_assert!((0.0..=1.0).contains(&said.first_is_best), "{said:?}");
        prop_assert!(said.worth > 0.0 && said.worth <= f64::from(said.ballots) + 0.05, "{said:?}");
        // The first is at least as likely as chance.
        prop_assert!(said.uncalibrated + 0.006 >= 1.0 / count(places.len()), "{said:?}");
    }
}
