use super::*;
use crate::bench::outcome::MemberOutcome;

use Verdict::{Correct, Failed, Ungraded, Wrong};

fn outcome(verdict: Verdict, members: &[(&str, Verdict)], usd: f64) -> Outcome {
    let member = |(name, verdict): &(&str, Verdict)| MemberOutcome {
        member: (*name).to_owned(),
        model: format!("m/{name}"),
        verdict: *verdict,
        cost_usd: Some(usd / 10.0),
    };
    Outcome {
        verdict,
        run: None,
        ending: String::new(),
        error: None,
        spent: Spent { usd, calls: 5, unpriced_calls: 0 },
        time_ms: 1000,
        grading: Spent::default(),
        members: members.iter().map(member).collect(),
    }
}

fn report(outcomes: Vec<Outcome>) -> Report {
    let frame = Frame {
        name: "b".into(),
        status: Status::Complete,
        questions: 5,
        max_cost_usd: 1.0,
        simulated: false,
        variants: vec![("council".into(), VariantKind::Council)],
    };
    let outcomes = outcomes.into_iter().enumerate().map(|(at, outcome)| ((at, 0), outcome)).collect();
    Report::new(frame, &outcomes)
}

#[test]
fn a_council_stands_beside_its_best_member_over_the_same_questions() {
    let row = report(vec![
        outcome(Correct, &[("a", Correct), ("b", Wrong)], 0.1),
        outcome(Correct, &[("a", Wrong), ("b", Wrong)], 0.1),
        outcome(Wrong, &[("a", Correct), ("b", Correct)], 0.1),
        outcome(Correct, &[("a", Wrong), ("b", Correct)], 0.1),
        outcome(Correct, &[("a", Correct), ("b", Wrong)], 0.1),
    ]);
    let row = &row.variants[0];
    assert_eq!((row.score.right, row.score.counted), (4, 5));
    assert_eq!(row.members.iter().map(|row| row.score.right).collect::<Vec<_>>(), [3, 2]);
    let best = row.against_best.as_ref().unwrap();
    assert_eq!((best.member.as_str(), best.only_council, best.only_member), ("a", 2, 1));
    assert!((best.difference.unwrap().value - 0.2).abs() < 1e-12);
    let missed = row.all_missed.as_ref().unwrap();
    assert_eq!((missed.questions, missed.of, missed.council_right), (1, 5, 1));
    assert!((row.right_per_usd.unwrap() - 8.0).abs() < 1e-9);
}

#[test]
fn what_nobody_could_grade_counts_for_nothing_and_what_did_not_come_is_wrong() {
    let report = report(vec![
        outcome(Ungraded, &[("a", Ungraded)], 0.1),
        outcome(Failed, &[("a", Failed)], 0.1),
        outcome(Correct, &[("a", Correct)], 0.1),
    ]);
    let row = &report.variants[0];
    assert_eq!((row.done, row.score.counted, row.score.right, row.score.failed), (3, 2, 1, 1));
    assert_eq!(report.done, 3);
    assert_eq!(row.all_missed.as_ref().unwrap().of, 2);
}

#[test]
fn a_member_that_sat_in_few_runs_is_not_the_best() {
    let report = report(vec![
        outcome(Correct, &[("a", Correct), ("b", Correct)], 0.1),
        outcome(Correct, &[("a", Wrong), ("c", Correct)], 0.1),
        outcome(Correct, &[("a", Wrong), ("c", Correct)], 0.1),
    ]);
    assert_eq!(report.variants[0].against_best.as_ref().unwrap().member, "a");
}

#[test]
fn an_unpriced_call_leaves_the_price_of_a_right_answer_open() {
    let mut unpriced = outcome(Correct, &[], 0.1);
    unpriced.spent.unpriced_calls = 1;
    let report = report(vec![unpriced]);
    assert_eq!(report.variants[0].right_per_usd, None);
    assert_eq!(report.variants[0].all_missed, None);
}
