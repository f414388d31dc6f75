//! What the simulated provider does with tools: it searches once, and cites what came back. If there are only other
//! tools, it calls the first with arguments that fit.

use serde_json::json;

use super::reply::ToolCall;
use super::request::{ChatMessage, ChatRequest, Role};
use super::seeded_rng::SeededRng;
use super::simulated_json;
use super::simulated_prompt::Prompt;

/// The tool that it knows how to call.
const SEARCH: &str = "search_web";
/// How many words of the question it searches for.
const QUERY_WORDS: usize = 8;
/// The beginnings of sections that models are asked to append to their texts.
const ENDS: [&str; 4] = ["\n\nCOUNCIL NOTES:", "\n\nDEBATE NOTES:", "\n\nCONFIDENCE:", "\n\nPOSITION:"];
/// How many sources it cites.
const CITED: usize = 2;

/// The call that it makes before it answers, if tools are on offer and none has been called.
pub(super) fn call(request: &ChatRequest) -> Option<ToolCall> {
    let tools = &request.tools;
    let tool = tools.iter().find(|tool| tool.name == SEARCH).or(tools.first())?;
    if results(request).next().is_some() {
        return None;
    }
    if tool.name != SEARCH {
        let mut rng = SeededRng::new(request.seed, &request.model);
        let arguments = simulated_json::fitting(&tool.parameters, "", &mut rng).to_string();
        return Some(ToolCall { id: "call_0".into(), name: tool.name.clone().into_owned(), arguments });
    }
    let query = Prompt::new(&request.last_of_user()).question_words(QUERY_WORDS).join(" ");
    let query = if query.is_empty() { "simulated".to_owned() } else { query };
    Some(ToolCall {
        id: "call_0".into(),
        name: SEARCH.into(),
        arguments: json!({ "query": query }).to_string(),
    })
}

/// The answer with the numbers of the first sources that it was given, if it searched.
pub(super) fn citing(answer: String, request: &ChatRequest) -> String {
    let results: Vec<_> = results(request).map(|result| result.content.whole()).collect();
    let mut numbers: Vec<&str> = Vec::new();
    for result in &results {
        for number in result.lines().filter_map(number) {
            if !numbers.contains(&number) {
                numbers.push(number);
            }
        }
    }
    if numbers.is_empty() {
        return answer;
    }
    let cited: String = numbers.into_iter().take(CITED).map(|number| format!("[{number}]")).collect();
    let found = format!("\n\nThe search found more on this {cited}.");
    // Inserted before lines that are not part of the text.
    let end = ENDS.iter().filter_map(|end| answer.find(end)).min().unwrap_or(answer.len());
    let (text, rest) = answer.split_at(end);
    format!("{text}{found}{rest}")
}

/// The results of tools.
fn results(request: &ChatRequest) -> impl Iterator<Item = &ChatMessage> {
    request.messages.iter().filter(|message| message.role == Role::Tool)
}

/// The number of a line that begins with one: `[7] A title`.
fn number(line: &str) -> Option<&str> {
    let (number, _) = line.trim_start().strip_prefix('[')?.split_once(']')?;
    number.parse::<u32>().is_ok().then_some(number)
}
