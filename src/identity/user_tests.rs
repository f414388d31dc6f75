use proptest::prelude::*;

use super::*;

fn form(name: &str) -> Option<String> {
    canonical(name).map(|user| user.to_string())
}

#[test]
fn names_that_people_have_keep_everything_but_their_case() {
    for (name, expected) in [
        ("Ann.Lee@Example.com", "ann.lee@example.com"),
        ("auth0|5f7c8ec7c33c6c004bbafe82", "auth0|5f7c8ec7c33c6c004bbafe82"),
        ("EXAMPLE\\Ann", "example\\ann"),
        ("Ann Lee", "ann lee"),
        ("M\u{fc}ller", "m\u{fc}ller"),
        // The same name as two characters.
        ("Mu\u{308}ller", "m\u{fc}ller"),
        ("\u{c5}sa", "\u{e5}sa"),
        ("\u{41e}\u{43b}\u{44c}\u{433}\u{430}", "\u{43e}\u{43b}\u{44c}\u{433}\u{430}"),
        ("\u{5d3}\u{5d5}\u{5d3}", "\u{5d3}\u{5d5}\u{5d3}"),
        ("\u{5c71}\u{7530}", "\u{5c71}\u{7530}"),
        ("nonette", "nonette"),
        ("anonymous@example.com", "anonymous@example.com"),
        ("LOCAL", LOCAL),
    ] {
        assert_eq!(form(name).as_deref(), Some(expected), "{name}");
    }
}

#[test]
fn a_character_that_only_looks_like_another_makes_nobody() {
    for name in [
        "\u{212a}ate",  // KELVIN SIGN
        "\u{212b}sa",   // ANGSTROM SIGN
        "\u{2126}mega", // OHM SIGN
        "\u{ff41}nn",   // wide
        "\u{1d41a}nn",  // mathematical bold
        "\u{fb01}nn",   // ligature
        "\u{17f}am",    // long s
        "ann\u{2082}",  // subscript
        "\u{1d173}ann", // an invisible character of musical notation
        "ann\u{2800}",  // BRAILLE PATTERN BLANK
        "\u{2800}",
        "ann\u{200d}",
        "ann\u{ad}",
        "ann\u{e0061}",
        "ann\u{fe0f}",
        "ann\u{3164}",
        "ann\u{a0}lee",
        "ann\u{2003}lee",
        "ann\u{202e}",
        "\u{1f600}",
        "ann\u{378}", // not assigned
        "a\u{5d0}",   // changes the text direction inside a name
    ] {
        assert_eq!(form(name), None, "{name:?}");
    }
}

#[test]
fn what_is_no_name_makes_nobody() {
    for name in [
        "",
        " ",
        " ann",
        "ann ",
        "ann  lee",
        "ann\tlee",
        "ann\0",
        "\u{301}",
        "\u{301}ann",
        "-\u{301}",
        "ann \u{301}",
        "alice, bob",
        "alice,bob",
        ",",
        "None",
        "NULL",
        "(null)",
        "<nil>",
        "\"null\"",
        "undefined",
        "Anonymous",
        "[anonymous]",
        "<no value>",
        "unknown",
        "-",
        "--",
        "...",
        "*",
        "?",
        "@",
        "()",
    ] {
        assert_eq!(form(name), None, "{name:?}");
    }
    assert_eq!(form(&"a".repeat(256)), None);
    assert!(form(&"a".repeat(255)).is_some());
}

/// Every character there is, alone and beside a letter: none becomes somebody else's id.
#[test]
fn only_case_and_composition_ever_change_a_character() {
    for c in ('\0'..=char::MAX).filter(|c| !c.is_ascii()) {
        for name in [c.to_string(), format!("a{c}"), format!("{c}a")] {
            let Some(form) = form(&name) else { continue };
            let composed: String = name.nfc().collect();
            assert!(!form.is_ascii(), "{name:?} is taken for {form:?}");
            let same: String = composed.to_lowercase().nfc().collect();
            assert_eq!(form, same, "{name:?}");
        }
    }
}

proptest! {
    #[test]
    fn the_form_of_a_form_is_itself(name in prop_oneof![any::<String>(), "[a-zA-Z0-9@. \u{c0}-\u{24f}\u{300}-\u{3ff}\u{2100}-\u{214f}\u{5d0}-\u{64a}]{0,12}"]) {
        if let Some(user) = canonical(&name) {
            prop_assert_eq!(canonical(user.as_str()), Some(user.clone()));
            prop_assert!(!user.as_str().contains(','));
        }
    }

    #[test]
    fn two_names_are_one_person_only_by_case_and_composition(one in "[kK\u{212a}sS\u{17f}\u{e5}\u{c5}\u{212b}a\u{30a}iI\u{130}\u{131}]{1,3}", two in "[kK\u{212a}sS\u{17f}\u{e5}\u{c5}\u{212b}a\u{30a}iI\u{130}\u{131}]{1,3}") {
        if let (Some(first), Some(second)) = (canonical(&one), canonical(&two)) {
            let plain = |name: &str| name.nfc().collect::<String>().to_lowercase().nfc().collect::<String>();
            prop_assert_eq!(first == second, plain(&one) == plain(&two));
        }
    }
}
