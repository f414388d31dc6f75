//! Event streams, cut anywhere.

use proptest::prelude::*;

use super::*;

fn decode(pieces: &[&[u8]], bound: usize) -> (Vec<String>, bool) {
    let (events, failed) = events(pieces, bound);
    (events.into_iter().map(|event| event.data).collect(), failed)
}

fn events(pieces: &[&[u8]], bound: usize) -> (Vec<SseEvent>, bool) {
    let mut decoder = SseDecoder::new(bound);
    let mut out = Vec::new();
    let mut failed = false;
    for piece in pieces {
        failed |= decoder.push(piece, &mut out).is_err();
    }
    out.extend(decoder.finish());
    (out, failed)
}

fn all(text: &str) -> Vec<String> {
    decode(&[text.as_bytes()], 1 << 20).0
}

#[test]
fn every_line_end_separates_events() {
    for end in ["\n", "\r", "\r\n"] {
        assert_eq!(all(&format!("data: a{end}{end}data:b{end}{end}")), ["a", "b"], "{end:?}");
    }
}

#[test]
fn a_crlf_split_between_two_pieces_is_one_line_end() {
    let (events, _) = decode(&[b"data: a\r", b"\ndata: b\r", b"\n\r", b"\n"], 100);
    assert_eq!(events, ["a\nb"]);
}

#[test]
fn a_bom_at_the_start_is_skipped_and_later_ones_are_not() {
    assert_eq!(all("\u{feff}data: a\n\n"), ["a"]);
    assert_eq!(all("data: a\n\n\u{feff}data: b\n\n"), ["a"]);
}

#[test]
fn an_id_belongs_to_its_own_event() {
    let (events, _) = events(&[b"id: 7\ndata: a\n\ndata: b\n\nid:8\n\nid: 9\ndata: c\n\n"], 100);
    let read: Vec<_> = events.iter().map(|event| (event.id.as_deref(), event.data.as_str())).collect();
    assert_eq!(read, [(Some("7"), "a"), (None, "b"), (Some("9"), "c")]);
}

#[test]
fn comments_and_names_are_ignored() {
    assert_eq!(all(": keep-alive\n\nevent: x\nid: 1\nretry: 5\ndata: a\ndatabase: b\n\n"), ["a"]);
}

#[test]
fn json_under_another_name_or_none_is_data() {
    assert_eq!(all("data: a\n\nerror: {\"code\":1}\n\n"), ["a", "{\"code\":1}"]);
    assert_eq!(all("data: a\n\n{\"b\":1}\ndata: [DONE]\n\n"), ["a", "{\"b\":1}\n[DONE]"]);
    assert_eq!(all("errors: {}\n [1]\ndata: a\n\n"), ["a"]);
}

#[test]
fn bare_data_is_an_empty_line_and_one_space_only_is_removed() {
    assert_eq!(all("data\n\n"), [""]);
    assert_eq!(all("data\ndata\n\n"), ["\n"]);
    assert_eq!(all("data:  two\n\n"), [" two"]);
}

#[test]
fn a_tail_without_its_blank_line_counts() {
    assert_eq!(all("data: a\n\ndata: [DONE]"), ["a", "[DONE]"]);
    assert_eq!(all("data: a\n\ndata: [DONE]\n"), ["a", "[DONE]"]);
}

#[test]
fn an_event_over_the_bound_fails_and_keeps_what_came_before() {
    assert_eq!(decode(&[b"data: a\n\ndata: 0123456789abcdef\n\ndata: b\n\n"], 12), (vec!["a".into()], true));
    assert_eq!(decode(&[b"data: 01234\ndata: 01234\ndata: 01234\n\n"], 12), (vec![], true));
}

#[test]
fn a_character_cut_in_two_is_whole_again() {
    let text = "data: ü😀\n\n".as_bytes();
    for cut in 0..text.len() {
        assert_eq!(decode(&[&text[..cut], &text[cut..]], 100).0, ["ü😀"]);
    }
}

fn streams() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(b"data".to_vec()),
        Just(b"data: ".to_vec()),
        Just(b"\n".to_vec()),
        Just(b"\r".to_vec()),
        Just(b"\r\n".to_vec()),
        Just(b"\n\n".to_vec()),
        Just(b"\xEF\xBB\xBF".to_vec()),
        Just(b": c".to_vec()),
        Just("ü😀".as_bytes().to_vec()),
        proptest::collection::vec(any::<u8>(), 0..12),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_cutting_gives_the_same_events(
        stream in streams(),
        cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..20),
        bound in 1usize..64,
    ) {
        let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(stream.len() + 1)).collect();
        at.sort_unstable();
        let mut pieces = Vec::new();
        let mut from = 0;
        for to in at {
            pieces.push(&stream[from..to]);
            from = to;
        }
        pieces.push(&stream[from..]);
        prop_assert_eq!(events(&pieces, bound), events(&[&stream], bound));
    }
}
