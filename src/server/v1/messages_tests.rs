use proptest::prelude::*;
use serde_json::json;

use super::*;

fn turn(question: &str, answer: &str) -> Turn {
    Turn { question: question.into(), answer: answer.into() }
}

fn said(list: &Value) -> ParsedMessages {
    read("messages", list.as_array().unwrap(), &InlineFiles::default()).unwrap()
}

fn wrong(list: &Value) -> Vec<String> {
    let errors = read("messages", list.as_array().unwrap(), &InlineFiles::default()).unwrap_err();
    errors.into_iter().map(|error| error.field).collect()
}

#[test]
fn a_list_is_instructions_turns_and_a_question() {
    let list = json!([
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "One?"},
        {"role": "assistant", "content": "1"},
        {"role": "developer", "content": [{"type": "text", "text": "Be kind."}]},
        {"role": "user", "content": [{"type": "text", "text": "Two"}, {"type": "input_text", "text": "?"}]},
        {"role": "assistant", "content": [{"type": "output_text", "text": "2"}]},
        {"role": "user", "content": "Here is a page."},
        {"role": "user", "content": "Three?"}
    ]);
    let expected = ParsedMessages {
        system: Some("Be brief.\n\nBe kind.".into()),
        turns: vec![turn("One?", "1"), turn("Two?", "2")],
        question: "Here is a page.\n\nThree?".into(),
        files: Vec::new(),
    };
    assert_eq!(said(&list), expected);
}

#[test]
fn answers_without_a_question_and_questions_without_an_answer_are_no_turns_of_their_own() {
    let list = json!([
        {"role": "assistant", "content": "Hello."},
        {"role": "user", "content": "Lost?"},
        {"role": "assistant", "content": ""},
        {"role": "user", "content": "One?"},
        {"role": "assistant", "content": "1"},
        {"role": "assistant", "content": "or 2"},
        {"role": "user", "content": "Two?"}
    ]);
    assert_eq!(said(&list).turns, [turn(NOTHING_ASKED, "Hello."), turn("One?", "1\n\nor 2")]);
    // What was sent last is what is asked, whatever a program keeps free for its answer.
    for nothing in [json!(""), json!([]), Value::Null] {
        let list = json!([{"role": "user", "content": "One?"}, {"role": "assistant", "content": nothing}]);
        assert_eq!(said(&list), ParsedMessages { question: "One?".into(), ..ParsedMessages::default() });
    }
    let reasoned = json!([
        {"type": "reasoning", "summary": []}, {"type": "message", "role": "user", "content": "One?"}
    ]);
    assert_eq!(said(&reasoned).question, "One?");
    let searched = json!([
        {"role": "user", "content": "One?"},
        {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "one"}},
        {"type": "file_search_call", "id": "fs_1", "status": "completed", "queries": ["one"], "results": null},
        {"role": "assistant", "content": "1"},
        {"role": "user", "content": "Two?"}
    ]);
    assert_eq!(said(&searched).turns, [turn("One?", "1")]);
    assert_eq!(said(&searched).question, "Two?");
}

#[test]
fn what_another_model_had_tools_do_is_told_in_words() {
    let call = json!({"id": "c", "type": "function", "function": {"name": "weather", "arguments": "{\"in\":\"Rome\"}"}});
    let asked = json!([
        {"role": "user", "content": "Rain?"},
        {"role": "assistant", "content": null, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "dry"}
    ]);
    let words = "(called weather with {\"in\":\"Rome\"})\n\n(it gave: dry)";
    assert_eq!(said(&asked).question, format!("Rain?\n\n{FOUND}\n\n{words}"));
    let call = json!({"name": "weather", "arguments": "{\"in\":\"Rome\"}"});
    let in_the_old_form = json!([
        {"role": "user", "content": "Rain?"},
        {"role": "assistant", "content": null, "function_call": call},
        {"role": "function", "name": "weather", "content": "dry"}
    ]);
    assert_eq!(said(&in_the_old_form), said(&asked));
    let mut answered = asked.as_array().unwrap().clone();
    answered.push(json!({"role": "assistant", "content": "No."}));
    answered.push(json!({"role": "user", "content": "And then?"}));
    let answered = said(&Value::Array(answered));
    assert_eq!(answered.turns, [turn("Rain?", &format!("{words}\n\nNo."))]);
    assert_eq!(answered.question, "And then?");
    let items = json!([
        {"role": "user", "content": "Rain?"},
        {"type": "function_call", "call_id": "c", "name": "weather", "arguments": "{\"in\":\"Rome\"}"},
        {"type": "function_call_output", "call_id": "c", "output": "dry"}
    ]);
    assert_eq!(said(&items), said(&asked));
}

