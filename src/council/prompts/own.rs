//! An administrator's texts in place of this program's prompts (`[prompts]` in the configuration). They must contain
//! the marks by which replies are read, and the placeholders for material: a text without them is refused at start.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::template::{Prompts, Template};

/// The longest text, in characters.
const MAX_CHARS: usize = 20_000;
/// How many bytes of a text's hash are kept to identify it.
const VERSION_BYTES: usize = 3;

/// The administrator's texts in place of this program's, by the names of their templates.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OwnTexts(Arc<BTreeMap<&'static str, String>>);

/// An administrator's own text that a run uses as a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct OwnPrompt {
    /// The template's name, as `llm-council prompts` lists it.
    #[schema(example = "review")]
    pub name: String,
    /// The beginning of the text's hash, which changes with the text.
    #[schema(example = "a1b2c3")]
    pub version: String,
}

impl OwnTexts {
    /// These texts, each as returned by [`checked`].
    #[must_use]
    pub fn new(texts: impl IntoIterator<Item = (&'static Template, String)>) -> Self {
        Self(Arc::new(texts.into_iter().map(|(template, text)| (template.name, text)).collect()))
    }

    /// The text in force for a template: the administrator's, or else the template's own.
    #[must_use]
    pub fn text(&self, template: &'static Template) -> &str {
        self.0.get(template.name).map_or(template.text, String::as_str)
    }

    /// The texts of these templates as they are in force now.
    #[must_use]
    pub fn in_force(&self, templates: impl IntoIterator<Item = &'static Template>) -> Prompts {
        Prompts::of(templates.into_iter().map(|template| (template.name, self.text(template))))
    }

    /// Those of these templates that have an administrator's text, in the order of their names.
    #[must_use]
    pub fn among(&self, templates: impl IntoIterator<Item = &'static Template>) -> Vec<OwnPrompt> {
        let names: BTreeSet<&str> = templates.into_iter().map(|template| template.name).collect();
        let own = self.0.iter().filter(|(name, _)| names.contains(*name));
        own.map(|(name, text)| OwnPrompt { name: (*name).to_owned(), version: version(text) }).collect()
    }

    /// All of the administrator's texts, in the order of their names.
    #[must_use]
    pub fn all(&self) -> Vec<OwnPrompt> {
        let own = self.0.iter();
        own.map(|(name, text)| OwnPrompt { name: (*name).to_owned(), version: version(text) }).collect()
    }
}

fn version(text: &str) -> String {
    let hash = Sha256::digest(text.as_bytes());
    hex::encode(hash.get(..VERSION_BYTES).unwrap_or_default())
}

/// Checks an administrator's text for a template; returns it with the white space around the template's own text, so
/// that what is appended to something else begins on a new line, however it was written.
///
/// # Errors
/// Everything that is wrong with it, in one sentence each.
pub fn checked(template: &'static Template, text: &str) -> Result<String, Vec<String>> {
    let text = text.trim();
    if text.is_empty() {
        return Err(vec![
            "must not be empty; without this key models are asked in this program's words".to_owned(),
        ]);
    }
    let mut problems = Vec::new();
    if text.contains('\0') {
        problems.push("must not contain U+0000".to_owned());
    }
    let chars = text.chars().count();
    if chars > MAX_CHARS {
        problems.push(format!("is {chars} characters long; at most {MAX_CHARS} are accepted"));
    }
    let given: BTreeSet<&str> = places(text).into_iter().collect();
    let missing: Vec<String> =
        template.places.iter().filter(|place| !given.contains(*place)).map(|place| braced(place)).collect();
    if !missing.is_empty() {
        problems.push(format!("must contain {}, where the program puts something in", list(&missing)));
    }
    for place in given.iter().filter(|place| !template.places.contains(place)) {
        problems.push(unknown(template, place));
    }
    let missing: Vec<String> =
        template.marks.iter().filter(|mark| !text.contains(*mark)).map(|mark| format!("`{mark}`")).collect();
    if !missing.is_empty() {
        problems.push(format!("must contain {}, word for word: replies are read by it", list(&missing)));
    }
    if problems.is_empty() { Ok(with_blanks_of(template.text, text)) } else { Err(problems) }
}

fn unknown(template: &Template, place: &str) -> String {
    let known = template.places.iter().map(|place| braced(place)).collect::<Vec<_>>();
    let nearest = template
        .places
        .iter()
        .map(|known| (strsim::levenshtein(known, place), known))
        .min()
        .filter(|(distance, _)| *distance <= 3);
    let place = braced(place);
    match nearest {
        Some((_, near)) => format!("has no place {place}; did you mean {}?", braced(near)),
        None if known.is_empty() => format!("has no place {place}: nothing is put into this text"),
        None => format!("has no place {place}; there is {}", list(&known)),
    }
}

fn braced(place: &str) -> String {
    format!("{{{place}}}")
}

/// Words as a list in a sentence.
fn list(words: &[String]) -> String {
    match words {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => words.concat(),
    }
}

/// The text with the leading and trailing white space of the other.
fn with_blanks_of(around: &str, text: &str) -> String {
    let start = around.len() - around.trim_start().len();
    let end = around.trim_end().len();
    let (before, after) = (around.get(..start).unwrap_or_default(), around.get(end..).unwrap_or_default());
    format!("{before}{text}{after}")
}

/// The names of the placeholders in a text: words of lower-case letters, digits and `_` between braces, as in
/// `{question}`. Anything else between braces is text.
#[must_use]
pub fn places(text: &str) -> Vec<&str> {
    let is_place = |name: &&str| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    };
    let after_braces = text.split('{').skip(1);
    after_braces.filter_map(|after| Some(after.split_once('}')?.0)).filter(is_place).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    static REVIEW: Template = Template {
        name: "review",
        about: "What a reviewer is asked.",
        text: "\n\nJudge {answers} by {question}.\nFINAL RANKING:",
        places: &["answers", "question"],
        marks: &["FINAL RANKING:"],
    };

