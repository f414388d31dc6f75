use proptest::prelude::*;

use super::*;

const ABC: [char; 3] = ['A', 'B', 'C'];

fn selected(text: &str) -> Option<char> {
    parse(text, &ABC).selected
}

#[test]
fn the_demanded_form_is_read_whole() {
    let choice = parse(
        "EVALUATION:\nA is short. B is right.\n\nSELECTED: B\n\nREASONING:\nIt is complete.\nAnd clear.\n\n\
         FINAL RESPONSE:\nThe sky is blue.\n\nREASONING: Rayleigh.\nSELECTED: none of it\n",
        &ABC,
    );
    assert_eq!(choice.selected, Some('B'));
    assert_eq!(choice.reasoning.as_deref(), Some("It is complete.\nAnd clear."));
    assert_eq!(
        choice.response.as_deref(),
        Some("The sky is blue.\n\nREASONING: Rayleigh.\nSELECTED: none of it"),
        "the final answer goes to the end, whatever its lines look like"
    );
    assert_eq!(
        choice.deliberation,
        "EVALUATION:\nA is short. B is right.\n\nSELECTED: B\n\nREASONING:\nIt is complete.\nAnd clear."
    );
}

#[test]
fn the_letter_is_read_in_the_forms_that_models_write() {
    for line in [
        "SELECTED: B",
        "selected: b",
        "**SELECTED:** B",
        "**SELECTED: B**",
        "## Selected\n\nB",
        "SELECTED: [B]",
        "SELECTED: Draft B",
        "Selected draft: **B**",
        "SELECTED: Synthesis B.",
        "SELECTED: draft b",
        "2. SELECTED: B (the second)",
        "SELECTED： B",
        "> SELECTED: `B`",
        "SELECTION: B",
        "SELECTED: B is the best, A and C are short",
        "SELECTED: B because A is wrong",
        "SELECTED: B, draft B",
        "SELECTED: I am not sure\nSELECTED: B",
        "SELECTED: A\nOn second thought:\nSELECTED: B",
    ] {
        assert_eq!(selected(&format!("EVALUATION:\nA, C.\n{line}\nREASONING:\nA.")), Some('B'), "{line}");
    }
}

#[test]
fn what_names_no_draft_or_several_is_no_choice() {
    for line in [
        "SELECTED:",
        "SELECTED: none",
        "SELECTED: D",
        "SELECTED: A or B",
        "SELECTED: A/B",
        "SELECTED: A and C",
        "SELECTED: all of them are a good start",
        "Selected drafts were compared; B won.",
        "I prefer B.",
        "",
    ] {
        assert_eq!(selected(line), None, "{line}");
    }
}

#[test]
fn a_choice_after_the_final_answer_is_found() {
    let choice = parse("FINAL RESPONSE:\nThe sky is blue.\n\nSELECTED: C\nREASONING: clear", &ABC);
    assert_eq!(choice.selected, Some('C'));
    assert_eq!(choice.response.as_deref(), Some("The sky is blue."));
    assert_eq!(choice.reasoning.as_deref(), Some("clear"));
}

#[test]
fn a_final_answer_that_only_points_at_a_draft_is_none() {
    for response in [
        "",
        "\n \n",
        "(unchanged)",
        "Draft B",
        "See draft B.",
        "[same as the selected draft]",
        "None",
        "As is.",
    ] {
        let choice = parse(&format!("SELECTED: B\nFINAL RESPONSE: {response}"), &ABC);
        assert_eq!((choice.selected, choice.response), (Some('B'), None), "{response}");
    }
    assert_eq!(parse("SELECTED: B", &ABC).response, None);
    assert_eq!(
        parse("SELECTED: B\nFINAL RESPONSE: Draft B is right: 42.", &ABC).response.as_deref(),
        Some("Draft B is right: 42.")
    );
}

proptest! {
    #[test]
    fn any_text_is_read(text in any::<String>()) {
        let choice = parse(&text, &ABC);
        prop_assert!(choice.selected.is_none_or(|label| ABC.contains(&label)));
        prop_assert!(choice.response.is_none_or(|response| response.len() <= text.len()));
    }

    #[test]
    fn headings_in_any_order_are_read(
        lines in prop::collection::vec(prop_oneof![
            "(EVALUATION|SELECTED|REASONING|FINAL RESPONSE|selected draft)[:*# ]{0,3}[A-D ]{0,4}",
            "\\PC{0,12}",
        ], 0..9)
    ) {
        let choice = parse(&lines.join("\n"), &ABC);
        prop_assert!(choice.selected.is_none_or(|label| ABC.contains(&label)));
    }

    #[test]
    fn the_demanded_form_comes_back(
        label in prop::sample::select(&ABC[..]),
        reasoning in "[a-z]{3,9}( [a-z]{3,9}){0,4}",
        response in "[A-Z][a-z]{3,9}( [a-z]{3,9}){1,5}\\.(\n[a-z ]{1,20})?",
    ) {
        let text = format!("EVALUATION:\nFine.\n\nSELECTED: {label}\n\nREASONING:\n{reasoning}\n\nFINAL RESPONSE:\n{response}");
        let choice = parse(&text, &ABC);
        prop_assert_eq!(choice.selected, Some(label));
        prop_assert_eq!(choice.reasoning.as_deref(), Some(reasoning.trim()));
        let pointing = only_points(&response, &ABC);
        prop_assert!(pointing || choice.response.as_deref() == Some(response.trim()));
    }
}
