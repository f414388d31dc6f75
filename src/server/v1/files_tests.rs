use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;
use serde_json::json;

use super::super::messages::{self, ParsedMessages};
use super::*;

fn limits() -> Attachments {
    let config =
        crate::config::Config::from_parts("", &BTreeMap::new(), &crate::config::Overrides::default());
    Attachments { max_bytes: 1000, max_image_bytes: 100, ..config.unwrap().attachments }
}

fn png() -> Vec<u8> {
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x03\0\0\0\x02\x08\x02\0\0\0".to_vec()
}

fn address(bytes: &[u8]) -> String {
    format!("data:image/png;base64,{}", STANDARD.encode(bytes))
}

/// A body with one message of the user whose content is these parts, read.
fn read(parts: &Value, limits: &Attachments) -> (Value, Result<ParsedMessages, Vec<FieldError>>) {
    let mut body = json!({"messages": [{"role": "user", "content": parts}]});
    let inline = InlineFiles::out_of(&mut body, "messages", limits);
    let said = messages::read("messages", body["messages"].as_array().unwrap(), &inline);
    (body, said)
}

#[test]
fn data_is_taken_out_and_its_hash_left() {
    let text = STANDARD.encode("It was in Lisbon.");
    let parts = json!([
        {"type": "text", "text": "Where?"},
        {"type": "image_url", "image_url": {"url": address(&png()), "detail": "low"}},
        {"type": "file", "file": {"filename": "../notes.md", "file_data": format!("data:text/markdown;base64,{text}")}},
        {"type": "input_file", "filename": " ", "file_data": text.trim_end_matches('=')},
        {"type": "file", "file": {"file_id": "abc", "filename": "b.txt"}},
        {"type": "input_file", "file_id": "abc"},
    ]);
    let (body, said) = read(&parts, &limits());
    let files: Vec<_> =
        said.unwrap().files.into_iter().map(|file| (file.field, file.filename, file.is_picture)).collect();
    let named = |place: u32, name: Option<&str>, is_picture| {
        (format!("messages[0].content[{place}]"), name.map(str::to_owned), is_picture)
    };
    let expected = [
        named(1, Some("image-1.png"), true),
        named(2, Some("notes.md"), false),
        named(3, Some("file-3.txt"), false),
        named(4, Some("b.txt"), false),
        named(5, None, false),
    ];
    assert_eq!(files, expected);
    let hash = hex::encode(Sha256::digest(png()));
    assert_eq!(body["messages"][0]["content"][1]["image_url"]["url"], format!("sha256:{hash}"));
    assert!(!body.to_string().contains(&text), "{body}");
}

#[test]
fn what_is_wrong_with_a_file_is_said_at_its_place() {
    let image = |url: &str| json!({"type": "image_url", "image_url": {"url": url}});
    let file = |data: &str| json!({"type": "file", "file": {"filename": "a.pdf", "file_data": data}});
    for (part, words) in [
        (image("https://example.com/a.png"), "fetches nothing from elsewhere"),
        (json!({"type": "image_url"}), "must be the picture itself"),
        (json!({"type": "input_image", "image_url": 7}), "must be the picture itself"),
        (json!({"type": "input_file", "file_url": "https://example.com/a.pdf"}), "must have the file itself"),
        (image("data:image/png,abc"), "in another form than Base64"),
        (image("data:image/png;base64"), "without data"),
        (image("data:image/png;base64,????"), "is not Base64"),
        (image("data:image/png;base64,"), "is empty"),
        (image(&address(b"\x89PNG\r\n\x1a\nno more")), "damaged or not one"),
        (image(&address(&[png(), vec![0; 100]].concat())), "larger than 100 bytes"),
        (file(&STANDARD.encode([b'a'; 1001])), "larger than 1000 bytes"),
        (file(&STANDARD.encode(b"\x7fELF\0")), "not of a type that is accepted"),
        (
            json!({"type": "file", "file": {"filename": "..", "file_data": STANDARD.encode("a")}}),
            "has a filename that is not a file name",
        ),
    ] {
        let (_, said) = read(&json!([{"type": "text", "text": "Why?"}, part]), &limits());
        let errors = said.unwrap_err();
        assert_eq!(errors.len(), 1, "{part}: {errors:?}");
        assert_eq!(errors[0].field, "messages[0].content[1]");
        assert!(errors[0].message.contains(words), "{part}: {}", errors[0].message);
    }
    for (limits, words) in [
        (Attachments { max_bytes: 0, ..limits() }, "this server takes none"),
        (Attachments { max_image_bytes: 0, ..limits() }, "takes none: describe it"),
    ] {
        let (_, said) = read(&json!([{"type": "text", "text": "Why?"}, image(&address(&png()))]), &limits);
        let errors = said.unwrap_err();
        assert!(errors[0].message.contains(words), "{}", errors[0].message);
    }
}

