use proptest::prelude::*;

use super::*;

fn record(runs: u32, win_rate: f64, rank: Option<f64>, confidence: Option<f64>) -> Record {
    Record { runs, win_rate, average_rank: rank, average_confidence: confidence }
}

fn weighing(records: &[(&str, Record)]) -> Weighing {
    Weighing { records: records.iter().map(|(model, record)| ((*model).to_owned(), *record)).collect() }
}

fn close(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-9, "{a} is not {b}");
}

/// Worked by hand: 1.0 + (win_rate/100)·1.5 + (1/average_rank)·0.5 + ((confidence−1)/9)·0.1.
#[test]
fn the_formula_is_that_of_the_specification() {
    for (record, raw, weight) in [
        // 1.0 + 0.5·1.5 + (1/2)·0.5 + (7/9)·0.1 = 1.0 + 0.75 + 0.25 + 0.0778
        (record(10, 50.0, Some(2.0), Some(8.0)), 2.0778, 2.0778),
        // 1.0 + 0 + (1/4)·0.5 + (0/9)·0.1 = 1.125
        (record(2, 0.0, Some(4.0), Some(1.0)), 1.125, 1.125),
        // 1.0 + 0.25·1.5 + (1/2.5)·0.5 + (4.5/9)·0.1 = 1.0 + 0.375 + 0.2 + 0.05
        (record(8, 25.0, Some(2.5), Some(5.5)), 1.625, 1.625),
        // The best there is: 1.0 + 1.5 + 0.5 + 0.1 = 3.1, at most 2.5.
        (record(3, 100.0, Some(1.0), Some(10.0)), 3.1, 2.5),
        // Never said how sure it was: 1.0 + 0.3 + 0.25.
        (record(5, 20.0, Some(2.0), None), 1.55, 1.55),
        // One run says too little, whatever it says.
        (record(1, 100.0, Some(1.0), Some(10.0)), 1.0, 1.0),
        (record(0, 0.0, None, None), 1.0, 1.0),
    ] {
        let one = weighing(&[("m", record)]).one("m");
        close(one.raw_weight, raw);
        close(one.weight, weight);
        assert_eq!(one.has_history, record.runs >= 2);
    }
}

#[test]
fn the_weights_of_the_participants_average_one() {
    let weighing = weighing(&[
        // 1.0 + 1.5 + 0.5 = 3.0, at most 2.5.
        ("strong", record(9, 100.0, Some(1.0), None)),
        // 1.0 + 0 + 0.125 = 1.125.
        ("weak", record(9, 0.0, Some(4.0), None)),
        ("not asked", record(9, 100.0, Some(1.0), None)),
    ]);
    // (2.5 + 1.125 + 1.0) / 3 = 1.541667: 1.6216, 0.7297, 0.6486.
    let info = weighing.weigh(["strong", "weak", "new"]);
    close(info.of("strong"), 1.6216);
    close(info.of("weak"), 0.7297);
    close(info.of("new"), 0.6486);
    close(info.of("not asked"), 1.0);
    assert_eq!((info.models_with_history, info.total_models_tracked), (2, 3));
    close(info.weight_range.min, 1.0);
    close(info.weight_range.max, 2.5);
    assert!(info.has_historical_data);
}

#[test]
fn a_model_on_two_seats_takes_part_twice() {
    // (2.5 + 2.5 + 1.0) / 3 = 2: 1.25 and 0.5.
    let weighing = weighing(&[("strong", record(9, 100.0, Some(1.0), None))]);
    let info = weighing.weigh(["strong", "new", "strong"]);
    close(info.of("strong"), 1.25);
    close(info.of("new"), 0.5);
    assert_eq!(info.weights.len(), 2);
}

#[test]
fn without_records_every_ballot_counts_the_same() {
    let info = Weighing::default().weigh(["a", "b", "c"]);
    assert!(info.weights.values().all(|weight| weight.normalized_weight.to_bits() == 1.0_f64.to_bits()));
    assert!(!info.has_historical_data);
    assert_eq!(
        info.explanation,
        "No model has 2 ranked answers in earlier runs yet: every ballot counts the same."
    );
    assert_eq!(
        info.weights["a"].weight_explanation,
        "1.00: weighed from 2 ranked answers on; it has none yet"
    );
    assert_eq!(Weighing::default().weigh([]).weights.len(), 0);
}

#[test]
fn a_weight_explains_itself() {
    let explained = |record| weighing(&[("m", record)]).one("m").weight_explanation;
    assert_eq!(
        explained(record(10, 50.0, Some(2.0), Some(8.0))),
        "1.00 + 0.75 (first in 50.0 %) + 0.25 (average rank 2.00) + 0.08 (confidence 8.0 of 10) = 2.08"
    );
    assert_eq!(
        explained(record(3, 100.0, Some(1.0), None)),
        "1.00 + 1.50 (first in 100.0 %) + 0.50 (average rank 1.00) = 3.00, at most 2.5"
    );
}

#[test]
fn only_the_records_of_those_who_may_take_part_are_kept() {
    let all = weighing(&[("a", record(2, 0.0, None, None)), ("b", record(3, 0.0, None, None))]).records;
    let kept = Weighing::of(&all, ["b", "c"]);
    assert_eq!(kept.records.keys().collect::<Vec<_>>(), ["b"]);
}

proptest! {
    #[test]
    fn any_records_weigh_within_the_bounds(
        records in prop::collection::vec(
            (0_u32..9, 0.0_f64..=100.0, prop::option::of(0.0_f64..=7.0), prop::option::of(1.0_f64..=10.0)), 1..8)
    ) {
        let names: Vec<String> = (0..records.len()).map(|n| format!("m/{n}")).collect();
        let weighing = Weighing {
            records: names.iter().cloned()
                .zip(records.iter().map(|(runs, wins, rank, sure)| record(*runs, *wins, *rank, *sure)))
                .collect(),
        };
        let info = weighing.weigh(names.iter().map(String::as_str));
        let sum: f64 = info.weights.values().map(|weight| weight.normalized_weight).sum();
        prop_assert!((sum / count(names.len()) - 1.0).abs() < 1e-4);
        for weight in info.weights.values() {
            prop_assert!((0.3..=2.5).contains(&weight.weight));
            prop_assert!(weight.raw_weight.is_finite());
        }
    }
}
