use serde_json::json;

use super::*;

fn tiers(text: &str) -> Vec<Vec<Label>> {
    text.split('>').map(|tier| tier.chars().filter_map(Label::of_letter).collect()).collect()
}

#[test]
fn the_mean_places_of_two_ballots_make_one() {
    for (one, other, both) in [
        ("A>B>C", "A>B>C", "A>B>C"),
        ("A>B>C", "B>A>C", "AB>C"),
        ("A>B>C", "C>B>A", "ABC"),
        ("A>B>C>D", "B>A>D>C", "AB>CD"),
        // A has 1 and 2, B 2.5 and 1, C 2.5 and 3.
        ("A>BC", "B>A>C", "A>B>C"),
        // A has 1.5 and 2, B 1.5 and 3, C 3 and 1.
        ("AB>C", "C>A>B", "A>C>B"),
        // What one of them leaves out cannot be placed.
        ("A>B>C", "B>A", "AB"),
    ] {
        assert_eq!(together(&tiers(one), &tiers(other)), tiers(both), "{one} and {other}");
        assert_eq!(together(&tiers(other), &tiers(one)), tiers(both), "{other} and {one}");
    }
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
