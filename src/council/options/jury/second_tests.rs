use serde_json::json;

use super::*;
use crate::council::ranking::parse::Parse;

fn tiers(text: &str) -> Vec<Vec<Label>> {
    text.split('>').map(|tier| tier.chars().filter_map(Label::of_letter).collect()).collect()
}

#[test]
fn the_mean_places_of_two_ballots_make_one() {
    for (answers, one, other, both) in [
        (3, "A>B>C", "A>B>C", "A>B>C"),
        (3, "A>B>C", "B>A>C", "AB>C"),
        (3, "A>B>C", "C>B>A", "ABC"),
        (4, "A>B>C>D", "B>A>D>C", "AB>CD"),
        // A has 1 and 2, B 2.5 and 1, C 2.5 and 3.
        (3, "A>BC", "B>A>C", "A>B>C"),
        // A has 1.5 and 2, B 1.5 and 3, C 3 and 1.
        (3, "AB>C", "C>A>B", "A>C>B"),
        // What one of them leaves out shares its last places: C has 3 and 3.
        (3, "A>B>C", "B>A", "AB>C"),
        // A has 4 and 1, B 1 and 3, C 2 and 3, D 3 and 3.
        (4, "B>C>D>A", "A", "B>AC>D"),
        // Each ballot's others have 3.5.
        (4, "A>B", "C>D", "AC>BD"),
        // What both leave out is placed by neither.
        (3, "A>B", "B>A", "AB"),
    ] {
        assert_eq!(together(&tiers(one), &tiers(other), answers), tiers(both), "{one} and {other}");
        assert_eq!(together(&tiers(other), &tiers(one), answers), tiers(both), "{other} and {one}");
    }
}

/// A reading in this order of the answers; only one that counts has a ballot of its own.
fn reading(shown: &str, ranking: &str, counts: bool) -> Review {
    let labels = |text: &str| tiers(text).concat();
    serde_json::from_value(json!({
        "model": "m/one", "member": "one", "ranking": "", "parsed_ranking": labels(ranking),
        "tiers": tiers(ranking), "parse": if counts { "strict" } else { "fallback" }, "counts": counts,
        "order_shown": labels(shown)
    }))
    .unwrap()
}

#[test]
fn a_second_reading_stands_alone_where_the_first_does_not_count() {
    let mut reviews = [reading("A>B>C", "A>B", false)];
    put(&mut reviews, reading("C>B>A", "C>B>A", true));
    let [review] = &reviews;
    assert!(review.counts && review.first_tiers.is_empty(), "{review:?}");
    assert_eq!((&review.tiers, review.parse), (&tiers("C>B>A"), Parse::Strict));
    assert_eq!(review.reading_order(), tiers("C>B>A").concat(), "it was read in this order alone");

    let mut reviews = [reading("A>B>C", "A>B>C", true)];
    put(&mut reviews, reading("C>B>A", "C", true));
    let [review] = &reviews;
    // A has 1 and 2.5, C 3 and 1, B 2 and 2.5.
    assert_eq!((&review.tiers, &review.first_tiers), (&tiers("A>C>B"), &tiers("A>B>C")));
    assert!(review.reading_order().is_empty(), "it was read in opposite orders");
}

fn facts(winner: Option<&str>, measure: &str, value: Option<f64>, chance: f64) -> AggregateFacts {
    let expected_by_chance = value.map(|_| chance);
    let agreement = json!({"measure": measure, "value": value, "expected_by_chance": expected_by_chance});
    AggregateFacts {
        ballots: 3,
        winner: winner.map(str::to_owned),
        agreement: serde_json::from_value(agreement).unwrap(),
        ..AggregateFacts::default()
    }
}

#[test]
fn the_answers_are_read_again_where_the_ballots_disagree() {
    let needed = MIN_AGREEMENT;
    let third = 1.0 / 3.0;
    for (facts, held, fact) in [
        (facts(None, "kendall_w", Some(1.0), third), true, SecondReadingFact::NoSoleWinner),
        // Three reviewers: W of 2/3 is half of the way from 1/3 to 1.
        (
            facts(Some("a"), "kendall_w", Some(0.75), third),
            false,
            SecondReadingFact::Agreed { agreement: Some(0.625), needed },
        ),
        (
            facts(Some("a"), "kendall_w", Some(0.5), third),
            true,
            SecondReadingFact::LowAgreement { agreement: 0.25, needed },
        ),
        (
            facts(Some("a"), "mean_tau_b", Some(0.5), 0.0),
            false,
            SecondReadingFact::Agreed { agreement: Some(0.5), needed },
        ),
        (
            facts(Some("a"), "mean_tau_b", Some(0.25), 0.0),
            true,
            SecondReadingFact::LowAgreement { agreement: 0.25, needed },
        ),
        // One reviewer agrees with itself.
        (
            facts(Some("a"), "kendall_w", None, 0.0),
            false,
            SecondReadingFact::Agreed { agreement: None, needed },
        ),
    ] {
        let judged = judge(Some(&facts));
        let round = |fact: &SecondReadingFact| {
            let mut json = serde_json::to_value(fact).unwrap();
            if let Some(agreement) = json["agreement"].as_f64() {
                json["agreement"] = ((agreement * 1e9).round() / 1e9).into();
            }
            json
        };
        assert_eq!(round(&judged), round(&fact));
        assert_eq!(SecondReading::of(judged).held, held);
    }
    assert_eq!(judge(None), SecondReadingFact::NothingToCompare);
    assert_eq!(judge(Some(&AggregateFacts::default())), SecondReadingFact::NothingToCompare);
}

#[test]
fn a_reason_is_made_of_its_fact() {
    for (fact, text) in [
        (SecondReadingFact::NoSoleWinner, "The first ballots have no sole winner."),
        (
            SecondReadingFact::LowAgreement { agreement: 0.25, needed: 0.5 },
            "The first ballots agree to 0.25 between chance (0) and unanimity (1); 0.5 is needed.",
        ),
        (
            SecondReadingFact::Agreed { agreement: Some(0.75), needed: 0.5 },
            "The first ballots agree to 0.75 between chance (0) and unanimity (1); 0.5 is enough.",
        ),
        (SecondReadingFact::Agreed { agreement: None, needed: 0.5 }, "The first ballots have a sole winner."),
        (SecondReadingFact::NothingToCompare, "There are no ballots to compare."),
    ] {
        assert_eq!(fact.to_string(), text);
        let json = serde_json::to_string(&fact).unwrap();
        assert_eq!(serde_json::from_str::<SecondReadingFact>(&json).unwrap(), fact);
    }
}
