//! What a simulated model says is to be searched for.

use serde_json::json;

use crate::llm::seeded_rng::SeededRng;
use crate::llm::simulated_prompt::Prompt;

/// Two searches made of the question's words.
pub fn research_split(prompt: &Prompt<'_>, _: &mut SeededRng) -> String {
    let words = prompt.question_words(8).join(" ");
    let query = |label: &str, query: String| json!({ "label": label, "query": query });
    json!({
        "needs_research": true,
        "sub_queries": [query("Facts", words.clone()), query("Practice", format!("{words} examples"))],
    })
    .to_string()
}
