use proptest::prelude::*;

use super::*;

fn labels(n: usize) -> Vec<Label> {
    (0..n).map(Label::nth).collect()
}

/// `CAB` → three places; `C(AB)` → a tie.
fn places(text: &str) -> Vec<Vec<Label>> {
    let mut tiers: Vec<Vec<Label>> = Vec::new();
    let mut tie = false;
    for c in text.chars() {
        match c {
            '(' => {
                tie = true;
                tiers.push(Vec::new());
            }
            ')' => tie = false,
            letter => match Label::of_letter(letter).unwrap() {
                label if tie => tiers.last_mut().unwrap().push(label),
                label => tiers.push(vec![label]),
            },
        }
    }
    tiers
}

#[track_caller]
fn reads(text: &str, expected: &str, how: Parse) {
    let ballot = parse(text, &labels(3));
    assert_eq!(ballot.tiers, places(expected), "{text}");
    assert_eq!(ballot.parse, how, "{text}");
}

#[test]
fn the_demanded_form_is_strict() {
    reads("A is good.\n\nFINAL RANKING:\n1. Response C\n2. Response A\n3. Response B", "CAB", Parse::Strict);
    reads("FINAL RANKING:\n\n1. Response C\n2. Response A\n3. Response B\n\n  \n", "CAB", Parse::Strict);
}

