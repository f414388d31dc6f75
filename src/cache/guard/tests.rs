use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

/// Pairs of questions, a line each: whether one answer does for both, what they are about, and the two. A line break in a
/// question is written `\n`. The labels say what is true of the questions, whatever the guard makes of them.
const PAIRS: &str = include_str!("../pairs.tsv");

/// The first questions of the pairs that differ without the guard seeing it. An improvement of the guard shortens this
/// list.
const UNSEEN: &[&str] = &["Replace every tab with four spaces"];

/// How many of the pairs that are alike pass.
const PASSING: usize = 147;

struct Pair {
    is_alike: bool,
    one: String,
    other: String,
}

fn pairs() -> Vec<Pair> {
    let pair = |line: &str| {
        let columns: Vec<&str> = line.split('\t').collect();
        let [label, _, one, other] = columns[..] else { panic!("not four columns: {line}") };
        assert!(matches!(label, "alike" | "different"), "{line}");
        let text = |column: &str| column.replace("\\n", "\n");
        Pair { is_alike: label == "alike", one: text(one), other: text(other) }
    };
    PAIRS.lines().map(pair).collect()
}

#[test]
fn the_list_has_many_pairs_of_both_kinds_and_none_twice() {
    let pairs = pairs();
    let alike = pairs.iter().filter(|pair| pair.is_alike).count();
    assert!(alike > 100 && pairs.len() - alike > 100, "{alike} of {}", pairs.len());
    let unique: BTreeSet<(&str, &str)> =
        pairs.iter().map(|pair| (pair.one.as_str(), pair.other.as_str())).collect();
    assert_eq!(unique.len(), pairs.len());
}

#[test]
fn every_pair_that_differs_is_caught_but_for_those_that_are_named() {
    let passing =
        pairs().into_iter().filter(|pair| !pair.is_alike && difference(&pair.one, &pair.other).is_none());
    let passing: Vec<String> = passing.map(|pair| pair.one).collect();
    assert_eq!(passing, UNSEEN);
}

#[test]
fn no_fewer_pairs_that_are_alike_pass_than_did_when_it_was_measured() {
    let refused: Vec<(String, Difference)> = pairs()
        .into_iter()
        .filter(|pair| pair.is_alike)
        .filter_map(|pair| difference(&pair.one, &pair.other).map(|found| (pair.one, found)))
        .collect();
    let alike = pairs().iter().filter(|pair| pair.is_alike).count();
    assert!(alike - refused.len() >= PASSING, "{} pass; refused: {refused:#?}", alike - refused.len());
}

#[test]
fn each_kind_of_difference_is_found_by_its_check() {
    for (one, other, expected) in [
        ("Is 2 enough?", "Is 3 enough?", Difference::Numbers),
        ("Who won in 2019?", "Who won in 2020?", Difference::Dates),
        ("Is 5 kg much?", "Is 5 lb much?", Difference::Units),
        ("Is 5 mW much?", "Is 5 MW much?", Difference::Units),
        ("Is £5 much?", "Is 5 lb much?", Difference::Units),
        ("What is the capital of Austria?", "What is the capital of Australia?", Difference::Names),
        ("How do I sleep?", "How do I not sleep?", Difference::Negation),
        ("How is bread made?", "Wie wird Brot gemacht?", Difference::Language),
        ("What does a && b mean?", "What does a || b mean?", Difference::Code),
        ("What do I eat before sport?", "What do I eat after sport?", Difference::Opposites),
        ("How do I get from Berlin to Paris?", "How do I get from Paris to Berlin?", Difference::Order),
        ("When did Rome fall?", "Why did Rome fall?", Difference::Question),
        ("Is tea healthy?", "Is coffee healthy?", Difference::Words),
    ] {
        assert_eq!(difference(one, other), Some(expected), "{one} / {other}");
    }
}

#[test]
fn a_difference_is_written_in_small_letters() {
    assert_eq!(serde_json::to_string(&Difference::Numbers).unwrap(), "\"numbers\"");
}

#[test]
fn a_text_of_many_words_is_compared_in_time() {
    let long = "Which of these two words is better, and why? ".repeat(300);
    assert_eq!(difference(&long, &format!("{long} Or 3?")), Some(Difference::Numbers));
    let words: Vec<String> =
        (0..1000).map(|number: u32| format!("{number:b}").replace('0', "l").replace('1', "o")).collect();
    let turned: Vec<&str> = words.iter().rev().map(String::as_str).collect();
    assert_eq!(difference(&words.join(" "), &turned.join(" ")), Some(Difference::Order));
    // As many words of its own in each, of which none looks like one of the other.
    let own = |shift: u32| -> String {
        let letters = |number: u32| {
            let letter = |place: u32| char::from_u32(shift + number / 7_u32.pow(place) % 7).unwrap();
            (0..5).map(letter).collect::<String>()
        };
        (0..2500).map(letters).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(difference(&own('b'.into()), &own('r'.into())), Some(Difference::Names));
    // Longer ones are not read at all.
    assert_eq!(difference(&long.repeat(9), &format!("{} Please.", long.repeat(9))), Some(Difference::Words));
}

/// Text as people write it, and text that nobody would write.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[ -~]{0,12}",
        ".{0,6}",
        "[0-9]{1,4}[.,:/-]?[0-9]{0,4} ?(kg|pm|st|%|€|k|Mai|\\. Mai|May|million)?",
        "(not|no|from|to|what|why|Wien|Rust|I|II|don't|zwei|twenty-one|the|is|nicht|ist|was|U\\.S\\.|`a`|```|\n  |\\(|&&|\"|°C)",
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.join(" "))
}

proptest! {
    #[test]
    fn no_texts_stop_it_and_their_order_does_not_matter(one in text(), other in text()) {
        prop_assert_eq!(difference(&one, &other), difference(&other, &one));
    }

    #[test]
    fn a_text_does_not_differ_from_itself(text in text()) {
        prop_assert_eq!(difference(&text, &text), None);
        // Nor do the checks find anything, whatever the normal form says.
        let (one, other) = (Reading::of(&text), Reading::of(&text));
        for (difference, agree) in CHECKS {
            prop_assert!(agree(&one, &other), "{:?}", difference);
        }
    }

    #[test]
    fn a_small_change_is_the_same_both_ways(text in text(), more in text()) {
        let longer = format!("{text} {more}");
        prop_assert_eq!(difference(&text, &longer), difference(&longer, &text));
    }
}
