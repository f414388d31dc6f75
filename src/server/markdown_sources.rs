//! What was looked up, as Markdown.

use super::neutral::neutral;
use crate::council::Deliberation;
use crate::council::searching::source::Source;

/// What was researched before anybody answered, and what the chairman checked.
pub(super) fn research(text: &mut String, deliberation: &Deliberation) {
    if let Some(research) = &deliberation.stage0 {
        text.push_str("\n## Research\n");
        if !research.needed {
            text.push_str("\nThe question needs none, as far as the research model can say.\n");
        }
        if let Some(response) = &research.response {
            text.push_str(&format!("\n{}\n", neutral(response)));
        }
        for result in &research.sub_results {
            if let Some(error) = &result.error {
                text.push_str(&format!("\n> {}: {}\n", neutral(&result.label), neutral(&one_line(error))));
            }
        }
    }
    if deliberation.metadata.checks.is_empty() {
        return;
    }
    text.push_str("\n### What the chairman checked\n\n");
    for step in &deliberation.metadata.checks {
        let thought = neutral(&one_line(&step.thought));
        let searched = step.query.as_ref().map_or_else(String::new, |query| {
            let numbers: String = step.sources.iter().map(|n| format!("[{n}]")).collect();
            format!(" Searched for “{}” {numbers}", neutral(&one_line(query)))
        });
        let line = format!("{thought}{searched}");
        if !line.trim().is_empty() {
            text.push_str(&format!("- {}\n", line.trim()));
        }
    }
}

/// The sources by their numbers.
pub(super) fn sources(text: &mut String, sources: &[Source]) {
    if sources.is_empty() {
        return;
    }
    text.push_str("\n## Sources\n\n");
    for source in sources {
        let date = source.published.as_ref().map_or_else(String::new, |date| format!(", {}", neutral(date)));
        // In angle brackets a link cannot end early.
        let url = source.url.replace('<', "%3C").replace('>', "%3E");
        text.push_str(&format!(
            "- \\[{}\\] {} ({}{date}): <{url}>\n",
            source.n,
            neutral(&one_line(&source.title)),
            source.host
        ));
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
