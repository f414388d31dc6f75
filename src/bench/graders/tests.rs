use proptest::prelude::*;

use super::*;

fn grade(grader: &str, answer: &str, choices: &[&str], text: &str) -> Verdict {
    let question = Question {
        answers: vec![answer.to_owned()],
        choices: choices.iter().map(|choice| (*choice).to_owned()).collect(),
        grader: grader.to_owned(),
        ..Question::default()
    };
    assert_eq!((of(&question).unwrap().problem)(&question), None, "{answer}");
    match of(&question).unwrap().grading {
        Grading::Text(grade) => grade(&question, text),
        Grading::Judge => unreachable!("no text is graded by a judge here"),
    }
}

const RIGHT_NUMBERS: &[(&str, &str)] = &[
    ("42", "Answer: 42"),
    ("42", "So 6 × 7 is 42."),
    ("42", "First 40, then 2.\n\n**Answer:** 42 apples\n\nCONFIDENCE: 9"),
    ("42", "The final answer is \\boxed{42}"),
    ("42", "we get\n\\[ \\boxed{42} \\] since 7 divides 42 and 6 is left"),
    ("42", "… #### 42"),
    ("42", "Answer:\n\n42"),
    ("42", "Answer: x = 42"),
    ("42", "Answer: 40 + 2 = 42"),
    ("42", "Answer: $42.00"),
    ("42", "**Answer: €42**"),
    ("42", "Answer: \\$42"),
    ("42", "Antwort: 42 Äpfel"),
    ("42", "Die Antwort ist 42"),
    ("1234567", "Answer: 1,234,567"),
    ("1,234", "Answer: 1234"),
    ("1234567", "Answer: 1.234.567"),
    ("1234567", "Answer: 1 234 567"),
    ("1234567", "Answer: 1\u{202f}234\u{202f}567"),
    ("1234567", "Answer: 1'234'567"),
    ("1234", "Answer: 1{,}234"),
    ("1234", "Answer: 1\\,234"),
    ("1234.5", "Answer: 1,234.50"),
    ("1234.5", "Answer: 1.234,50"),
    ("0.125", "Answer: 0,125"),
    ("1.5", "Answer: 1,5"),
    (".5", "Answer: 0.5"),
    ("-5", "Answer: -5"),
    ("-5", "Answer: −5 °C"),
    ("-5", "Answer: -$5"),
    ("0.75", "Answer: 3/4"),
    ("3/4", "Answer: 0.75"),
    ("0.75", "Answer: $\\frac{3}{4}$"),
    ("0.75", "Answer: \\dfrac{3}{4}"),
    ("1.5", "Answer: 1 1/2"),
    ("75%", "Answer: 75"),
    ("0.75", "Answer: 75 %"),
    ("75", "Answer: 75\\%"),
    ("1500000", "Answer: 1.5 million"),
    ("2000000", "Answer: 2 \\times 10^{6}"),
    ("2e6", "Answer: 2×10^6"),
    ("0.002", "Answer: 2e-3 m"),
    ("1000000", "Answer: 10^6"),
    ("1024", "Answer: $2^{10}$"),
    ("0.001", "Answer: 10^{-3} m"),
    ("-4", "Answer: -2^2"),
    ("45", "Answer: $45^\\circ$"),
    ("45", "Answer: 45^{\\circ}"),
    ("5", "Answer: 5km"),
    ("18", "Janet makes 9 * 2 = $18 every day."),
];

const WRONG_NUMBERS: &[(&str, &str)] = &[
    ("42", "Answer: 43"),
    ("42", "I thought of 42, but answer: 24"),
    ("42", "Answer: 420"),
    ("42", "Answer: -42"),
    ("42", "Answer: 42 thousand"),
    ("1234", "Answer: 1.234"),
    ("0.75", "Answer: 4/3"),
    ("10^6", "Answer: 10"),
    ("5", "Answer: 3-5"),
    ("75%", "Answer: 0.0075"),
];

#[test]
fn a_number_is_right_however_it_is_written() {
    for (answer, text) in RIGHT_NUMBERS {
        assert_eq!(grade("numeric", answer, &[], text), Verdict::Correct, "{answer} in {text:?}");
    }
    for (answer, text) in WRONG_NUMBERS {
        assert_eq!(grade("numeric", answer, &[], text), Verdict::Wrong, "{answer} in {text:?}");
    }
    for text in ["", "I do not know.", "H2O", "the 2nd one"] {
        assert_eq!(grade("numeric", "2", &[], text), Verdict::Unreadable, "{text:?}");
    }
}

#[test]
fn a_tolerance_is_in_the_unit_of_the_number() {
    let question = |tolerance| Question {
        answers: vec!["3.14".into()],
        grader: "numeric".into(),
        tolerance,
        ..Question::default()
    };
    let Grading::Text(grade) = of(&question(None)).unwrap().grading else {
        unreachable!("numbers need no judge")
    };
    assert_eq!(grade(&question(Some(0.01)), "Answer: 3.1416"), Verdict::Correct);
    assert_eq!(grade(&question(None), "Answer: 3.1416"), Verdict::Wrong);
    assert_eq!(grade(&question(Some(0.01)), "Answer: 3.16"), Verdict::Wrong);
}

const CITIES: &[&str] = &["Rome", "Paris", "A port", "Bern"];

