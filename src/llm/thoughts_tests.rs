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
        given.extend(thoughts.split(chunk).into_iter().flatten());
    }
    given.extend(thoughts.end());
    given
}

/// Thoughts and answer, each as a whole.
fn joined(chunks: &[Chunk]) -> (String, String) {
    let (mut thoughts, mut answer) = (String::new(), String::new());
    for chunk in chunks {
        if let Chunk::Text(text) = chunk {
            answer.push_str(text);
        } else if let Chunk::Reasoning(text) = chunk {
            thoughts.push_str(text);
        } else {
            panic!("{chunk:?}");
        }
    }
    (thoughts, answer)
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
    assert_eq!(thoughts.split(text("<")), [None, None]);
    assert_eq!(thoughts.split(text("b>")), [Some(text("<b>")), None]);
    assert_eq!(thoughts.split(text("<think>")), [Some(text("<think>")), None]);
    let mut thoughts = Thoughts::default();
    assert_eq!(thoughts.split(text("<think>a")), [Some(thought("a")), None]);
    assert_eq!(thoughts.split(text("b < c")), [Some(thought("b < c")), None]);
    assert_eq!(thoughts.split(text("</think>\nd")), [None, Some(text("d"))]);
}

#[test]
fn a_reply_whose_reasoning_comes_apart_is_left_as_it_is() {
    let quoted = || text("<think>a</think>b");
    for apart in [thought("Hm."), Chunk::ReasoningDetails(json!([{}]))] {
        assert_eq!(split([apart.clone(), quoted()]), [apart, quoted()]);
    }
    assert_eq!(split([text("<t"), thought("Hm."), text("d>")]), [text("<t"), thought("Hm."), text("d>")]);
}

#[test]
fn what_is_no_text_goes_by() {
    let stop = || Chunk::Finish("stop".to_owned());
    assert_eq!(split([text("<thi"), stop()]), [stop(), text("<thi")]);
    assert_eq!(split([text("<think>a</"), stop()]), [thought("a"), stop(), thought("</")]);
}

proptest! {
    #[test]
    fn how_a_text_is_cut_does_not_matter(
        whole in "[ \n]{0,3}(<think>|<thinking>|<|<thin)?(</?think>|</?thinking>|<|/|\n| |ü|\\PC){0,12}",
        sizes in prop::collection::vec(1_usize..6, 1..5),
    ) {
        let at_once = joined(&split([text(&whole)]));
        let chars: Vec<char> = whole.chars().collect();
        let mut pieces = Vec::new();
        let mut rest = &chars[..];
        for size in sizes.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (piece, more) = rest.split_at(rest.len().min(*size));
            pieces.push(Chunk::Text(piece.iter().collect()));
            rest = more;
        }
        prop_assert_eq!(&joined(&split(pieces)), &at_once);
        prop_assert!(at_once.0.len() + at_once.1.len() <= whole.len());
        if at_once.0.is_empty() && !whole.trim_start().starts_with("<think") {
            prop_assert_eq!(at_once.1, whole);
        }
    }
}