#[test]
fn only_the_user_comes_with_files_and_those_of_before_are_known_as_such() {
    let part = json!({"type": "image_url", "image_url": {"url": address(&png())}});
    let other = json!({"type": "input_file", "filename": "a.txt", "file_data": STANDARD.encode("a")});
    let list = |role: &str| {
        json!({"messages": [
            {"role": "user", "content": [{"type": "text", "text": "One?"}, part]},
            {"role": role, "content": "1"},
            {"role": "user", "content": [other, {"type": "text", "text": "Two?"}]},
        ]})
    };
    let files = |mut body: Value| {
        let inline = InlineFiles::out_of(&mut body, "messages", &limits());
        let said = messages::read("messages", body["messages"].as_array().unwrap(), &inline).unwrap();
        said.files.into_iter().map(|file| file.is_earlier).collect::<Vec<_>>()
    };
    assert_eq!(files(list("assistant")), [true, false]);
    assert_eq!(files(list("user")), [false, false], "nothing was answered in between");
    let mut unanswered = list("assistant");
    unanswered["messages"][1]["content"] = "".into();
    assert_eq!(files(unanswered), [false], "what was not answered is no part of it");

    for role in ["system", "assistant", "tool"] {
        let mut body =
            json!({"messages": [{"role": role, "content": [part]}, {"role": "user", "content": "Why?"}]});
        let inline = InlineFiles::out_of(&mut body, "messages", &limits());
        let errors = messages::read("messages", body["messages"].as_array().unwrap(), &inline).unwrap_err();
        assert_eq!(errors[0].field, "messages[0].content[0]", "{role}");
        assert!(errors[0].message.contains("only messages of the user"), "{}", errors[0].message);
    }
}

/// The value in the place of a part's data.
fn data() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<String>().prop_map(Value::from),
        prop::collection::vec(any::<u8>(), 0..40).prop_map(|bytes| address(&bytes).into()),
        "data:[a-z/;,=]{0,20}".prop_map(Value::from),
        Just(json!({"url": 7})),
        Just(Value::Null),
    ]
}

proptest! {
    #[test]
    fn whatever_stands_there_is_read_or_refused_and_no_data_is_left(
        data in data(), kind in prop::sample::select(vec!["image_url", "input_image", "file", "input_file", "text"]),
        name in any::<Option<String>>(),
    ) {
        let part = json!({
            "type": kind, "image_url": {"url": data}, "file_data": data, "text": "?", "filename": name,
            "file": {"file_data": data, "filename": name},
        });
        let (body, said) = read(&json!([{"type": "text", "text": "Why?"}, part]), &limits());
        match said {
            Ok(said) => {
                for file in &said.files {
                    prop_assert_eq!(file.id.len(), 64);
                    prop_assert!(body.to_string().contains(&file.id));
                }
            }
            Err(errors) => prop_assert_eq!(&errors[0].field, "messages[0].content[1]"),
        }
    }

    #[test]
    fn any_file_comes_out_as_it_went_in(text in "[a-zäöü漢 ]{0,60}[a-z]") {
        let part = json!({"type": "file", "file": {"file_data": STANDARD.encode(&text)}});
        let mut body = json!({"messages": [{"role": "user", "content": [part]}]});
        let inline = InlineFiles::out_of(&mut body, "messages", &limits());
        let id = hex::encode(Sha256::digest(&text));
        prop_assert_eq!(&inline.find(&id).expect("it is there").file.bytes[..], text.as_bytes());
    }
}
