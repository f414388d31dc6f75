//! Chores: what chat programs ask by themselves in addition to a conversation, such as a title for it. Nobody wants to
//! wait or pay for a council there, so the utility model answers them alone. They are recognised by how their prompts
//! begin.

use super::messages::ParsedMessages;

/// How the prompts of chat programs begin; case and the white space between words make no difference. Some programs put
/// them into the system prompt.
const KNOWN: [&str; 19] = [
    // Open WebUI, to 0.12: title, tags, follow-ups, summaries, search queries, autocompletion, pictures, emoji.
    "### Task: Generate a concise, 3-5 word title",
    "### Task: Generate a concise title summarizing the chat history",
    "### Task: Generate 1-3 broad tags",
    "### Task: Suggest 3-5 relevant follow-up questions",
    "### Task: Predict 3-5 useful messages this user might naturally send next",
    "### Task: Summarize the conversation history that will be compacted",
    "### Task: Analyze the chat history to determine the necessity of generating search queries",
    "### Task: You are an autocompletion system",
    "### Task: Generate a detailed prompt for",
    "Your task is to reflect the speaker's likely facial expression through a fitting emoji",
    "Create a concise, 3-5 word title with an emoji as a title for the chat history",
    "Create a concise, 3-5 word phrase as a header for the following query",
    // LibreChat: titles, with and without their language.
    "Provide a concise, 5-word-or-less title for the conversation",
    "Analyze this conversation and provide: 1. The detected language of the conversation 2. A concise title",
    "Please generate a concise, 5-word-or-less title for the conversation",
    "Write a concise title for this conversation in 5 words or less",
    "Detect user language and write in the same language an extremely concise title for this conversation",
    "Your task is to generate a title for the following conversation",
    "Generate a short, descriptive title for this conversation",
];

/// Whether a request is a chore: its question or its system prompt begins as one of the [`KNOWN`] prompts does, or as one
/// of `named`, which the configuration adds (`programs.chores`). A blank one there is passed over.
pub(super) fn is_one(messages: &ParsedMessages, named: &[String]) -> bool {
    let system = messages.system.iter().map(String::as_str);
    let texts: Vec<String> = system.chain([messages.question.as_str()]).map(plain).collect();
    let begins = |words: &str| {
        let words = plain(words);
        !words.is_empty() && texts.iter().any(|text| text.starts_with(&words))
    };
    KNOWN.iter().copied().chain(named.iter().map(String::as_str)).any(begins)
}

/// The first 60 words of a text, which is more than the beginnings of prompts have, in the form in which they are
/// compared: in lower case, with single spaces and straight apostrophes.
fn plain(text: &str) -> String {
    let words = text.split_whitespace().take(60).map(str::to_lowercase);
    words.collect::<Vec<_>>().join(" ").replace('\u{2019}', "'")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(system: Option<&str>, question: &str) -> ParsedMessages {
        ParsedMessages {
            system: system.map(str::to_owned),
            question: question.to_owned(),
            ..ParsedMessages::default()
        }
    }

    #[test]
    fn the_prompts_of_chat_programs_are_chores_and_questions_about_them_are_not() {
        for chore in [
            "### Task:\nGenerate a concise, 3-5 word title with an emoji summarizing the chat history.\n### Guidelines:",
            "### Task:\nGenerate 1-3 broad tags categorizing the main themes of the chat history, along with",
            "### Task:\nGenerate a concise title summarizing the chat history.\n### Guidelines:\n- The title should",
            "### Task:\nPredict 3-5 useful messages this user might naturally send next to advance their current objective.",
            "### Task:\nSummarize the conversation history that will be compacted out of the active chat context.",
            "### Task:\nSuggest 3-5 relevant follow-up questions or prompts that the user might naturally ask next",
            "### Task:\nAnalyze the chat history to determine the necessity of generating search queries, in the given",
            "### Task:\nYou are an autocompletion system. Continue the text in `<text>`",
            "Your task is to reflect the speaker\u{2019}s likely facial expression through a fitting emoji.",
            "Provide a concise, 5-word-or-less title for the conversation, using title case conventions.",
        ] {
            assert!(is_one(&said(None, chore), &[]), "{chore}");
        }
        assert!(is_one(
            &said(Some("Provide a concise, 5-word-or-less title for the conversation"), "Hi"),
            &[]
        ));
        for question in [
            "What is a good title?",
            "Why does Open WebUI send \"### Task:\nGenerate 1-3 broad tags\"?",
            "### Task:\nAnswer the user with the sources in <source>",
            "",
        ] {
            assert!(!is_one(&said(None, question), &[]), "{question}");
        }
    }

    #[test]
    fn an_administrator_names_more() {
        let named = ["Summarise this chat".to_owned(), " ".to_owned()];
        assert!(is_one(&said(None, "summarise  this\nchat in one line: …"), &named));
        assert!(!is_one(&said(None, "Why?"), &named), "a blank names nothing");
    }
}
