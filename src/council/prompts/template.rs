//! The texts of prompts. They are stored with the plan of a run, so that a run under way, and a run that is asked again
//! later, uses the same words as at its beginning, even if this program's texts have changed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::llm::{Text, TextBuilder};

/// A text with placeholders, as in `{question}`. It is defined in the file of its feature.
#[derive(Debug)]
pub struct Template {
    pub name: &'static str,
    /// What it is for: for administrators who want to write another text in its place.
    pub about: &'static str,
    pub text: &'static str,
    /// The names of its placeholders.
    pub places: &'static [&'static str],
    /// What it must contain word for word, since replies are read by it.
    pub marks: &'static [&'static str],
}

/// The texts of templates when plans were stored without them, by name, where they differ from today's. Whoever
/// changes a template that has no line here yet adds one with the old text: the recordings of that version, in
/// `tests/it/fixtures/frozen/0.1/`, are executed with it.
pub(in crate::council) static BEFORE: &[(&str, &str)] = &[(
    "chairman_notes",
    "After the answer, write a line that says COUNCIL NOTES: and under it short notes \
     for the reader, one per line, each beginning with one of these words; leave out what does not apply:\n\
     AGREEMENT: what the members agree on\n\
     CONTRADICTION: where they contradict each other, and who says what\n\
     ONLY ONE: what only one member saw\n\
     NOT COVERED: what none of them covered and should be known\n\
     MINORITY: the view of the minority, in its own strongest form",
)];

/// The texts of one run, by the names of their templates. The default stands for the texts from before they were
/// stored.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Prompts(Option<BTreeMap<String, String>>);

impl Prompts {
    /// These texts, by the names of their templates.
    #[must_use]
    pub fn of<'t>(texts: impl IntoIterator<Item = (&'static str, &'t str)>) -> Self {
        let named = |(name, text): (&str, &str)| (name.to_owned(), text.to_owned());
        Self(Some(texts.into_iter().map(named).collect()))
    }

    /// Whether the plan is from before texts were stored.
    #[must_use]
    pub fn is_absent(&self) -> bool {
        self.0.is_none()
    }

    /// The template's text in this run.
    #[must_use]
    pub fn text<'t>(&'t self, template: &'t Template) -> &'t str {
        match &self.0 {
            Some(stored) => stored.get(template.name).map_or_else(
                || {
                    debug_assert!(false, "the plan lacks the text {}", template.name);
                    tracing::error!(
                        template = template.name,
                        "a plan lacks a prompt; the current one is used"
                    );
                    template.text
                },
                String::as_str,
            ),
            None => BEFORE
                .iter()
                .find(|(name, _)| *name == template.name)
                .map_or(template.text, |(_, text)| *text),
        }
    }

    /// The template's text with these values in its placeholders.
    #[must_use]
    pub fn fill(&self, template: &Template, values: &[(&str, &str)]) -> String {
        let text = self.text(template);
        let length = text.len() + values.iter().map(|(_, value)| value.len()).sum::<usize>();
        let mut filled = String::with_capacity(length);
        fill(text, values, |(Piece::Words(words) | Piece::Value(words))| filled.push_str(words));
        filled
    }

    /// Like [`Prompts::fill`], for values that several prompts share.
    #[must_use]
    pub fn fill_text(&self, template: &Template, values: &[(&str, &Text)]) -> Text {
        let mut filled = TextBuilder::default();
        fill(self.text(template), values, |piece| match piece {
            Piece::Words(words) => filled.push_str(words),
            Piece::Value(value) => filled.push(value),
        });
        filled.finish()
    }
}

/// A piece of a text whose placeholders are filled.
enum Piece<'p, V: ?Sized> {
    Words(&'p str),
    Value(&'p V),
}

/// Replaces placeholders by their values in one pass: braces in a value are not placeholders.
fn fill<V: ?Sized>(text: &str, values: &[(&str, &V)], mut push: impl FnMut(Piece<'_, V>)) {
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        push(Piece::Words(before));
        let place = after.split_once('}').and_then(|(name, after)| {
            let (_, value) = values.iter().find(|(known, _)| *known == name)?;
            Some((value, after))
        });
        match place {
            Some((value, after)) => {
                push(Piece::Value(value));
                rest = after;
            }
            None => {
                push(Piece::Words("{"));
                rest = after;
            }
        }
    }
    push(Piece::Words(rest));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    static PROMPT: Template = Template {
        name: "title",
        about: "A title.",
        text: "Title {question}",
        places: &["question"],
        marks: &[],
    };

    #[test]
    fn a_text_that_was_stored_is_used_and_not_todays() {
        let stored = BTreeMap::from([("title".to_owned(), "Name this: {question}".to_owned())]);
        let prompts = Prompts(Some(stored));
        let text = prompts.fill(&PROMPT, &[("question", "Why {question}?")]);
        assert_eq!(text, "Name this: Why {question}?");
        let json = serde_json::to_string(&prompts).expect("plain data");
        assert_eq!(serde_json::from_str::<Prompts>(&json).expect("prompts"), prompts);
    }

    proptest! {
        #[test]
        fn what_is_put_in_stays_as_it_is(value in "\\PC*|[{}a]{0,9}", around in "[^{}]{0,9}") {
            let text = format!("{around}{{question}}{around}");
            let filled = format!("{around}{value}{around}");
            let prompts = Prompts::of([("title", text.as_str())]);
            prop_assert_eq!(prompts.fill(&PROMPT, &[("question", &value)]), filled.as_str());
            let text = prompts.fill_text(&PROMPT, &[("question", &value.into())]);
            prop_assert_eq!(text, filled.as_str());
        }

        #[test]
        fn a_text_without_places_stays_as_it_is(text in "[{}b \\n]{0,30}") {
            let prompts = Prompts::of([("title", text.as_str())]);
            prop_assert_eq!(prompts.fill(&PROMPT, &[("question", "x")]), text);
        }
    }
}
