use proptest::prelude::*;

use super::reply::MAX_REASONING_CHARS;
use super::*;
use crate::llm::ErrorKind;

fn read(text: &str) -> Option<(Category, Option<f64>, String)> {
    parse(text).map(|read| (read.category, read.confidence, read.reasoning))
}

#[test]
fn the_form_is_read_as_models_write_it() {
    for text in [
        "CATEGORY: CODING\nCONFIDENCE: 0.9\nREASONING: It is about code.",
        "category: coding\nconfidence: 90%\nreasoning: It is about code.",
        "**CATEGORY:** Coding\n**CONFIDENCE:** 0.9\n**REASONING:** It is about code.",
        "**Category**: `CODING`\n**Confidence**: 9/10\n**Reasoning**: It is about code.",
        "Let me see.\n\n- CATEGORY: CODING.\n- CONFIDENCE: 0,9\n- REASONING: It is\n  about code.\n",
        r#"{"category": "coding", "confidence": 0.9, "reasoning": "It is about code."}"#,
        "```json\n{\"category\": \"CODING\", \"confidence\": 0.9, \"reasoning\": \"It is\\nabout code.\"}\n```",
        "REASONING: It is about code.\nCONFIDENCE: 0.9 \nCATEGORY: FACTUAL\nCATEGORY: [CODING]",
    ] {
        let expected = (Category::Coding, Some(0.9), "It is about code.".to_owned());
        assert_eq!(read(text), Some(expected), "{text}");
    }
}

#[test]
fn a_bare_name_is_enough_and_no_name_is_nothing() {
    for text in ["ANALYSIS", "analysis.", "**Analysis**\n", "\"ANALYSIS\""] {
        assert_eq!(read(text), Some((Category::Analysis, None, String::new())), "{text}");
    }
    for text in [
        "",
        "CATEGORY:",
        "CATEGORY: POETRY",
        "It is about coding.",
        "The category: coding",
        "CONFIDENCE: 1",
        r#"{"category": "poetry", "confidence": 1}"#,
    ] {
        assert_eq!(read(text), None, "{text}");
    }
}

#[test]
fn a_confidence_outside_its_range_is_none() {
    for (text, expected) in [
        ("0", Some(0.0)),
        ("1.0", Some(1.0)),
        ("1.1", None),
        ("-0.1", None),
        ("110%", None),
        ("high", None),
        ("1/0", None),
        ("NaN", None),
    ] {
        let read = parse(&format!("CATEGORY: GENERAL\nCONFIDENCE: {text}")).unwrap();
        assert_eq!(read.confidence, expected, "{text}");
    }
}

#[test]
fn single_words_tell_the_kind_when_no_model_does() {
    for (question, category, confidence) in [
        ("Why does my Rust function not compile?", Category::Coding, 0.5),
        ("Write a short story, or a poem!", Category::Creative, 0.5),
        ("What is the capital of France?", Category::Factual, 0.5),
        ("Compare both: what are the pros and cons, and which is better?", Category::Analysis, 0.5),
        ("Hello there", Category::General, 0.3),
        ("", Category::General, 0.3),
        // One word each: the first in the list, and less sure.
        ("A poem about Python", Category::Coding, 0.3),
        // Words, not parts of words.
        ("The classical apiary is plotting history", Category::General, 0.3),
    ] {
        let guess = by_keywords(question);
        assert_eq!(
            (guess.category, guess.confidence),
            (category, confidence),
            "{question}: {:?}",
            guess.words
        );
    }
}

#[test]
fn a_reply_that_cannot_be_read_and_a_failed_call_say_so() {
    let question = "What is the capital of France?";
    let unread = Reply { text: "Paris.".into(), ..Reply::default() };
    let (guess, source) = judge(Ok(unread), "u/small", question);
    assert_eq!((guess.category, source), (Category::Factual, Source::Keywords));
    assert_eq!(
        guess.reasoning,
        "The question says “capital of”, “what is”. Decided without a model: u/small named no kind of question that could be read."
    );
    let (guess, source) = judge(Err(CallError::new(ErrorKind::Timeout, "too slow")), "u/small", question);
    assert_eq!(source, Source::Keywords);
    assert!(
        guess
            .reasoning
            .ends_with("Decided without a model: u/small could not be asked (no answer came in time).")
    );
}

#[test]
fn fewer_than_two_models_on_offer_are_the_whole_council() {
    let council = ["a/one", "b/two", "c/three"].map(Member::plain);
    let pool = ["p/x", "p/y", "p/z"].map(str::to_owned);
    let judged = || judge(Ok(Reply::default()), "u/small", "Hello");
    let info = pick(judged(), &pool, available(&pool, |model| model != "p/y"), &council);
    assert!(info.is_routed);
    assert_eq!(info.models, ["p/x", "p/z"], "in the pool's order");
    assert_eq!((info.pool_size, info.total_models, info.routed_model_count), (3, 3, 2));
    let info = pick(judged(), &pool, available(&pool, |model| model == "p/y"), &council);
    assert!(!info.is_routed);
    assert_eq!(info.models, ["a/one", "b/two", "c/three"]);
    assert_eq!((info.pool_size, info.total_models, info.routed_model_count), (3, 3, 3));
}

proptest! {
    #[test]
    fn any_text_is_read(text in any::<String>()) {
        prop_assert!(by_keywords(&text).confidence <= 0.5);
        if let Some(read) = parse(&text) {
            prop_assert!(read.confidence.is_none_or(|share| (0.0..=1.0).contains(&share)));
        }
    }

    #[test]
    fn any_lines_of_the_form_are_read(
        lines in prop::collection::vec("(\\*\\*)?(CATEGORY|Confidence|reasoning)(\\*\\*)?[:：]? ?\\PC{0,12}", 0..6)
    ) {
        if let Some(read) = parse(&lines.join("\n")) {
            prop_assert!(read.reasoning.chars().count() <= MAX_REASONING_CHARS);
        }
    }
}
