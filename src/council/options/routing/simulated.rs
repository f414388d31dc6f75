//! What a simulated model says a question is.

use crate::llm::seeded_rng::SeededRng;
use crate::llm::simulated_prompt::Prompt;

/// A guess from the question's words, in the form that is asked for.
pub fn routing(prompt: &Prompt<'_>, _: &mut SeededRng) -> String {
    let words = prompt.question_words(60).join(" ").to_lowercase();
    let about = |hints: &[&str]| hints.iter().any(|hint| words.contains(hint));
    let category = if about(&["code", "function", "bug", "program", "rust", "python", "sql"]) {
        "CODING"
    } else if about(&["poem", "story", "write a", "song", "slogan"]) {
        "CREATIVE"
    } else if about(&["compare", "why", "should", "analy", "trade"]) {
        "ANALYSIS"
    } else if about(&["when", "who", "where", "how many", "what year"]) {
        "FACTUAL"
    } else {
        "GENERAL"
    };
    format!("CATEGORY: {category}\nCONFIDENCE: 0.8\nREASONING: Simulated: by single words of the question.")
}
