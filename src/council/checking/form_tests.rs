use proptest::prelude::*;

use super::*;
use crate::llm::ToolCall;

fn read(text: &str) -> Form {
    Form::read(&Reply { text: text.to_owned(), ..Reply::default() })
}

#[test]
fn a_search_is_read_in_every_form() {
    let wanted = || Form::Search { thought: "Is it 2019?".to_owned(), query: "rust 1.0 date".to_owned() };
    for text in [
        "Thought: Is it 2019?\nAction: search_web(\"rust 1.0 date\")",
        "**Thought:** Is it 2019?\n**Action:** `search_web('rust 1.0 date')`\nObservation: It was 2015.\nAction: synthesize()\nIt was.",
        "thought 1: Is it 2019?\n\naction 1: search(query=\"rust 1.0 date\")",
        "Thought: Is it\n2019?\nAction: web_search: rust 1.0 date",
        "Thought: Is it 2019?\nAction: search_web({\"query\": \"rust 1.0 date\"})",
        "Thought: Is it 2019?\nAction: search_web[“rust 1.0 date”].",
    ] {
        assert_eq!(read(text), wanted(), "{text}");
    }
}

#[test]
fn a_text_is_read_with_and_without_its_form() {
    let text = |thought: Option<&str>| Form::Text {
        thought: thought.map(str::to_owned),
        text: "It was 2015 [1].".to_owned(),
    };
    assert_eq!(read("It was 2015 [1]."), text(None));
    for written in [
        "Thought: Enough.\nAction: synthesize()\n\nIt was 2015 [1].",
        "Thought: Enough.\nAction: Synthesize\nIt was 2015 [1].\n",
        "Thought: Enough.\nFinal Answer: It was 2015 [1].",
        "Thought: Enough.\n**Answer:**\nIt was 2015 [1].",
    ] {
        assert_eq!(read(written), text(Some("Enough.")), "{written}");
    }
    assert_eq!(read("Action: synthesize()"), Form::Ready { thought: String::new() });
    assert_eq!(read("synthesize()\n\nIt was 2015 [1]."), text(Some("")));
    let inside = "A thought: this text has an\nAction: search_web(\"x\")\nin it.";
    assert_eq!(read(inside), Form::Text { thought: None, text: inside.to_owned() });
}

#[test]
fn an_action_is_read_without_the_word_before_it() {
    for written in ["synthesize()", " `Synthesize()`\n", "```\nsynthesize()\n```", "**synthesise()**;"] {
        assert_eq!(read(written), Form::Ready { thought: String::new() }, "{written}");
    }
    let search = |thought: &str| Form::Search { thought: thought.to_owned(), query: "x".to_owned() };
    for written in
        ["search_web(\"x\")", "```python\nsearch_web(query='x')\n```\n", "web_search(\"x\")\nA text."]
    {
        assert_eq!(read(written), search(""), "{written}");
    }
    assert_eq!(read("Thought: Hm.\nsearch_web(\"x\")"), search("Hm."));
    for written in ["Thought: Hm.\nsynthesize()", "Thought: Hm.\nAction: synthesize()\n```"] {
        assert_eq!(read(written), Form::Ready { thought: "Hm.".to_owned() }, "{written}");
    }
    for text in [
        "synthesize",
        "synthesize() makes a text.",
        "search_web(\"x\") searches.",
        "Call search_web(\"x\")",
        "search(\"x\")",
        "```\nsynthesize()\n```\nThat is how.",
        "```\nlet x = 1;\nsynthesize()\n```",
    ] {
        assert_eq!(read(text), Form::Text { thought: None, text: text.to_owned() });
    }
}

#[test]
fn an_action_alone_is_no_text() {
    for action in [
        "synthesize()",
        "Action: synthesize()",
        "Thought: Hm.\nAction: search_web(\"x\")",
        "search_web(\"x\")",
    ] {
        assert_eq!(text_of(action), None, "{action}");
        assert_eq!(shown(action, 3), "", "{action}");
    }
    assert_eq!(text_of("Action: synthesize()\nA text.\n").as_deref(), Some("A text."));
    assert_eq!(text_of("A text.\n").as_deref(), Some("A text.\n"));
}

#[test]
fn a_call_of_a_tool_is_a_search() {
    let call = ToolCall { id: "1".to_owned(), name: "search_web".to_owned(), arguments: "{}".to_owned() };
    let reply = Reply { text: "Let me see.".to_owned(), tool_calls: vec![call], ..Reply::default() };
    assert_eq!(Form::read(&reply), Form::Calls { thought: "Let me see.".to_owned() });
    let refused = Reply { tools_refused: true, ..reply };
    assert_eq!(Form::read(&refused), Form::Text { thought: None, text: "Let me see.".to_owned() });
}

fn shown(text: &str, piece: usize) -> String {
    let mut filter = Filter::default();
    let chars: Vec<char> = text.chars().collect();
    let mut shown = String::new();
    for piece in chars.chunks(piece) {
        shown.push_str(&filter.push(&piece.iter().collect::<String>()));
    }
    shown + &filter.finish()
}

#[test]
fn only_the_text_is_shown_however_it_comes() {
    for piece in [1, 2, 7, 1000] {
        assert_eq!(shown("Thought: Hm.\nAction: search_web(\"x\")", piece), "");
        assert_eq!(
            shown("Thought: Hm.\nAction: synthesize()\n\nA text.\n\nMore.", piece),
            "A text.\n\nMore."
        );
        assert_eq!(shown("A text\nof lines.", piece), "A text\nof lines.");
        assert_eq!(shown("Thoughts differ.\nYes.", piece), "Thoughts differ.\nYes.");
        assert_eq!(shown("synthesize()\n\nA text.", piece), "A text.");
        for text in ["synthesize() is it.", "```\nsynthesize()\n```\nThat.", "```\nS\n```", "So.", "**S**"] {
            assert_eq!(shown(text, piece), text);
        }
    }
}

#[test]
fn blanks_are_not_held_back_without_an_end() {
    let blanks = " ".repeat(MOST_HELD);
    let mut filter = Filter::default();
    assert_eq!(filter.push(&blanks), "");
    assert_eq!(filter.push("\n"), format!("{blanks}\n"));
    let mut filter = Filter::default();
    assert_eq!(filter.push("Action: synthesize()\n"), "");
    assert_eq!((filter.push(&blanks).as_str(), filter.held.as_str()), ("", ""));
    assert_eq!(filter.push("A text."), "A text.");
}

proptest! {
    #[test]
    fn what_is_shown_is_what_is_read(
        text in "(Thought: |Action: |synthesize\\(\\)|search_web\\(\"a\"\\)|Answer:|```|\n| |b|\\*\\*|ü){0,14}",
        piece in 1_usize..9,
    ) {
        let shown = shown(&text, piece);
        if let Form::Text { text, .. } = read(&text) {
            prop_assert_eq!(shown.trim(), text.trim());
        } else {
            prop_assert_eq!(shown, "");
        }
    }
}