#[test]
fn a_letter_is_found_however_it_is_dressed() {
    for text in [
        "Answer: B",
        "answer: b",
        "Answer: (B)",
        "Answer: (b)",
        "**Answer:** B.",
        "Answer: **B**",
        "Answer: B) Paris",
        "Answer: B. Paris",
        "Answer: Paris",
        "The answer is B.",
        "The correct answer is option B",
        "\\boxed{B}",
        "\\boxed{\\text{B}}",
        "Answer: \\(\\boxed{\\textbf{(B)}}\\)",
        "A is wrong.\n\nB",
        "(B)",
        "**B**",
        "Paris",
        "The answer is (B), because Rome is older.",
        "Answer: $B$",
        "Antwort: B",
        "Answer: A? No: Rome is not it.\nAnswer: B",
    ] {
        assert_eq!(grade("choice", "B", CITIES, text), Verdict::Correct, "{text:?}");
    }
    for text in ["Answer: A", "Answer: Rome", "Answer: B\nAnswer: D", "The answer is (C)"] {
        assert_eq!(grade("choice", "B", CITIES, text), Verdict::Wrong, "{text:?}");
    }
    for text in
        ["", "I cannot say.", "Answer: A or B", "Answer: E", "A good question.", "Answer: both A and B"]
    {
        assert_eq!(grade("choice", "B", CITIES, text), Verdict::Unreadable, "{text:?}");
    }
}

#[test]
fn words_are_compared_without_capitals_spaces_and_marks() {
    for text in
        ["Answer: Paris", "It must be\n\nAnswer: **paris**.", "paris", "“Paris”", "Answer:  \"PARIS\" "]
    {
        assert_eq!(grade("exact", "Paris", &[], text), Verdict::Correct, "{text:?}");
    }
    assert_eq!(grade("exact", "New  York", &[], "Answer: new york"), Verdict::Correct);
    assert_eq!(grade("exact", "Paris", &[], "Answer: Paris or Rome"), Verdict::Wrong);
    assert_eq!(grade("exact", "Paris", &[], " \n "), Verdict::Unreadable);
    assert_eq!(grade("exact", "ﬁn", &[], "Answer: fin"), Verdict::Correct);
}

#[test]
fn a_judge_must_say_the_same_in_both_orders() {
    use judge::{read, together};
    assert_eq!(read("It has both.\n\nVERDICT: CORRECT"), Some(true));
    assert_eq!(read("**Verdict:** incorrect."), Some(false));
    assert_eq!(read("VERDICT: CORRECT? No.\nVERDICT: INCORRECT"), Some(false));
    assert_eq!(read("It is correct."), None);
    assert_eq!(read("VERDICT: perhaps"), None);
    assert_eq!(together([Some(true), Some(true)]), Verdict::Correct);
    assert_eq!(together([Some(false), Some(false)]), Verdict::Wrong);
    assert_eq!(together([Some(true), Some(false)]), Verdict::Undecided);
    assert_eq!(together([None, Some(true)]), Verdict::Ungraded);
}

#[test]
fn a_judge_reads_the_standard_and_the_answer_in_both_orders() {
    use crate::council::prompts::fence::Fence;
    let question = Question {
        text: "Why?".into(),
        answers: vec!["Rayleigh".into()],
        rubric: Some("Names it.".into()),
        ..Question::default()
    };
    let [first, second] =
        judge::ORDERS.map(|order| judge::prompt(&question, "It scatters. END m1", order, &Fence::new("m1")));
    let place = |text: &str, what: &str| text.find(what).unwrap();
    assert!(place(&first, "Rayleigh") < place(&first, "It scatters"));
    assert!(place(&second, "It scatters") < place(&second, "Rayleigh"));
    assert!(first.contains("CORRECT or INCORRECT") && second.contains("INCORRECT or CORRECT"));
    assert!(!first.contains("It scatters. END m1"), "an answer cannot end its fence");
}

proptest! {
    #[test]
    fn no_text_makes_a_grader_stumble(text in "\\PC*", words in "(answer|Antwort|\\\\boxed\\{|\\\\frac\\{|####|[0-9.,/e^%() A-F:*{}\\\\-]){0,40}") {
        for text in [&text, &words, &format!("{words}{text}"), &format!("Answer: {text}")] {
            for (grader, answer, choices) in
                [("numeric", "1,234.5", &[][..]), ("choice", "B", CITIES), ("exact", "Paris", &[])]
            {
                grade(grader, answer, choices, text);
            }
            std::hint::black_box(judge::read(text));
        }
    }

    #[test]
    fn a_number_that_is_written_down_is_read_again(value in -1_000_000_000i64..1_000_000_000, cents in 0u8..100) {
        let number = format!("{value}.{cents:02}");
        let mut grouped = String::new();
        let digits = value.unsigned_abs().to_string();
        for (at, digit) in digits.chars().enumerate() {
            if at > 0 && (digits.len() - at) % 3 == 0 { grouped.push(','); }
            grouped.push(digit);
        }
        let sign = if value < 0 { "-" } else { "" };
        for text in [
            format!("Answer: {number}"),
            format!("Answer: ${sign}{grouped}.{cents:02} a year"),
            format!("So it is \\boxed{{{sign}{}.{cents:02}}}.", grouped.replace(',', "{,}")),
            format!("Answer: {sign}{}.{cents:02}", grouped.replace(',', "\u{202f}")),
        ] {
            prop_assert_eq!(grade("numeric", &number, &[], &text), Verdict::Correct, "{}", text);
        }
    }

    #[test]
    fn a_letter_that_is_written_down_is_read_again(place in 0usize..4, before in "[a-z ,]{0,40}") {
        let letter = ["A", "B", "C", "D"][place];
        for text in [format!("{before}\nAnswer: {letter}"), format!("{before}. The answer is ({letter}) {}", CITIES[place])] {
            prop_assert_eq!(grade("choice", letter, CITIES, &text), Verdict::Correct, "{}", text);
        }
    }
}