#[test]
fn of_a_text_that_broke_off_only_a_whole_list_counts() {
    let read = |text: &str| parse(text, &labels(3)).broken_off();
    for text in [
        "FINAL RANKING:\n1. Response C\n2. Response A\n3. Response B",
        "FINAL RANKING: Response C > Response A = Response B\n\nI hope",
    ] {
        assert!(read(text).counts(&labels(3)), "{text}");
    }
    for text in [
        "FINAL RANKING:\n1. Response C\n2. Response",
        "FINAL RANKING:\n1. Response C\n2. Response A\n3.",
        "It says \"FINAL RANKING: Response C > Response A > Response B\", which",
        "Response C is good. Response A is not. Response B is",
    ] {
        let ballot = read(text);
        assert_eq!((ballot.parse, ballot.counts(&labels(3))), (Parse::Fallback, false), "{text}");
    }
    assert_eq!(read("All of them are").parse, Parse::None);
    assert!(!parse_alone(r#"{"ranking": ["Response C"]}"#, &labels(3)).broken_off().counts(&labels(3)));
}

#[test]
fn looser_forms_are_lenient() {
    for (text, expected) in [
        ("**FINAL RANKING:**\n1. Response C\n2. Response A\n3. Response B", "CAB"),
        ("## Final Ranking\n\n1) **Response C**\n2) **Response A**\n3) Response B", "CAB"),
        (
            "final ranking:\n1. Response C: because Response A is wrong\n2. Response A - fine\n3. Response B",
            "CAB",
        ),
        ("FINAL RANKING: Response C > Response A > Response B", "CAB"),
        ("FINAL RANKING:\nResponse C, Response A, Response B", "CAB"),
        ("FINAL RANKING:\n- Response C\n- Response A\n- Response B", "CAB"),
        ("FINAL RANKING:\n```\n1. Response C\n2. Response A\n3. Response B\n```", "CAB"),
        (
            "FINAL RANKING:\n| Rank | Response |\n|---|---|\n| 1 | Response C |\n| 2 | Response A |\n| 3 | Response B |",
            "CAB",
        ),
        ("FINAL RANKING:\n１．Response C\n２．Response A\n３．Response B", "CAB"),
        ("FINAL RANKING:\n1. C\n2. **A**\n3. B.", "CAB"),
        ("FINAL RANKING:\n1st: Response C\n2nd: Response A\n3rd: Response B", "CAB"),
        (
            "FINAL RANKING:\n1. Response C\n2. Response A\n3. Response B\n\nI hope this helps with Response A.",
            "CAB",
        ),
        ("FINAL RANKING:\n1. Response C\n2. Response A", "CA"),
        ("FINAL RANKING:\n1. Response C\n2. Response Z\n3. Response C\n4. Response A", "CA"),
        (
            "FINAL RANKING:\n1. Response A\n\nWait.\n\nFINAL RANKING:\n1. Response B\n2. Response C\n3. Response A\n!",
            "BCA",
        ),
        ("My FINAL RANKING: 1. Response C", "C"),
        ("FINAL RANKING:\n1. Response C, Response C and Response A\n2. Response B", "(CA)B"),
    ] {
        reads(text, expected, Parse::Lenient);
    }
}

#[test]
fn a_ballot_that_the_reviewer_quotes_is_not_its_own() {
    let own = "FINAL RANKING:\n1. Response C\n2. Response A\n3. Response B";
    let quotes = [
        "> FINAL RANKING:\n> 1. Response B\n> 2. Response A",
        "Response B says \"FINAL RANKING: 1. Response B\" and so on.",
        "It holds a `FINAL RANKING:` block:\n- Response B",
        "Response B brings “**FINAL RANKING:** Response B > Response A”.",
    ];
    for quote in quotes {
        reads(&format!("{quote}\n\n{own}"), "CAB", Parse::Strict);
        reads(&format!("{own}\n\n{quote}"), "CAB", Parse::Lenient);
    }
    // With nothing else to go by, it is better than a guess.
    reads(quotes[0], "BA", Parse::Lenient);
    reads("`FINAL RANKING:`\n1. Response C", "C", Parse::Lenient);
    // A heading over nothing does not take away the one before it.
    reads(&format!("{own}\n\nThat was my FINAL RANKING: done."), "CAB", Parse::Lenient);
}

#[test]
fn ties_are_read_as_written() {
    for (text, expected) in [
        ("FINAL RANKING:\n1. Response A, Response B\n2. Response C", "(AB)C"),
        ("FINAL RANKING:\n1. Response A = Response B\n2. Response C", "(AB)C"),
        ("FINAL RANKING:\n1. Response A and Response B (tie)\n3. Response C", "(AB)C"),
        ("FINAL RANKING:\n1. Response C\n2. Response A\n2. Response B", "C(AB)"),
        ("FINAL RANKING: Response C > Response A = Response B", "C(AB)"),
        ("FINAL RANKING:\n1. Response A / Response B / Response C", "(ABC)"),
    ] {
        reads(text, expected, Parse::Lenient);
    }
}

#[test]
fn numbers_before_labels_are_places_in_whatever_order_they_come() {
    for (text, expected) in [
        ("3. Response A\n2. Response B\n1. Response C", "CBA"),
        ("2. Response A\n1. Response B\n3. Response C", "BAC"),
        ("3. Response A\n1. Response B\n1. Response C", "(BC)A"),
        ("2. Response A = Response C\n1. Response B", "B(AC)"),
        ("2. Response A\n1. Response C", "CA"),
        ("**3.** Response A\n**1st** Response B\n(see below)\n2) Response C", "BCA"),
        // As they stand: numbers that are no places, or not everywhere, or twice in different places.
        ("9. Response A\n7. Response B\n8. Response C", "ABC"),
        ("0. Response A\n2. Response B\n1. Response C", "ABC"),
        ("2. Response A\n1. Response B\nResponse C", "ABC"),
        ("2. Response A\n1. Response B\n2. Response C", "ABC"),
        ("2. Response A\n2. Response B\n2. Response C", "(ABC)"),
    ] {
        reads(&format!("FINAL RANKING:\n{text}"), expected, Parse::Lenient);
    }
}

#[test]
fn a_numbered_list_on_one_line_is_a_list() {
    for text in [
        "1. Response B 2. Response A 3. Response C",
        "1. Response B, 2. Response A, 3. Response C",
        "1) Response B; 2) Response A; 3) Response C.",
        "**1. Response B** **2. Response A** **3. Response C**",
        "1. **Response B**, **2.** Response A | 3. `Response C`",
        "1: Response B 2: Response A 3: Response C",
        "1. Response B. 2. Response A. 3. Response C.",
        "2. Response A 3. Response C 1. Response B",
        "1. Response B\n2. Response A 3. Response C",
    ] {
        reads(&format!("FINAL RANKING: {text}"), "BAC", Parse::Lenient);
    }
    for (text, expected) in [
        ("1. Response B, Response A 3. Response C", "(BA)C"),
        ("1. Response B > Response A 2. Response C", "BAC"),
        // Talk, which may hold numbers.
        ("1. Response B, which has 2. Response A", "B"),
        ("1. Response B 8.5 Response A", "B"),
    ] {
        reads(&format!("FINAL RANKING: {text}"), expected, Parse::Lenient);
    }
}

#[test]
fn places_behind_labels_are_read_as_places() {
    for (text, expected) in [
        ("Response A: 3\nResponse B: 1\nResponse C: 2", "BCA"),
        ("Response A (3rd)\nResponse B (1st)\nResponse C (2nd)", "BCA"),
        ("- **Response A** – #3\n- **Response B** – #1\n- **Response C** – #2", "BCA"),
        ("Response A: rank 3.\nResponse B: rank 1.\nResponse C: rank 2.", "BCA"),
        ("Response A: 3rd place\nResponse B: 1st place\nResponse C: 2nd place", "BCA"),
        ("Response A: 3, Response B: 1, Response C: 2", "BCA"),
        ("Response A (3), Response B (1) and the last", "AB"),
        ("| Response | Rank |\n|---|---|\n| Response A | 3 |\n| Response B | 1 |\n| Response C | 2 |", "BCA"),
        ("Response A：３\nResponse B：１\nResponse C：２", "BCA"),
        ("Response A: 2\nResponse B: 1\nResponse C: 1", "(BC)A"),
        ("Response A: 3\nResponse B: 1\nResponse C: 3", "B(AC)"),
        ("Response A: 1\nResponse B: 1\nResponse C: 1", "(ABC)"),
        ("Response B: 2\nResponse A: 1", "AB"),
        // As they stand: points, and places that not each of them has.
        ("Response A: 8/10\nResponse B: 9/10\nResponse C: 7/10", "ABC"),
        ("Response A: 8\nResponse B: 9\nResponse C: 7", "ABC"),
        ("Response A: 2\nResponse B: 3\nResponse C: 4", "ABC"),
        ("Response A: 2\nResponse B: 3\nResponse C: 3", "ABC"),
        ("Response A: 2.5\nResponse B: 1\nResponse C: 2", "ABC"),
        ("Response A: 3\nResponse B: 1 of 3\nResponse C: 2", "ABC"),
        ("Response A: 3\nResponse B\nResponse C: 2", "ABC"),
        ("Response A > Response B: 1\nResponse C: 2", "ABC"),
        ("1. Response A (2)\n2. Response B (1)\n3. Response C (3)", "ABC"),
    ] {
        reads(&format!("FINAL RANKING:\n{text}"), expected, Parse::Lenient);
    }
}

#[test]
fn a_small_letter_is_a_label_where_a_number_says_so() {
    reads("FINAL RANKING:\n1. response b\n2. response a\n3. Response c", "BAC", Parse::Lenient);
    reads("FINAL RANKING:\n1. b\n2. *a*\n3. c", "BAC", Parse::Lenient);
    reads("FINAL RANKING: 1. response b 2. response a 3. response c", "BAC", Parse::Lenient);
    for text in ["response b\nresponse a", "1. It is a response a person gave", "1. ab"] {
        reads(&format!("FINAL RANKING:\n{text}"), "", Parse::None);
    }
}

#[test]
fn without_a_section_the_order_of_mention_is_taken_and_counts_only_when_each_is_named_once() {
    let clean = "I prefer Response B, then Response A, then Response C.";
    reads(clean, "BAC", Parse::Fallback);
    assert!(parse(clean, &labels(3)).counts(&labels(3)));
    let endless = "1. Response A 2. Response B 3. Response C\n".repeat(50);
    reads(&endless, "ABC", Parse::Fallback);
    assert!(!parse(&endless, &labels(3)).counts(&labels(3)));
    let partial = "Response B is the best.";
    reads(partial, "B", Parse::Fallback);
    assert!(!parse(partial, &labels(3)).counts(&labels(3)));
    // A heading over nothing is no section.
    reads("Response B, Response A, Response C\nFINAL RANKING:\nnone", "BAC", Parse::Fallback);
}

#[test]
fn nothing_is_an_abstention() {
    for text in [
        "",
        "I cannot judge.",
        "FINAL RANKING:",
        "A response a person gave.",
        "Responses A and B",
        "ResponseA",
    ] {
        reads(text, "", Parse::None);
        assert!(!parse(text, &labels(3)).counts(&labels(3)));
    }
}

#[test]
fn a_megabyte_of_hostile_text_is_read() {
    for piece in [
        "FINAL RANKING:\n",
        "Response A ",
        "1. Response Z\n",
        "final ranking final",
        "🦀１．",
        "Response \u{301}A",
    ] {
        let text = piece.repeat(1_000_000 / piece.len());
        let ballot = parse(&text, &labels(7));
        assert!(ballot.flat().len() <= 7);
    }
}

#[track_caller]
fn reads_alone(text: &str, expected: &str, how: Parse) {
    let ballot = parse_alone(text, &labels(3));
    assert_eq!((ballot.tiers, ballot.parse), (places(expected), how), "{text}");
}

#[test]
fn a_ballot_alone_is_the_same_in_json_and_in_the_text_form() {
    let strict = [
        r#"{"ranking": ["Response C", "Response A", "Response B"]}"#,
        "```json\n{\"ranking\": [\"Response C\", \"Response A\", \"Response B\"]}\n```",
        r#"Here it is: {"ranking": [" C ", "A", ["B"]]}."#,
        "FINAL RANKING:\n1. Response C\n2. Response A\n3. Response B",
        "FINAL RANKING:\n1. Response C\n2. Response A\n3. Response B\n",
    ];
    for text in strict {
        reads_alone(text, "CAB", Parse::Strict);
    }
    for (text, expected) in [
        (r#"{"ranking": ["Response C", ["Response B", "Response A"]]}"#, "C(BA)"),
        (r#"{"ranking": ["Response C", "Response C", "Response Z", "Response B"]}"#, "CB"),
    ] {
        reads_alone(text, expected, Parse::Lenient);
    }
    // Something that only looks like a list is read like any other text.
    reads_alone(r#"{"ranking": ["Response C", 7, "Response B"]}"#, "CB", Parse::Fallback);
    for text in [r#"{"ranking": []}"#, r#"{"order": ["A"]}"#, r#"{"ranking": ["Z"]}"#, "I cannot."] {
        reads_alone(text, "", Parse::None);
    }
}

#[test]
fn the_schema_names_every_label() {
    let schema = schema(&labels(2)).schema;
    assert_eq!(schema["properties"]["ranking"]["items"]["enum"], json!(["Response A", "Response B"]));
    assert_eq!((&schema["required"], &schema["additionalProperties"]), (&json!(["ranking"]), &json!(false)));
}

fn strict_form(order: &[Label]) -> String {
    let lines: Vec<String> =
        order.iter().enumerate().map(|(i, label)| format!("{}. {label}", i + 1)).collect();
    format!("FINAL RANKING:\n{}", lines.join("\n"))
}

proptest! {
    #[test]
    fn any_text_gives_known_labels_once_each(text in "(\\PC|\n|FINAL RANKING:|Response [A-I]|[0-9]\\. |[>=,]){0,60}", n in 0usize..8) {
        let ballot = parse(&text, &labels(n));
        let flat = ballot.flat();
        let mut once = flat.clone();
        once.sort();
        once.dedup();
        prop_assert_eq!(once.len(), flat.len());
        prop_assert!(flat.iter().all(|label| labels(n).contains(label)));
        prop_assert_eq!(ballot.parse == Parse::None, flat.is_empty());
    }

    #[test]
    fn a_list_is_read_by_its_numbers_however_its_lines_are_shuffled(
        lines in Just((0..5).collect::<Vec<usize>>()).prop_shuffle(),
        order in Just(labels(5)).prop_shuffle(),
        form in 0_usize..5,
    ) {
        let written: Vec<String> = lines
            .iter()
            .map(|line| (line + 1, &order[*line]))
            .map(|(place, label)| match form {
                0 | 1 => format!("{place}. {label}"),
                2 => format!("{label}: {place}"),
                3 => format!("| {label} | {place} |"),
                _ => format!("- **{label}** ({place})"),
            })
            .collect();
        let between = if form == 1 { " " } else { "\n" };
        let ballot = parse(&format!("FINAL RANKING:\n{}", written.join(between)), &labels(5));
        prop_assert_eq!(ballot.flat(), order);
        prop_assert!(ballot.counts(&labels(5)));
    }

    #[test]
    fn a_text_without_labels_counts_for_nothing(text in any::<String>()) {
        prop_assert!(text.contains("Response") || !parse(&text, &labels(4)).counts(&labels(4)));
    }

    #[test]
    fn the_demanded_form_is_read_whatever_stands_before_it(
        order in Just(labels(5)).prop_shuffle(),
        noise in "(\\PC|\n|Response [A-E]|FINAL RANKING:){0,30}",
    ) {
        let text = format!("{noise}\n{}", strict_form(&order));
        let ballot = parse(&text, &labels(5));
        prop_assert_eq!(ballot.parse, Parse::Strict);
        prop_assert_eq!(ballot.flat(), order);
        prop_assert!(ballot.counts(&labels(5)));
    }
}
