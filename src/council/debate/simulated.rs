//! What simulated speakers say, and what a simulated chairman makes of it.

use crate::llm::seeded_rng::SeededRng;
use crate::llm::simulated_prompt::Prompt;
use crate::llm::simulated_text::{LABEL, body};

const FAULTS: &[&str] = &[
    "takes for granted that the cost is known beforehand, and gives no figure for it",
    "argues from the usual case, and the question is about the unusual one",
    "is right about the aim, but skips how one would get there",
    "names a risk without saying how likely it is",
    "would hold only if nothing else changed meanwhile",
];
const MERITS: &[&str] = &[
    "The strongest point, that steps should be undoable, holds.",
    "Its order of steps is convincing.",
    "It is right to settle the hardest constraint first.",
];
const CONCESSIONS: &[&str] = &[
    "That the cost must be estimated first is a fair objection, and the estimate now comes first.",
    "The objection about the unusual case is right; it is named as an exception below.",
    "The criticism asks for figures that nobody has; the position does not depend on them.",
];

/// What a speaker says first.
pub fn opening(prompt: &Prompt<'_>, rng: &mut SeededRng) -> String {
    let body = body(prompt, rng);
    if prompt.asks_for("THINKING") && prompt.asks_for("CONCLUSION") {
        return format!(
            "{LABEL}\n\n**THINKING:**\nWhat matters is what is fixed and what is free.\n\n\
             **ANALYSIS:**\nThe positions differ in cost, in risk, and in how easily they can be undone.\n\n\
             **CONCLUSION:**\n{body}"
        );
    }
    format!("{LABEL}\n\n{body}")
}

/// What it says of others.
pub fn critique(prompt: &Prompt<'_>, rng: &mut SeededRng) -> String {
    let others = others(prompt);
    let under_headings = prompt.asks_for("## Critique of");
    let mut text = LABEL.to_owned();
    for other in &others {
        if under_headings {
            text.push_str(&format!("\n\n## Critique of {other}"));
        }
        text.push_str(&format!(
            "\n\n{} But what {other} says {}, and it {}.",
            rng.pick(MERITS),
            rng.pick(FAULTS),
            rng.pick(FAULTS)
        ));
    }
    text
}

/// What it says after it has read others.
pub fn reply(prompt: &Prompt<'_>, rng: &mut SeededRng) -> String {
    let others = others(prompt);
    let answer = body(prompt, rng);
    let mut text = if prompt.asks_for("## Revised Response") {
        format!(
            "{LABEL}\n\n## Addressing Critiques\n\n{}\n\n## Revised Response\n\n{answer}",
            rng.pick(CONCESSIONS)
        )
    } else {
        format!("{LABEL}\n\n{}\n\n{answer}", rng.pick(CONCESSIONS))
    };
    if prompt.asks_for("POSITION: UNCHANGED") {
        text.push_str(&match others.first() {
            Some(_) if rng.below(3) == 0 => {
                let whose = rng.pick(&others);
                format!("\n\nPOSITION: CHANGED after {whose}: the estimate of the cost now comes before the choice.")
            }
            Some(_) | None => "\n\nPOSITION: UNCHANGED".to_owned(),
        });
    }
    text
}

/// What a chairman makes of the debate.
pub fn judgment(prompt: &Prompt<'_>, rng: &mut SeededRng) -> String {
    let speakers = speakers(prompt);
    let first = speakers.first().map_or("The first speaker", |name| name);
    let last = speakers.last().map_or("the last speaker", |name| name);
    format!(
        "{LABEL}\n\n{}\n\nDEBATE NOTES:\n\
         MOST CONVINCING: {first}, whose position needed the fewest repairs\n\
         SETTLED: The hardest constraint is settled first; nobody defended the contrary in the end.\n\
         OPEN: Whether to measure first or to begin at once: {first} would measure, {last} would begin.\n\
         MINORITY: {last} would do nothing at all for now.",
        body(prompt, rng)
    )
}

/// Everybody whose words the request holds but the one that is asked, in order.
fn others<'p>(prompt: &Prompt<'p>) -> Vec<&'p str> {
    let own = prompt.after("You are ").and_then(|rest| rest.split_once(", one of")).map(|(own, _)| own);
    speakers(prompt).into_iter().filter(|name| Some(*name) != own).collect()
}

/// Everybody whose words the request holds, in order.
fn speakers<'p>(prompt: &Prompt<'p>) -> Vec<&'p str> {
    let mut names: Vec<&str> = Vec::new();
    for title in prompt.fenced_titles() {
        let name = title.split_once(" by ").and_then(|(_, rest)| rest.rsplit_once(", round "));
        if let Some((name, _)) = name
            && !names.contains(&name)
        {
            names.push(name);
        }
    }
    names
}
