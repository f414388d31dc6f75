//! What a model wants done: reading its calls.

use std::fmt;

use serde_json::Value;

use crate::council::prompts::fence::visible;
use crate::llm::ToolCall;

/// The tool that searches.
pub(in crate::council) const SEARCH: &str = "search_web";
/// How much of a tool's name is shown, in characters.
const NAME_CHARS: usize = 64;

/// What is to be done.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::council) enum Order {
    Search { query: String },
}

/// Why a call is not carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::council) enum NotCarriedOut {
    NoSuchTool,
    BadArguments,
    TooMany,
}

impl fmt::Display for NotCarriedOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoSuchTool => "the model called a tool that there is not",
            Self::BadArguments => "the model wrote no query",
            Self::TooMany => "the model made too many calls at once",
        })
    }
}

impl Order {
    /// Reads a call. Names are read leniently: some models write `functions.search_web` or another case.
    pub fn read(call: &ToolCall) -> Result<Self, NotCarriedOut> {
        let name = call.name.trim();
        let name = name.rsplit(['.', ':', '/']).next().unwrap_or(name);
        if !name.eq_ignore_ascii_case(SEARCH) {
            return Err(NotCarriedOut::NoSuchTool);
        }
        let arguments: Value =
            serde_json::from_str(&call.arguments).map_err(|_| NotCarriedOut::BadArguments)?;
        // Some servers write the JSON twice.
        let inner = arguments.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
        let query = inner.as_ref().unwrap_or(&arguments).get("query").and_then(Value::as_str);
        let query = query.map(|query| visible(query).split_whitespace().collect::<Vec<_>>().join(" "));
        query
            .filter(|query| !query.is_empty())
            .map(|query| Self::Search { query })
            .ok_or(NotCarriedOut::BadArguments)
    }
}

/// A tool's name as it is shown and stored: a model can write anything there.
pub(in crate::council) fn shown_name(name: &str) -> String {
    let shown: String = visible(name).split_whitespace().collect::<Vec<_>>().join(" ");
    shown.chars().take(NAME_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(name: &str, arguments: &str) -> Result<Order, NotCarriedOut> {
        Order::read(&ToolCall { id: "a".into(), name: name.into(), arguments: arguments.into() })
    }

    #[test]
    fn calls_are_read_as_models_write_them() {
        let why = || Ok(Order::Search { query: "why is it so?".into() });
        for (name, arguments) in [
            ("search_web", r#"{"query": " why is\nit so? "}"#),
            ("functions.search_web", r#"{"query": "why is it so?", "max_results": 5}"#),
            ("Search_Web", r#"{"query": "why is it so?"}"#),
            ("search_web", r#""{\"query\": \"why is it so?\"}""#),
        ] {
            assert_eq!(read(name, arguments), why(), "{name} {arguments}");
        }
        for arguments in
            ["", "{", "[]", "null", "{}", r#"{"query": 7}"#, r#"{"query": " \u200b "}"#, "\"why\""]
        {
            assert_eq!(read("search_web", arguments), Err(NotCarriedOut::BadArguments), "{arguments}");
        }
        for name in ["", "search", "search_web_2", "run_code"] {
            assert_eq!(read(name, "{}"), Err(NotCarriedOut::NoSuchTool), "{name}");
        }
    }

    proptest! {
        #[test]
        fn any_call_is_read_without_panic(name: String, arguments: String, query: String) {
            let _either = read(&name, &arguments);
            let written = serde_json::json!({ "query": query }).to_string();
            if let Ok(Order::Search { query }) = read("search_web", &written) {
                prop_assert!(!query.trim().is_empty());
            }
            prop_assert!(shown_name(&name).chars().count() <= NAME_CHARS);
        }
    }
}
