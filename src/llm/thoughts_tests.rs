use proptest::prelude::*;
use serde_json::json;

use super::*;

fn text(text: &str) -> Chunk {
    Chunk::Text(text.to_owned())
}

fn thought(text: &str) -> Chunk {
    Chunk::Reasoning(text.to_owned())
}

fn split(chunks: impl IntoIterator<Item = Chunk>) -> Vec<Chunk> {
    let mut thoughts = Thoughts::default();
    let mut given: Vec<Chunk> = Vec::new();
    for chunk in chunks {
        let said = said(&given);
        given.extend(thoughts.split(chunk, &said).into_iter().flatten());
    }
    let said = said(&given);
    given.extend(thoughts.end(&said));
    given
}

/// The text of a reply with these chunks.
fn said(chunks: &[Chunk]) -> String {
    let mut text = String::new();
    for chunk in chunks {
        if let Chunk::Text(piece) = chunk {
            text.push_str(piece);
        } else if let Chunk::TextWasReasoning(_) = chunk {
            text.clear();
        }
    }
    text
}

/// Thoughts and answer, each as a whole.
fn joined(chunks: &[Chunk]) -> (String, String) {
    let (mut thoughts, mut answer) = (String::new(), String::new());
    for chunk in chunks {
        if let Chunk::Text(text) = chunk {
            answer.push_str(text);
        } else if let Chunk::Reasoning(text) = chunk {
            thoughts.push_str(text);
        } else if let Chunk::TextWasReasoning(text) = chunk {
            let thought = std::mem::take(&mut answer) + text;
            thoughts.push_str(thought.trim_start());
        } else {
            panic!("{chunk:?}");
        }
    }
    (thoughts, answer)
}

/// A text in pieces of these sizes (in characters, repeated).
fn in_pieces(whole: &str, sizes: &[usize]) -> Vec<Chunk> {
    let chars: Vec<char> = whole.chars().collect();
    let (mut pieces, mut rest) = (Vec::new(), &chars[..]);
    for size in sizes.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (piece, more) = rest.split_at(rest.len().min(*size));
        pieces.push(Chunk::Text(piece.iter().collect()));
        rest = more;
    }
    pieces
}

#[test]
fn thoughts_before_the_answer_are_told_from_it() {
    for (whole, thoughts, answer) in [
        ("<think>Hm.</think>Yes.", "Hm.", "Yes."),
        ("\n <think>\nHm.\n</think>\n\nYes.\n", "Hm.\n", "Yes.\n"),
        ("<thinking>Hm, </think> and <b>.</thinking> Yes.", "Hm, </think> and <b>.", "Yes."),
        ("<think>\n\n</think>\n\nYes.", "", "Yes."),
        ("<think>a</think><think>b</think>", "a", "<think>b</think>"),
        ("<think>Hm. 1 < 2 </thin", "Hm. 1 < 2 </thin", ""),
        ("<think>", "", ""),
        ("<think>  </think>  ", "", ""),
    ] {
        let (thoughts, answer) = (thoughts.to_owned(), answer.to_owned());
        assert_eq!(joined(&split([text(whole)])), (thoughts, answer), "{whole:?}");
    }
}

#[test]
fn a_text_without_them_is_left_as_it_is() {
    for whole in [
        "",
        "Yes.",
        " \n Yes.",
        "Write <think>so</think>.",
        "<thin",
        "<thinker>a</thinker>",
        "< think>a</think>",
        "<b>a</b>",
        "`<think>a</think>`",
        "a</think>b",
        &format!("{}<think>a</think>b", " ".repeat(MOST_BLANKS + 1)),
    ] {
        assert_eq!(joined(&split([text(whole)])), (String::new(), whole.to_owned()), "{whole:?}");
    }
}

#[test]
fn nothing_is_held_back_once_it_is_no_tag() {
    let mut thoughts = Thoughts::default();
    assert_eq!(thoughts.split(text("<"), ""), [None, None]);
    assert_eq!(thoughts.split(text("b>"), ""), [Some(text("<b>")), None]);
    assert_eq!(thoughts.split(text("<think>"), "<b>"), [Some(text("<think>")), None]);
    let mut thoughts = Thoughts::default();
    assert_eq!(thoughts.split(text("<think>a"), ""), [Some(thought("a")), None]);
    assert_eq!(thoughts.split(text("b < c"), ""), [Some(thought("b < c")), None]);
    assert_eq!(thoughts.split(text("</think>\nd"), ""), [None, Some(text("d"))]);
}

#[test]
fn a_closing_tag_without_a_beginning_ends_the_thoughts_before_it() {
    for (whole, thoughts, answer) in [
        ("Hm.\n</think>\n\nYes.\n", "Hm.\n", "Yes.\n"),
        ("Hm, 2 < 3.</think>\n\nYes.", "Hm, 2 < 3.", "Yes."),
        ("Hm.\r\n</think> \r\n\r\nYes.", "Hm.\r\n", "Yes."),
        ("\nHm.\n  </thinking>\t\nYes.", "Hm.\n  ", "Yes."),
        ("A `b` and\n```\nc\n```\n</think>\nYes.", "A `b` and\n```\nc\n```\n", "Yes."),
        ("Hm.\n</think>\nYes.\n</think>\nNo.", "Hm.\n", "Yes.\n</think>\nNo."),
        ("Hm.\n</think>", "Hm.\n", ""),
        ("Hm.\n</think> \n", "Hm.\n", ""),
        ("</think>\n\nYes.", "", "Yes."),
        ("\n</think>\n\nYes.", "", "Yes."),
    ] {
        let expected = (thoughts.to_owned(), answer.to_owned());
        for sizes in [&[1][..], &[3, 2], &[7], &[1_000]] {
            assert_eq!(joined(&split(in_pieces(whole, sizes))), expected, "{whole:?} {sizes:?}");
        }
    }
}

