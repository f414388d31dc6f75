use serde_json::json;

use super::*;
use crate::council::Event;
use crate::council::ranking::aggregate::AggregateFacts;
use crate::council::stages::reviews::{Review, ReviewsMetadata};
use crate::llm::ErrorKind;

fn tiers(first: usize) -> Tiers {
    Tiers {
        first: (0..first).map(|nth| Member::plain(format!("a/{nth}"))).collect(),
        second: vec![Member::plain("b/x"), Member::plain("b/y")],
        thresholds: Thresholds {
            confidence_threshold: 6.0,
            min_confidence_threshold: 4,
            agreement_threshold: 0.5,
        },
    }
}

fn answers(scores: &[Option<u8>]) -> Vec<Answer> {
    scores.iter().map(|confidence| Answer { confidence: *confidence, ..Answer::default() }).collect()
}

/// Low average, low lowest.
fn triggered(scores: &[Option<u8>]) -> (bool, bool) {
    let info = EscalationInfo::of(&tiers(scores.len()), &answers(scores));
    let Triggers { low_avg_confidence, low_min_confidence, low_agreement, no_answer } = info.triggers;
    assert!(!low_agreement && !no_answer);
    assert_eq!(info.escalated, low_avg_confidence || low_min_confidence);
    assert_eq!(info.reasons.len(), usize::from(low_avg_confidence) + usize::from(low_min_confidence));
    (low_avg_confidence, low_min_confidence)
}

#[test]
fn confidence_escalates_below_its_thresholds_and_not_on_them() {
    let some = |scores: &[u8]| -> Vec<Option<u8>> { scores.iter().copied().map(Some).collect() };
    for (scores, expected) in [
        // 6.0
        (some(&[6, 6, 6]), (false, false)),
        (some(&[4, 8]), (false, false)),
        // 99 · 6 + 5 = 599, over 100: 5.99
        (some(&[&[6; 99][..], &[5]].concat()), (true, false)),
        // 17 / 3 = 5.67
        (some(&[6, 6, 5]), (true, false)),
        // 6.0, with a 3
        (some(&[3, 9]), (false, true)),
        (some(&[4, 4]), (true, false)),
        (some(&[3, 5]), (true, true)),
        (some(&[10, 10, 10]), (false, false)),
        // Over those who said one: 8, and 5.
        (vec![None, Some(8), None], (false, false)),
        (vec![None, Some(5)], (true, false)),
        // Unknown does not count as low.
        (vec![None, None], (false, false)),
    ] {
        assert_eq!(triggered(&scores), expected, "{scores:?}");
    }
}

#[test]
fn what_was_measured_and_why_is_said() {
    let info = EscalationInfo::of(&tiers(2), &answers(&[Some(3), Some(8)]));
    assert_eq!(
        json!(info),
        json!({
            "escalated": true, "tier1_model_count": 2, "tier2_model_count": 2, "total_model_count": 4,
            "reasons": ["the average confidence 5.5 is below 6", "the lowest confidence 3 is below 4"],
            "reason_facts": [{"code": "low_average", "average": 5.5, "threshold": 6.0},
                             {"code": "low_confidence", "lowest": 3, "threshold": 4}],
            "metrics": {"average_confidence": 5.5, "confidence_threshold": 6.0, "min_confidence": 3,
                        "min_confidence_threshold": 4, "confidence_count": 2, "agreement_ratio": null,
                        "agreement_threshold": 0.5},
            "triggers": {"low_avg_confidence": true, "low_min_confidence": true, "low_agreement": false, "no_answer": false}
        })
    );
    let unknown = EscalationInfo::of(&tiers(2), &answers(&[None, None]));
    assert!(!unknown.escalated && unknown.reasons.is_empty());
    assert_eq!((unknown.metrics.average_confidence, unknown.metrics.confidence_count), (None, 0));
    assert_eq!((unknown.tier2_model_count, unknown.total_model_count), (0, 2));
}

#[test]
fn a_logged_event_is_read_back() {
    let tiers = tiers(2);
    let answers = answers(&[Some(3), None]);
    let info = EscalationInfo::of(&tiers, &answers);
    let metadata = AnswersMetadata {
        aggregate_confidence: answers::summary(&answers),
        escalation_info: Some(Box::new(info.clone())),
    };
    let (models, members) = named(&tiers.second);
    for event in [
        Event::from(EscalationEvent::Tier2Start { models, members, started_at: None }),
        EscalationEvent::Tier1Complete { data: answers, metadata }.into(),
        EscalationEvent::EscalationTriggered { data: Box::new(info) }.into(),
    ] {
        let json = serde_json::to_string(&event).unwrap();
        assert_eq!(Event::read(json.as_bytes()).unwrap(), event, "{json}");
    }
}

