//! A prompt for each format, for people who choose one from their program's menu.

use rmcp::ErrorData;
use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::Value;

struct Known {
    /// The prompt's name, and the format's.
    format: &'static str,
    title: &'static str,
    description: &'static str,
}

static KNOWN: [Known; 4] = [
    Known {
        format: "council",
        title: "Ask the council",
        description: "Several models answer, review each other blind, and a chairman writes the answer",
    },
    Known {
        format: "debate",
        title: "Let the council debate",
        description: "They state positions, criticise each other and answer their critics; the chairman judges",
    },
    Known {
        format: "arena",
        title: "Let the council argue in an arena",
        description: "Opening statements, rebuttals, closing statements and a conclusion",
    },
    Known {
        format: "decomposition",
        title: "Let the council take a question apart",
        description: "The question is answered part by part, and the parts are merged",
    },
];

const QUESTION: &str = "question";

pub(super) fn all() -> Vec<Prompt> {
    KNOWN.iter().map(prompt).collect()
}

fn prompt(known: &Known) -> Prompt {
    let question = PromptArgument::new(QUESTION)
        .with_title("Question")
        .with_description("What the council is to answer")
        .with_required(true);
    Prompt::new(known.format, Some(known.description), Some(vec![question])).with_title(known.title)
}

/// The prompt with the question in it.
///
/// # Errors
/// When there is none of this name, or no question.
pub(super) fn get(name: &str, arguments: Option<&JsonObject>) -> Result<GetPromptResult, ErrorData> {
    let Some(known) = KNOWN.iter().find(|known| known.format == name) else {
        let names = KNOWN.iter().map(|known| known.format).collect::<Vec<_>>().join(", ");
        let message = format!("there is no prompt {name:?}; there are {names}");
        return Err(ErrorData::invalid_params(message, None));
    };
    let question = arguments.and_then(|arguments| arguments.get(QUESTION)).and_then(Value::as_str);
    let Some(question) = question.map(str::trim).filter(|question| !question.is_empty()) else {
        return Err(ErrorData::invalid_params(
            "the argument question is required: what the council is to answer",
            None,
        ));
    };
    let text = format!(
        "Ask the council with the tool ask_council, in the format {:?}, and wait with wait_run until its answer is there. Then \
         tell me what it says, where its members disagreed, and what it cost. The question is:\n\n{question}",
        known.format
    );
    Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)])
        .with_description(known.description))
}

#[cfg(test)]
mod tests {
    use super::{KNOWN, all};
    use crate::council::formats::list::MODES;

    #[test]
    fn there_is_a_prompt_for_every_format() {
        assert_eq!(KNOWN.iter().map(|known| known.format).collect::<Vec<_>>(), MODES);
        assert_eq!(all().len(), MODES.len());
    }
}