#[test]
fn a_closing_tag_that_an_answer_mentions_is_part_of_it() {
    for whole in [
        "It ends with </think> and then",
        "It ends with </think>\nand then",
        "It ends with `</think>`\nand then",
        "It ends with `a\n</think>\n` and then",
        "It ends with </think>",
        "It ends with \"</think>\".\n",
        "a</think>b",
        "```\n</think>\n```\nis it.",
        "~~~~xml\n```\n</think>\nb",
        "    </think>\nis code.",
        "> a</think>\nquotes.",
        "Write <think>so\n</think>\nand then",
        // The first tag is a mention, so the others are too.
        "It is `</think>`.\n</think>\nand then",
        &format!("Hm.\n</think>{}\nYes.", " ".repeat(MOST_BLANKS + 1)),
    ] {
        for sizes in [&[1][..], &[3, 2], &[7], &[1_000]] {
            let expected = (String::new(), whole.to_owned());
            assert_eq!(joined(&split(in_pieces(whole, sizes))), expected, "{whole:?} {sizes:?}");
        }
    }
}

#[test]
fn thoughts_that_come_whole_are_never_taken_for_text() {
    assert_eq!(split([text("\nHm.\n</think>\n\nYes.")]), [thought("Hm.\n"), text("Yes.")]);
    let mut thoughts = Thoughts::default();
    assert_eq!(thoughts.split(text("Hm"), ""), [Some(text("Hm")), None]);
    assert_eq!(thoughts.split(text(".\n</think>"), "Hm"), [Some(text(".\n")), None]);
    let rest = Chunk::TextWasReasoning(String::new());
    assert_eq!(thoughts.split(text("\n\nYes."), "Hm.\n"), [Some(rest), Some(text("Yes."))]);
}

#[test]
fn a_reply_whose_reasoning_comes_apart_is_left_as_it_is() {
    let quoted = || text("<think>a</think>b");
    for apart in [thought("Hm."), Chunk::ReasoningDetails(json!([{}]))] {
        assert_eq!(split([apart.clone(), quoted()]), [apart, quoted()]);
    }
    assert_eq!(split([text("<t"), thought("Hm."), text("d>")]), [text("<t"), thought("Hm."), text("d>")]);
    let unopened = || text("a\n</think>\nb");
    assert_eq!(split([thought("Hm."), unopened()]), [thought("Hm."), unopened()]);
    assert_eq!(split([text("a"), thought("Hm."), unopened()]), [text("a"), thought("Hm."), unopened()]);
    let held = || text("</think>");
    assert_eq!(split([text("a\n"), held(), thought("Hm.")]), [text("a\n"), held(), thought("Hm.")]);
}

#[test]
fn what_is_no_text_goes_by() {
    let stop = || Chunk::Finish("stop".to_owned());
    assert_eq!(split([text("<thi"), stop()]), [stop(), text("<thi")]);
    assert_eq!(split([text("<think>a</"), stop()]), [thought("a"), stop(), thought("</")]);
}

/// Text of an answer, with marks of code and quotation of its own.
fn prose() -> impl Strategy<Value = String> {
    let line =
        prop_oneof!["[a-zA-Zü.,:<> ]{0,20}", "`[a-z ]{1,5}`", "[-#>] [a-z ]{0,10}", Just(String::new())];
    prop::collection::vec(line, 0..5).prop_map(|lines| lines.join("\n"))
}

proptest! {
    #[test]
    fn how_a_text_is_cut_does_not_matter(
        whole in "[ \n]{0,3}(<think>|<thinking>|<|<thin)?(</?think>|</?thinking>|</think>\n|```\n|`|<|/|\n| |ü|\\PC){0,12}",
        sizes in prop::collection::vec(1_usize..6, 1..5),
    ) {
        let at_once = joined(&split([text(&whole)]));
        prop_assert_eq!(&joined(&split(in_pieces(&whole, &sizes))), &at_once);
        prop_assert!(at_once.0.len() + at_once.1.len() <= whole.len());
        if at_once.0.is_empty() && !whole.trim_start().starts_with("<think") && !whole.contains("</think") {
            prop_assert_eq!(at_once.1, whole);
        }
    }

    #[test]
    fn a_closing_tag_in_code_changes_nothing(
        (before, inside, after) in (prose(), "[a-z<\n ]{0,10}", prose()),
        fence in prop::sample::select(vec!["```", "````", "~~~"]),
        tag in prop::sample::select(vec!["</think>", "</thinking>"]),
        sizes in prop::collection::vec(1_usize..9, 1..5),
    ) {
        for whole in [
            format!("{before}\n{fence}\n{inside}\n{tag}\n{inside}\n{fence}\n{after}"),
            format!("{before}\n\nIt is `{tag}`\n{after}"),
            format!("{before}It ends with {tag} and {after}"),
        ] {
            prop_assert_eq!(joined(&split(in_pieces(&whole, &sizes))), (String::new(), whole));
        }
    }

    #[test]
    fn thoughts_that_only_end_are_told_from_any_answer(
        (thinking, answer) in (prose(), prose()),
        is_glued: bool,
        tag in prop::sample::select(vec!["</think>", "</thinking>"]),
        sizes in prop::collection::vec(1_usize..9, 1..5),
    ) {
        let thinking = format!("Hm, {thinking}{}", if is_glued { "\n\nSo." } else { "\n" });
        let whole = format!("{thinking}{tag}\n\n{answer}");
        let expected = (thinking, answer.trim_start().to_owned());
        prop_assert_eq!(joined(&split(in_pieces(&whole, &sizes))), expected);
    }
}