    fn problems(text: &str) -> Vec<String> {
        checked(&REVIEW, text).expect_err("a text that is refused")
    }

    #[test]
    fn a_text_stands_between_the_blanks_of_the_template() {
        let text = "Be strict.\n{question}\n{answers}\nFINAL RANKING:";
        assert_eq!(checked(&REVIEW, &format!("  {text}\n")), Ok(format!("\n\n{text}")));
        assert_eq!(checked(&REVIEW, REVIEW.text), Ok(REVIEW.text.to_owned()));
    }

    #[test]
    fn everything_that_is_wrong_with_a_text_is_said_at_once() {
        assert_eq!(
            problems("{anwsers} {weather} {question}\0"),
            [
                "must not contain U+0000",
                "must contain {answers}, where the program puts something in",
                "has no place {anwsers}; did you mean {answers}?",
                "has no place {weather}; there is {answers} and {question}",
                "must contain `FINAL RANKING:`, word for word: replies are read by it",
            ]
        );
        assert_eq!(problems(" \n").len(), 1);
        let long = format!("{} {}", REVIEW.text, "x".repeat(MAX_CHARS));
        assert!(problems(&long).concat().contains("at most 20000"));
    }

    #[test]
    fn what_is_between_braces_and_no_word_is_text() {
        assert!(places(r#"{"ranking": ["A"]} {} { question } {Question} {{"#).is_empty());
        assert_eq!(places("{a}{b_2} \\frac{c}"), ["a", "b_2", "c"]);
        assert_eq!(places("{ {question}"), ["question"]);
    }

    proptest! {
        #[test]
        fn no_text_makes_the_reader_stumble(text in "\\PC*|[{}a-c_\\n ]{0,30}") {
            for place in places(&text) {
                let braced = braced(place);
                prop_assert!(text.contains(&braced));
            }
            let answer = checked(&REVIEW, &text);
            prop_assert!(answer.is_ok() || answer.is_err_and(|problems| !problems.is_empty()));
        }

        #[test]
        fn what_is_filled_in_is_what_is_read(names in proptest::collection::vec("[a-z]{1,5}", 0..5), around in "[^{}]{0,9}") {
            let text: String = names.iter().map(|name| format!("{around}{{{name}}}")).collect();
            prop_assert_eq!(places(&text), names);
        }
    }
}
