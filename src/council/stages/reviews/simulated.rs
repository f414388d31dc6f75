//! What a simulated reviewer writes.

use crate::llm::seeded_rng::SeededRng;
use crate::llm::simulated_prompt::Prompt;
use crate::llm::simulated_text::LABEL;

const PRAISE: &[&str] = &[
    "answers the question directly and gives its reasons",
    "is well ordered and names the trade-off that matters",
    "is careful about what it does not know",
];
const BLAME: &[&str] = &[
    "stays general where an example would have helped",
    "leaves out the case that usually goes wrong",
    "is longer than what it says",
];

pub fn review(prompt: &Prompt<'_>, rng: &mut SeededRng) -> String {
    let labels = prompt.labels();
    let mut text = format!("{LABEL}\n\n");
    for label in &labels {
        text.push_str(&format!("Response {label} {}, but {}.\n\n", rng.pick(PRAISE), rng.pick(BLAME)));
    }
    text + &ranking(&labels, rng)
}

fn ranking(labels: &[char], rng: &mut SeededRng) -> String {
    let mut order = labels.to_vec();
    rng.shuffle(&mut order);
    let lines: Vec<String> =
        order.iter().enumerate().map(|(at, label)| format!("{}. Response {label}", at + 1)).collect();
    format!("FINAL RANKING:\n{}", lines.join("\n"))
}

pub fn ballot(prompt: &Prompt<'_>, rng: &mut SeededRng) -> String {
    format!("{LABEL}\n\n{}", ranking(&prompt.labels(), rng))
}
