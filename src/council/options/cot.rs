//! Step by step: members show their thinking, their analysis and their conclusion apart.

use serde::{Deserialize, Serialize};

use crate::council::line_filter::bare;
use crate::council::prompts::template::Template;

/// What is added to the question.
pub static SUFFIX: Template = Template {
    name: "chain_of_thought",
    about: "What stands after the question where answers are to show their steps.",
    text: "\n\n---\nAnswer in three parts, each under its heading, in exactly this form:\n\
        **THINKING:**\n<how you approach the question, step by step>\n\n\
        **ANALYSIS:**\n<the arguments and the evidence, weighed>\n\n\
        **CONCLUSION:**\n<your answer, complete in itself>",
    places: &[],
    marks: &["THINKING:", "ANALYSIS:", "CONCLUSION:"],
};

/// Everything that this asks models with.
pub static TEMPLATES: &[&Template] = &[&SUFFIX];

/// An answer in its three parts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Cot {
    pub thinking: String,
    pub analysis: String,
    pub conclusion: String,
}

/// Reads the parts, whatever marks stand around their headings; `None` when a part is not found.
#[must_use]
pub fn parse(text: &str) -> Option<Cot> {
    let mut parts: [Option<String>; 3] = [None, None, None];
    let mut current: Option<usize> = None;
    for line in text.lines() {
        if let Some((part, rest)) = heading(line) {
            current = Some(part);
            // A second heading of the same name begins the part anew: models sometimes plan first.
            parts[part] = Some(rest.to_owned());
        } else if let Some(content) = current.and_then(|part| parts[part].as_mut()) {
            content.push('\n');
            content.push_str(line);
        }
    }
    let [thinking, analysis, conclusion] = parts.map(|part| part.map(|part| part.trim().to_owned()));
    Some(Cot {
        thinking: thinking?,
        analysis: analysis?,
        conclusion: conclusion.filter(|text| !text.is_empty())?,
    })
}

/// A heading line, and what follows it on the same line.
fn heading(line: &str) -> Option<(usize, &str)> {
    let line = bare(line);
    ["THINKING", "ANALYSIS", "CONCLUSION"].iter().enumerate().find_map(|(part, name)| {
        let start = line.get(..name.len())?;
        let rest = line.get(name.len()..)?;
        if !start.eq_ignore_ascii_case(name) {
            return None;
        }
        let rest = rest.trim_start_matches(['*', '_', ' ']);
        match rest.strip_prefix(':') {
            Some(rest) => Some((part, rest.trim_start_matches(['*', '_', ' ']))),
            // A Markdown heading needs no colon, but then nothing may follow it.
            None => rest.is_empty().then_some((part, "")),
        }
    })
}

/// What a request may say of the steps of answers.
#[derive(Debug, utoipa::ToSchema)]
#[expect(dead_code, reason = "documents the body, which the plan reads field by field")]
pub(in crate::council) struct CotFields {
    /// Whether answers show their steps.
    #[schema(default = false)]
    use_cot: Option<bool>,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cot(thinking: &str, analysis: &str, conclusion: &str) -> Option<Cot> {
        Some(Cot { thinking: thinking.into(), analysis: analysis.into(), conclusion: conclusion.into() })
    }

    #[test]
    fn headings_are_found_in_the_forms_that_models_write() {
        for text in [
            "**THINKING:**\nfirst\n\n**ANALYSIS:**\nthen\n\n**CONCLUSION:**\nso",
            "THINKING: first\nANALYSIS: then\nCONCLUSION: so",
            "## Thinking\nfirst\n## Analysis\nthen\n## Conclusion\nso\n",
            "Intro.\n**Thinking**: first\n**Analysis**: then\n**Conclusion**: so",
        ] {
            assert_eq!(parse(text), cot("first", "then", "so"), "{text}");
        }
    }

    #[test]
    fn a_missing_part_is_no_chain_of_thought() {
        assert_eq!(parse("**THINKING:** a\n**CONCLUSION:** b"), None);
        assert_eq!(parse("Thinking about it, the analysis is a conclusion."), None);
        assert_eq!(parse("THINKING: a\nANALYSIS: b\nCONCLUSION:"), None);
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in any::<String>()) {
            drop(parse(&text));
        }

        #[test]
        fn the_demanded_form_comes_back(parts in prop::collection::vec("[a-z .]{1,20}[a-z]", 3)) {
            let text = format!("**THINKING:**\n{}\n\n**ANALYSIS:**\n{}\n\n**CONCLUSION:**\n{}", parts[0], parts[1], parts[2]);
            let found = parse(&text);
            prop_assert_eq!(found, cot(parts[0].trim(), parts[1].trim(), parts[2].trim()));
        }
    }
}
