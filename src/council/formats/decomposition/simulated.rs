//! What simulated models say in a decomposition.

use super::indicators::indicators;
use crate::council::stages::answers::simulated::answer;
use crate::llm::seeded_rng::SeededRng;
use crate::llm::simulated_prompt::Prompt;
use crate::llm::simulated_text::{LABEL, body};

/// A guess from the question's words, in the form that is asked for.
pub fn complexity(prompt: &Prompt<'_>, _: &mut SeededRng) -> String {
    let words = prompt.question_words(200).join(" ");
    let found = indicators(&words);
    let (verdict, confidence) =
        if found.is_empty() && words.len() < 200 { ("NO", 0.8) } else { ("YES", 0.8) };
    format!(
        "SHOULD_DECOMPOSE: {verdict}\nCONFIDENCE: {confidence}\nREASONING: Simulated: by single words of the question."
    )
}

/// Three parts that any question has.
pub fn split(prompt: &Prompt<'_>, _: &mut SeededRng) -> String {
    let topic = prompt.topic();
    format!(
        "1. What is fixed and what is free in {topic}?\n2. Which ways are there for {topic}, and what does each cost?\n\
         3. What usually goes wrong with {topic}, and how is it undone?"
    )
}

/// A member's answer to a part, in the forms that a whole question's may have.
pub fn sub_answer(prompt: &Prompt<'_>, rng: &mut SeededRng) -> String {
    answer(prompt, rng)
}

/// A member's ranking of the answers to a part.
pub fn ballot(prompt: &Prompt<'_>, rng: &mut SeededRng) -> String {
    let mut order = prompt.labels();
    rng.shuffle(&mut order);
    let lines: Vec<String> =
        order.iter().enumerate().map(|(at, label)| format!("{}. Response {label}", at + 1)).collect();
    format!("FINAL RANKING:\n{}", lines.join("\n"))
}

/// The answer that is put together from the parts.
pub fn merge(prompt: &Prompt<'_>, rng: &mut SeededRng) -> String {
    format!("{LABEL}\n\n{}", body(prompt, rng))
}