#[test]
fn every_message_that_cannot_be_read_is_named() {
    let list = json!([
        {"role": "user", "content": [{"type": "text", "text": "Look:"}, {"type": "image_url", "image_url": {"url": "x"}}]},
        {"role": "user", "content": [{"type": "input_file", "file_id": "f"}]},
        {"role": "tool"},
        {"role": "assistant", "content": null, "tool_calls": [{"id": "1"}]},
        {"role": "oracle", "content": "?"},
        {"role": "user"},
        {"role": "user", "content": 7},
        {"type": "item_reference", "id": "x"},
        "Hello"
    ]);
    let expected = [
        "messages[0].content[1]",
        "messages[1].content[0]",
        "messages[2].content",
        "messages[3].tool_calls[0]",
        "messages[4].role",
        "messages[5].content",
        "messages[6].content",
        "messages[7].type",
        "messages[8]",
    ];
    assert_eq!(wrong(&list), expected);
    for list in [
        json!([]),
        json!([{"role": "system", "content": "Be brief."}]),
        json!([{"role": "user", "content": "One?"}, {"role": "assistant", "content": "1"}]),
        json!([{"role": "user", "content": " "}]),
    ] {
        assert_eq!(wrong(&list), ["messages"], "{list}");
    }
}

#[test]
fn of_very_many_messages_that_cannot_be_read_the_first_are_named_and_the_others_counted() {
    let list = vec![Value::from(0); 1_000_000];
    let errors = read("messages", &list, &InlineFiles::default()).unwrap_err();
    assert_eq!(errors.len(), MOST_NAMED + 1);
    assert_eq!(errors[0].field, "messages[0]");
    let rest = FieldError::value("messages", "has 999950 more messages that cannot be read");
    assert_eq!(errors.last(), Some(&rest));
}

/// JSON that is nearly a message.
fn nearly() -> impl Strategy<Value = Value> {
    let word = prop_oneof![
        Just("role"),
        Just("content"),
        Just("type"),
        Just("text"),
        Just("user"),
        Just("assistant"),
        Just("system"),
        Just("tool_calls"),
        Just("image_url"),
        Just("message"),
        Just("\0"),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        word.clone().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 64, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((word.clone().prop_map(str::to_owned), inner), 0..5)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn whatever_a_list_holds_it_is_read_or_refused(list in prop::collection::vec(nearly(), 0..6)) {
        match read("messages", &list, &InlineFiles::default()) {
            Ok(said) => prop_assert!(!said.question.trim().is_empty()),
            Err(errors) => prop_assert!(!errors.is_empty()),
        }
    }

    #[test]
    fn turns_come_back_as_they_were(texts in prop::collection::vec("[a-z]{1,9}", 1..9)) {
        let role = |place: usize| if place.is_multiple_of(2) { "user" } else { "assistant" };
        let odd = if texts.len().is_multiple_of(2) { texts[1..].to_vec() } else { texts };
        let list: Vec<Value> =
            odd.iter().enumerate().map(|(place, text)| json!({"role": role(place), "content": text})).collect();
        let said = read("input", &list, &InlineFiles::default()).unwrap();
        let back: Vec<String> =
            said.turns.into_iter().flat_map(|turn| [turn.question, turn.answer]).chain([said.question]).collect();
        prop_assert_eq!(back, odd);
    }
}