#[test]
fn nobody_in_the_first_tier_escalates() {
    let failed =
        Answer { error: Some("down".into()), error_kind: Some(ErrorKind::Overloaded), ..Answer::default() };
    let info = EscalationInfo::of(&tiers(2), &[failed.clone(), failed.clone()]);
    assert!(info.escalated && info.triggers.no_answer);
    assert_eq!(info.reasons, ["no answer: nobody of the first tier could answer"]);
    // One that could answer is enough.
    let one = Answer { confidence: Some(7), ..Answer::default() };
    assert!(!EscalationInfo::of(&tiers(2), &[failed, one]).escalated);
}

/// Ballots as `ABC` or `(AB)C`, each by the author of the answer with this letter; `-` wrote none.
fn reviewed(own_counts: bool, ballots: &[(&str, &str)]) -> Reviewed {
    let label = |letter| Label::of_letter(letter).unwrap();
    let label_to_member: BTreeMap<Label, String> =
        "ABC".chars().map(|letter| (label(letter), letter.to_string())).collect();
    let review = |(member, ballot): &(&str, &str)| -> Review {
        let mut tiers: Vec<Vec<Label>> = Vec::new();
        let mut tied = false;
        for letter in ballot.chars() {
            match letter {
                '(' => {
                    tied = true;
                    tiers.push(Vec::new());
                }
                ')' => tied = false,
                letter if tied => tiers.last_mut().unwrap().push(label(letter)),
                letter => tiers.push(vec![label(letter)]),
            }
        }
        serde_json::from_value(json!({
            "model": member, "member": member, "ranking": "", "parsed_ranking": [], "tiers": tiers,
            "parse": "strict", "counts": !ballot.is_empty(), "order_shown": [],
        }))
        .unwrap()
    };
    let aggregate = AggregateFacts { count_self_votes: own_counts, ..AggregateFacts::default() };
    Reviewed {
        reviews: ballots.iter().map(review).collect(),
        metadata: ReviewsMetadata {
            label_to_member,
            aggregate: Some(aggregate),
            ..ReviewsMetadata::default()
        },
    }
}

#[test]
fn agreement_is_the_share_of_ballots_with_the_most_frequent_first_place() {
    for (own_counts, ballots, expected) in [
        (true, vec![("A", "ABC"), ("B", "ACB"), ("C", "ABC")], Some(1.0)),
        (true, vec![("A", "ABC"), ("B", "BCA"), ("C", "CAB")], Some(1.0 / 3.0)),
        (true, vec![("A", "ABC"), ("B", "BAC"), ("-", "ACB"), ("-", "BAC")], Some(0.5)),
        // Ties share the vote: A has 1/2 + 1/2 + 1 of 3, and 3 · 1/3 of 3.
        (true, vec![("A", "(AB)C"), ("B", "(AC)B"), ("C", "ABC")], Some(2.0 / 3.0)),
        (true, vec![("A", "(ABC)"), ("B", "(ABC)"), ("C", "(ABC)")], Some(1.0 / 3.0)),
        // Whoever abstained is not counted.
        (true, vec![("A", "ABC"), ("B", ""), ("C", "ABC")], Some(1.0)),
        (true, vec![("A", ""), ("B", "")], None),
        (true, vec![], None),
        // Without their own: B, A, A.
        (false, vec![("A", "ABC"), ("B", "BAC"), ("C", "CAB")], Some(2.0 / 3.0)),
        // Without their own: B, C, A.
        (false, vec![("A", "ABC"), ("B", "BCA"), ("C", "CAB")], Some(1.0 / 3.0)),
        // A ballot with nothing but its author's answer has no first place.
        (false, vec![("A", "A"), ("B", "AB")], Some(1.0)),
    ] {
        let share = first_place_agreement(&reviewed(own_counts, &ballots));
        let same = match (share, expected) {
            (Some(share), Some(expected)) => (share - expected).abs() < 1e-8,
            (share, expected) => share == expected,
        };
        assert!(same, "{own_counts} {ballots:?}: {share:?}, not {expected:?}");
    }
}

#[test]
fn agreement_escalates_below_its_threshold_and_not_on_it() {
    for (agreement, expected) in
        [(Some(0.5), false), (Some(0.499), true), (Some(1.0 / 3.0), true), (Some(1.0), false), (None, false)]
    {
        let tiers = tiers(3);
        let mut info = EscalationInfo::of(&tiers, &answers(&[Some(8), Some(8), Some(8)]));
        info.add_agreement(&tiers, agreement);
        assert_eq!((info.escalated, info.triggers.low_agreement), (expected, expected), "{agreement:?}");
        assert_eq!(info.metrics.agreement_ratio, agreement);
    }
    let tiers = tiers(3);
    let mut info = EscalationInfo::of(&tiers, &answers(&[None]));
    info.add_agreement(&tiers, Some(1.0 / 3.0));
    assert_eq!(info.reasons, ["only 33.3% of the ballots agree on the first place, below 50%"]);
}

#[test]
fn one_model_of_the_second_tier_is_said_in_the_singular() {
    let said = |models| EscalationNote::SecondTierAsked { models }.to_string();
    assert_eq!(said(1), "Escalation: the second tier answers, one model");
    assert_eq!(said(2), "Escalation: the second tier answers, 2 models");
}
