use std::collections::BTreeMap;

use super::*;
use crate::council::ranking::aggregate::AggregateFacts;
use crate::council::ranking::ballots::Correction;
use crate::council::ranking::certainty::Certainty;
use crate::council::ranking::label::Label;
use crate::council::ranking::parse::Parse;
use crate::council::stages::synthesis::Synthesis;

fn answer(member: &str) -> Answer {
    Answer {
        model: format!("m/{member}"),
        member: member.to_owned(),
        response: format!("An answer of {member}."),
        confidence: Some(8),
        ..Answer::default()
    }
}

fn row(member: &str, place: u32) -> AggregateRow {
    AggregateRow {
        model: format!("m/{member}"),
        member: member.to_owned(),
        place,
        average_rank: f64::from(place),
        borda: Some(0.5),
        first_place_votes: 1.0,
        ..AggregateRow::default()
    }
}

/// A reviewer's ballot in labels: `"B AC"`.
fn review(member: &str, order: &str, counts: bool) -> Review {
    let tiers: Vec<Vec<Label>> =
        order.split(' ').map(|tier| tier.chars().filter_map(Label::of_letter).collect()).collect();
    Review {
        model: format!("m/{member}"),
        member: member.to_owned(),
        served_by: None,
        ranking: String::new(),
        parsed_ranking: tiers.concat(),
        tiers,
        parse: Parse::Strict,
        counts,
        repaired: false,
        repair_text: None,
        order_shown: vec![],
        second: None,
        first_tiers: vec![],
        reasoning: None,
        usage: None,
        cost: None,
        latency_ms: None,
        error: None,
        error_kind: None,
        error_fact: None,
    }
}

/// a, b and c answered as Response A, B and C.
fn deliberation(count_self_votes: bool) -> Deliberation {
    let mut whole = Deliberation {
        stage1: Some(["a", "b", "c"].map(answer).to_vec()),
        stage2: Some(vec![review("a", "A B C", true), review("b", "AC B", true), review("c", "C", false)]),
        stage3: Some(Synthesis {
            model: "m/chair".into(),
            response: "All of it.".into(),
            ..Synthesis::default()
        }),
        ..Deliberation::default()
    };
    for (place, member) in ["a", "b", "c"].iter().enumerate() {
        whole.metadata.label_to_member.insert(Label::nth(place), (*member).to_owned());
        whole.metadata.label_to_model.insert(Label::nth(place), format!("m/{member}"));
    }
    whole.metadata.aggregate_rankings = vec![row("a", 1), row("c", 1), row("b", 3)];
    whole.metadata.aggregate = Some(AggregateFacts { count_self_votes, ..AggregateFacts::default() });
    whole
}

fn models(ballot: &Ballot) -> Vec<String> {
    ballot.iter().map(|tier| tier.join("=")).collect()
}

#[test]
fn places_are_those_of_the_headline_and_a_shared_first_place_is_shared() {
    let figures = Figures::of(&deliberation(false)).unwrap();
    let seen: BTreeMap<usize, (u32, f64)> = figures
        .placings
        .iter()
        .map(|placing| (placing.seat, placing.standing.map(|s| (s.place, s.won)).unwrap()))
        .collect();
    assert_eq!(seen, BTreeMap::from([(0, (1, 0.5)), (1, (3, 0.0)), (2, (1, 0.5))]));
    assert_eq!(figures.placings[1].model, "m/b");
    assert_eq!(figures.placings[1].confidence, Some(8));
}

#[test]
fn ballots_are_kept_as_they_were_counted() {
    let without_own = Figures::of(&deliberation(false)).unwrap().ballots;
    assert_eq!(
        without_own.iter().map(models).collect::<Vec<_>>(),
        [["m/b", "m/c"]],
        "b's compares nothing else"
    );
    let with_own = Figures::of(&deliberation(true)).unwrap().ballots;
    assert_eq!(
        with_own.iter().map(models).collect::<Vec<_>>(),
        [vec!["m/a", "m/b", "m/c"], vec!["m/a=m/c", "m/b"]],
        "c's does not count"
    );
}

