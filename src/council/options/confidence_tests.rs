use proptest::prelude::*;

use super::*;
use crate::council::Event;
use crate::council::line_filter::tests::in_pieces;
use crate::council::stages::answers::{AnswersEvent, AnswersMetadata};

#[test]
fn a_logged_summary_is_read_back_inside_its_event() {
    let metadata = AnswersMetadata {
        aggregate_confidence: summary(&[Some(8), Some(10), None], 3),
        escalation_info: None,
    };
    let event = Event::from(AnswersEvent::Stage1Complete { data: Vec::new(), metadata });
    let json = serde_json::to_string(&event).expect("plain data");
    assert_eq!(Event::read(json.as_bytes()).expect("an event"), event);
}

#[test]
fn the_line_is_read_in_the_forms_that_models_write() {
    for line in [
        "CONFIDENCE: 8",
        "confidence: 8",
        "**CONFIDENCE: 8**",
        "**Confidence:** 8",
        "Confidence: 8/10",
        "CONFIDENCE: 8 / 10",
        "CONFIDENCE: 8.",
        "## Confidence: 8 out of 10",
        "CONFIDENCE: 7.5",
        "*Confidence*: `8`",
        "CONFIDENCE： 8",
        "CONFIDENCE：８",
        "CONFIDENCE: ８/10",
        "CONFIDENCE: [8]",
        "CONFIDENCE: (8/10)",
        "Confidence: - 8",
    ] {
        assert_eq!(parse(&format!("An answer.\n\n{line}\n")), ("An answer.".to_owned(), Some(8)), "{line}");
    }
}

#[test]
fn out_of_range_is_null_and_other_lines_stay() {
    for line in [
        "CONFIDENCE: 11",
        "CONFIDENCE: 0",
        "CONFIDENCE: -3",
        "CONFIDENCE: 1e9",
        "CONFIDENCE: 80%",
        "**Confidence:** 7-8",
        "CONFIDENCE: ８割",
        "Confidence: high (8)",
        "CONFIDENCE: 8/10 or 9",
    ] {
        for end in ["", "\n", "\n \n\n"] {
            assert_eq!(
                parse(&format!("An answer.\n{line}{end}")),
                ("An answer.".to_owned(), None),
                "{line:?}{end:?}"
            );
        }
    }
    for line in [
        "Confidence: high",
        "CONFIDENCE: inf",
        "Confidence in this is 8",
        "CONFIDENCE 8",
        "My CONFIDENCE: 8",
        "Confidence: in 8 of 10 cases",
        "Confidence: 95%\nThat is the interval.",
    ] {
        let text = format!("An answer.\n{line}");
        assert_eq!(parse(&text), (text.clone(), None));
    }
}

#[test]
fn a_line_inside_code_stays_and_counts_only_at_the_very_end() {
    let shown = "Write this:\n\n```text\nAn answer.\nCONFIDENCE: 10\n```\n\nThat is all.";
    assert_eq!(parse(&format!("{shown}\n\nCONFIDENCE: 3")), (shown.to_owned(), Some(3)));
    assert_eq!(parse(shown), (shown.to_owned(), None));
    for code in ["~~~\nCONFIDENCE: 10\n```\n~~~ \n", "````\n```\nCONFIDENCE: 10\n````"] {
        assert_eq!(parse(code), (code.trim_end().to_owned(), None), "{code}");
    }
    assert_eq!(parse("```in a line```\nCONFIDENCE: 4"), ("```in a line```".to_owned(), Some(4)));
    assert_eq!(parse("```\nx\nCONFIDENCE: 5"), ("```\nx\nCONFIDENCE: 5".to_owned(), Some(5)));
    let last = "An answer.\n\n```\nCONFIDENCE: 8\n```";
    assert_eq!(parse("> CONFIDENCE: 10\nCONFIDENCE: 2"), ("> CONFIDENCE: 10".to_owned(), Some(2)));
    assert_eq!(parse(last), (last.to_owned(), Some(8)));
}

#[test]
fn the_last_line_counts() {
    assert_eq!(parse("CONFIDENCE: 3\nWait.\nCONFIDENCE: 9"), ("Wait.".to_owned(), Some(9)));
}

#[test]
fn the_summary_counts_who_said_one() {
    let summary = summary(&[Some(8), None, Some(7), Some(8)], 4);
    assert_eq!(summary.average, Some(7.67));
    assert_eq!((summary.min, summary.max, summary.count, summary.total_models), (Some(7), Some(8), 3, 4));
    assert_eq!(summary.distribution, BTreeMap::from([(7, 1), (8, 2)]));
    assert_eq!(super::summary(&[None], 1).average, None);
}

proptest! {
    #[test]
    fn what_streams_is_what_is_stored(
        lines in prop::collection::vec(prop_oneof!["[a-zA-Z :*]{0,12}", "(```|~~~~)[a-z`]{0,2}", "\\*{0,2}CONFIDENCE:? ?[0-9/ ]{0,5}", "Confidence[:：] ?[-0-9８%() a]{0,14}", "\\PC{0,9}"], 0..6),
        sizes in prop::collection::vec(1usize..6, 1..4),
    ) {
        let text = lines.join("\n");
        let streamed = in_pieces(&mut Filter::default(), &text, &sizes);
        prop_assert_eq!(streamed.trim_end(), parse(&text).0);
    }

    #[test]
    fn any_text_is_read(text in any::<String>()) {
        let (shown, score) = parse(&text);
        prop_assert!(shown.len() <= text.len());
        prop_assert!(score.is_none_or(|score| (1..=10).contains(&score)));
    }
}
