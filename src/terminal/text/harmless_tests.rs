use proptest::prelude::*;

use super::*;

#[test]
fn sequences_go_as_a_whole() {
    for (text, left) in [
        ("\x1b[31mred\x1b[0m", "red"),
        ("a\x1b[2J\x1b[1;1Hb", "ab"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;https://evil.example\x1b\\bank\x1b]8;;\x1b\\", "bank"),
        ("\x1b]52;c;aGVsbG8=\x07x", "x"),
        ("\x1bP1$r0m\x1b\\x", "x"),
        ("\x1b_Gf=32;AAAA\x1b\\x", "x"),
        ("\x1b^private\x1b\\x\x1bXstring\x1b\\y", "xy"),
        ("\u{9b}31mred\u{9d}0;t\u{9c}x\u{90}q\u{9c}y", "redxy"),
        ("\x1b(Bx\x1bcy\x1b7z", "xyz"),
        ("\x1b[?1049h\x1b[?25lx", "x"),
        ("a\x08b\x07c\x7fd\0e", "abcde"),
        ("\u{84}a\u{8d}b", "ab"),
    ] {
        assert_eq!(harmless(text), left, "{text:?}");
    }
}

#[test]
fn a_sequence_that_never_ends_swallows_nothing() {
    assert_eq!(harmless("\x1b]0;the text\nand more"), "0;the text\nand more");
    assert_eq!(harmless("\x1b]0;the text\x1b[1m and more"), "0;the text and more");
    assert_eq!(harmless("\x1b]0;one\u{9d}0;two\x07three"), "0;onethree");
    assert_eq!(harmless("\x1b[12ä"), "ä");
    assert_eq!(harmless("\x1b[12\nx"), "\nx");
    assert_eq!(harmless("x\x1b"), "x");
    assert_eq!(harmless("x\x1b[3"), "x");
    let long = format!("\x1bP{}", "x".repeat(100_000));
    assert_eq!(harmless(&long).len(), 100_000);
}

#[test]
fn breaks_and_tabs_are_plain() {
    assert_eq!(harmless("10%\r20%\r\nb\u{b}c\u{c}d\u{85}e\u{2028}f\r\rg"), "10%\n20%\nb\nc\nd\ne\nf\n\ng");
    assert_eq!(harmless("a\tb\n\tc\nabcd\te"), "a   b\n    c\nabcd    e");
}

#[test]
fn nothing_invisible_is_left_and_scripts_and_emoji_are_whole() {
    assert_eq!(harmless("abc\u{202e}gpj.exe\u{2066}x\u{200b}\u{feff}\u{e0041}\u{1d173}"), "abcgpj.exex");
    for whole in [
        "👩‍👩‍👧‍👦 ❤️ 🇩🇪 👍🏽",
        "שלום עולם",
        "مرحبا",
        "نمی‌خواهم",
        "क्षत्रिय",
        "é e\u{301}",
        "漢字\nかな",
        "葛󠄀".trim_end_matches('󠄀'),
    ] {
        assert!(matches!(harmless(whole), Cow::Borrowed(_)), "{whole:?}");
        assert_eq!(harmless(whole), whole);
    }
    assert_eq!(harmless(&format!("a{}b", "\u{301}".repeat(1000))).chars().count(), 2 + MAX_MARKS);
}

#[test]
fn titles_are_one_line() {
    assert_eq!(one_line("  a \n\n b\t\x1b[31mc "), "a b c");
    assert!(matches!(one_line("a b"), Cow::Borrowed("a b")));
    assert_eq!(one_line(" \n "), "");
}

/// Text in which sequences are likely.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("\x1b".to_owned()),
        Just("\x1b[".to_owned()),
        Just("\x1b]".to_owned()),
        Just("\x1b\\".to_owned()),
        Just("\x1bP".to_owned()),
        Just("\r".to_owned()),
        Just("\n".to_owned()),
        Just("\t".to_owned()),
        "[\u{0}-\u{1f}\u{7f}-\u{9f}]",
        "[\u{200b}-\u{200f}\u{2028}-\u{202e}\u{2060}-\u{206f}\u{300}\u{fe0f}]",
        "[0-9;?m A-Z\\\\]{1,4}",
        any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

#[test]
fn json_controls_no_terminal_and_is_read_as_it_was() {
    let text = "a\x1b[2J\u{9b}31mb\x7fc\u{202e}d\u{2028}e\u{9d}0;t\u{9c}\t\"\\ ü漢";
    let json = serde_json::json!({"text": text, "list": [1, null]});
    for written in [json.to_string(), format!("{json:#}")] {
        let shown = harmless_json(&written);
        assert!(is_harmless(&shown) && shown.contains("\\u009b31m") && shown.contains("ü漢"), "{shown}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), json);
    }
    assert!(matches!(harmless_json("{\"a\": \"ü\"}"), Cow::Borrowed(_)));
}

proptest! {
    #[test]
    fn nothing_is_left_that_controls_a_terminal(text in text()) {
        let left = harmless(&text);
        prop_assert!(is_harmless(&left));
        for c in left.chars() {
            let controls = c != '\n' && matches!(c, '\0'..='\x1f' | '\x7f'..='\u{9f}');
            prop_assert!(!controls && !crate::invisible::is_hidden(c), "{c:?} in {left:?}");
        }
        prop_assert_eq!(harmless(&left), &*left);
        prop_assert!(!one_line(&text).contains('\n'));
        let line = one_line(&text);
        prop_assert_eq!(one_line(&line), &*line);
    }

    #[test]
    fn pieces_give_what_the_whole_gives(text in text(), cuts in prop::collection::vec(0usize..6, 0..60)) {
        let mut stream = Harmless::default();
        let mut out = String::new();
        let mut rest: Vec<char> = text.chars().collect();
        for cut in cuts {
            let piece: String = rest.drain(..cut.min(rest.len())).collect();
            out.push_str(&stream.push(&piece));
        }
        out.push_str(&stream.push(&rest.iter().collect::<String>()));
        out.push_str(&stream.finish());
        prop_assert_eq!(out, harmless(&text));
    }

    #[test]
    fn text_without_controls_stays_as_it_is(text in "[ -~äß漢\n]{0,80}") {
        prop_assert_eq!(harmless(&text), &*text);
    }
}