/// Computed by hand: a's own answer, first on its ballot, moves by 1½ places, or by 2 where only the order matters.
#[test]
fn a_corrected_own_vote_is_kept_where_it_counts() {
    let mut run = deliberation(true);
    run.metadata.aggregate.as_mut().unwrap().corrections = vec![Correction {
        member: "a".into(),
        model: "m/a".into(),
        place: 1.0,
        counted_place: 2.5,
        preference: 1.5,
        ballots: 30,
        others_ballots: 0,
    }];
    let ballots = Figures::of(&run).unwrap().ballots;
    assert_eq!(
        ballots.iter().map(models).collect::<Vec<_>>(),
        [vec!["m/b", "m/a=m/c"], vec!["m/a=m/c", "m/b"]]
    );
}

#[test]
fn every_counted_ballot_leaves_its_leanings() {
    let mut run = deliberation(true);
    for review in run.stage2.as_mut().unwrap() {
        review.order_shown = ['A', 'B', 'C'].iter().filter_map(|c| Label::of_letter(*c)).collect();
    }
    run.metadata.aggregate.as_mut().unwrap().certainty =
        Some(Certainty { uncalibrated: 0.4, ..Certainty::default() });
    let figures = Figures::of(&run).unwrap();
    let own: Vec<(&str, Option<f64>)> =
        figures.leanings.iter().map(|(model, leanings)| (model.as_str(), leanings.own)).collect();
    // a puts itself first (0), and b puts it level with c on the first two places (¼); b puts itself last, and a puts
    // it second.
    assert_eq!(own, [("m/a", Some(0.25)), ("m/b", Some(-0.5))], "c's ballot does not count");
    assert_eq!(figures.first_is_best, Some(0.4));
    assert!(figures.correlations.is_some_and(|of| (of.reading - 1.0).abs() < 1e-9));
}

#[test]
fn a_failed_answer_is_no_placing_and_a_late_one_has_no_place() {
    let mut run = deliberation(false);
    let answers = run.stage1.as_mut().unwrap();
    answers[0].error = Some("down".into());
    answers.push(Answer { late: true, ..answer("d") });
    let figures = Figures::of(&run).unwrap();
    let seats: Vec<(usize, bool)> =
        figures.placings.iter().map(|placing| (placing.seat, placing.standing.is_some())).collect();
    assert_eq!(seats, [(1, true), (2, true), (3, false)]);
}

#[test]
fn the_writer_is_who_wrote_not_who_was_asked_or_taken_over() {
    let chairman = |run: &Deliberation| {
        let figures = Figures::of(run).unwrap();
        (figures.chairman, figures.stood_in)
    };
    let mut run = deliberation(false);
    assert_eq!(chairman(&run), (Some("m/chair".into()), false));
    run.stage3.as_mut().unwrap().fallback_for = Some("m/other".into());
    assert_eq!(chairman(&run), (Some("m/chair".into()), true));
    run.stage3.as_mut().unwrap().error = Some("down".into());
    assert_eq!(chairman(&run), (None, false));
    let taken = answer("a");
    run.stage3 = Some(Synthesis { model: taken.model, response: taken.response, ..Synthesis::default() });
    assert_eq!(chairman(&run), (None, false), "nobody wrote it anew");
    run.stage3 = None;
    assert_eq!(chairman(&run), (None, false));
}

#[test]
fn whoever_put_the_parts_of_a_question_together_wrote() {
    let run = Deliberation { stage3: deliberation(false).stage3, ..Deliberation::default() };
    let figures = Figures::of(&run).unwrap();
    assert_eq!((figures.chairman.as_deref(), figures.placings.len()), (Some("m/chair"), 0));
}

#[test]
fn a_run_without_an_answer_has_no_figures() {
    assert_eq!(Figures::of(&Deliberation::default()), None);
    let failed = Answer { error: Some("down".into()), ..answer("a") };
    let run = Deliberation { stage1: Some(vec![failed]), ..Deliberation::default() };
    assert_eq!(Figures::of(&run), None);
}

#[test]
fn a_ranking_of_a_version_that_did_not_say_places_is_no_ranking() {
    let mut run = deliberation(false);
    run.metadata.aggregate_rankings = vec![row("a", 0), row("b", 0)];
    assert!(Figures::of(&run).unwrap().placings.iter().all(|placing| placing.standing.is_none()));
}
