//! How much a model can read before it writes, where its context is known.

use super::attached::{self, Attached, FilesRead};
use super::brief::Brief;
use super::pictures;
use super::pricing::{tokens, tokens_of_text};
use super::prompts::history::{self, Turn};
use super::run::Run;
use crate::llm::{Purpose, Text};

/// A length in tokens that fits into the context of every current model: for less, nobody needs to know how long the
/// context is.
const FITS_ANYWHERE: u64 = 3_000;

/// How many tokens of material this model can read before it writes; `None` where `length` is too short for that to
/// matter, or the model's context is unknown.
pub async fn budget(
    run: &Run,
    brief: &Brief,
    (model, purpose): (&str, &Purpose),
    length: u64,
) -> Option<u64> {
    if length <= FITS_ANYWHERE {
        return None;
    }
    let context = decided(run, model).await?;
    Some(room(brief, purpose, context))
}

/// A member's first prompt, as far as its model can read it.
pub struct Fitted<'b> {
    /// The newest of the earlier turns, in the order in which they took place.
    pub turns: &'b [Turn],
    /// The question, after the files and what was looked up.
    pub question: String,
    /// How much of the files the member is given, where that is less than others get.
    pub files_read: Option<FilesRead>,
}

/// The question with everything that is read before it, as far as the context of the model has room, where that is
/// known: the oldest of the earlier turns are left out first, and once none is left, the end of the files. The question
/// itself stays whole.
pub async fn fitted<'b>(
    run: &Run,
    brief: &'b Brief,
    (model, purpose): (&str, &Purpose),
    system: Option<&str>,
    question: &str,
) -> Fitted<'b> {
    let marker = run.marker();
    let whole = brief.after_material(&brief.attachments, &marker, question);
    let pictures =
        if brief.fits_files && brief.sees(model) { pictures::tokens(&brief.attachments) } else { 0 };
    let beside = system.map_or(0, tokens) + pictures;
    let rest = tokens(&whole) + beside;
    let turns = brief.history.as_slice();
    let length = rest + turns.iter().map(length_of).sum::<u64>();
    let everything = Fitted { turns, question: whole, files_read: None };
    let may_be_cut = brief.fits_files || !turns.is_empty();
    let fits = |context: u64| length <= room(brief, purpose, context);
    // Usually everything fits, and then no decision has to be remembered.
    if !may_be_cut || length <= FITS_ANYWHERE || known(run, model).is_none_or(fits) {
        return everything;
    }
    let Some(context) = decided(run, model).await else { return everything };
    let most = room(brief, purpose, context);
    let turns = newest(turns, most.checked_sub(rest), length_of);
    if !brief.fits_files || rest <= most {
        return Fitted { turns, ..everything };
    }
    let prompt = |files: &[Attached]| brief.after_material(files, &marker, question);
    let files = fitting(&brief.attachments, most, |files| tokens(&prompt(files)) + beside);
    Fitted { turns, question: prompt(&files), files_read: Some(FilesRead::of(&files)) }
}

/// A prompt whose length is estimated.
pub trait Prompt {
    /// Its estimated length in tokens.
    fn tokens(&self) -> u64;
}

impl Prompt for String {
    fn tokens(&self) -> u64 {
        tokens(self)
    }
}

impl Prompt for Text {
    fn tokens(&self) -> u64 {
        tokens_of_text(self)
    }
}

/// What `prompt` makes of the newest earlier turns that this model has room for, where its context is known. Nothing
/// but turns is left out, even if the rest is too long by itself.
pub async fn quoting<P: Prompt>(
    run: &Run,
    brief: &Brief,
    (model, purpose): (&str, &Purpose),
    system: Option<&str>,
    prompt: impl Fn(&[Turn]) -> P,
) -> P {
    let turns = brief.history.as_slice();
    let whole = prompt(turns);
    if !brief.fits_turns {
        return whole;
    }
    let pictures = if brief.sees(model) { pictures::tokens(&brief.attachments) } else { 0 };
    let beside = system.map_or(0, tokens) + pictures;
    let length = whole.tokens() + beside;
    let fits = |context: u64| length <= room(brief, purpose, context);
    // As in `fitted`.
    if length <= FITS_ANYWHERE || known(run, model).is_none_or(fits) {
        return whole;
    }
    let Some(context) = decided(run, model).await else { return whole };
    let rest = prompt(&[]).tokens() + beside;
    let left = room(brief, purpose, context).checked_sub(rest);
    prompt(newest(turns, left, quoted_length_of))
}

/// The newest of these turns that together take no more than `left`; none of them if that is `None`.
fn newest(turns: &[Turn], mut left: Option<u64>, length_of: impl Fn(&Turn) -> u64) -> &[Turn] {
    let newest = turns.iter().rev().take_while(|turn| {
        left = left.and_then(|left| left.checked_sub(length_of(turn)));
        left.is_some()
    });
    &turns[turns.len() - newest.count()..]
}

/// As much of these files as fits with a prompt into `most` tokens, given that all of them do not. If the prompt is too
/// long by itself, only their names are left.
fn fitting(files: &[Attached], most: u64, tokens_with: impl Fn(&[Attached]) -> u64) -> Vec<Attached> {
    let (mut fits, mut too_much) = (0, attached::length(files, usize::MAX));
    while too_much - fits > 1 {
        let middle = usize::midpoint(fits, too_much);
        if tokens_with(&attached::beginning(files, middle)) <= most {
            fits = middle;
        } else {
            too_much = middle;
        }
    }
    attached::beginning(files, fits)
}

/// The context of a model, in tokens: the same for all executions of a run.
async fn decided(run: &Run, model: &str) -> Option<u64> {
    run.decide(&key(model), async { run.context_tokens(model) }).await
}

/// [`decided`] without remembering the decision.
fn known(run: &Run, model: &str) -> Option<u64> {
    run.decided(&key(model)).unwrap_or_else(|| run.context_tokens(model))
}

fn key(model: &str) -> String {
    format!("context/{model}")
}

/// How many tokens may be read: a quarter is left for what is not counted, and for languages with more tokens per
/// character.
fn room(brief: &Brief, purpose: &Purpose, context: u64) -> u64 {
    let answer = brief.settings.sampling(purpose).max_tokens.map_or(purpose.usual_tokens, u64::from);
    context.saturating_sub(answer) / 4 * 3
}

fn length_of(turn: &Turn) -> u64 {
    tokens(&turn.question) + tokens(&turn.answer)
}

/// The length of a quoted turn, with the labels of its question and its answer, which count where turns are short.
fn quoted_length_of(turn: &Turn) -> u64 {
    tokens(&history::quoted(std::slice::from_ref(turn)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::prompts::fence::Fence;
    use super::*;

    const QUESTION: &str = "What does it promise?";

    fn file(text: String) -> Attached {
        Attached {
            id: "0".repeat(64),
            filename: "file.txt".to_owned(),
            file_type: "text".to_owned(),
            mime_type: "text/plain".to_owned(),
            size: text.len() as u64,
            characters: text.chars().count(),
            text,
            image: None,
            of_project: false,
        }
    }

    fn prompt(files: &[Attached]) -> String {
        let files = attached::material(files, &Fence::new("c0ffee"), attached::MEMBERS_CHARS);
        format!("{}\n\n{QUESTION}", files.unwrap_or_default())
    }

    #[test]
    fn the_newest_turns_that_fit_are_told_and_what_stands_around_them_counts() {
        let turn = |text: &str| Turn { question: text.to_owned(), answer: text.to_owned() };
        let turns = ["long".repeat(100), "a".repeat(40), "b".repeat(40)].map(|text| turn(&text));
        assert_eq!(newest(&turns, Some(40), length_of), &turns[1..]);
        assert_eq!(newest(&turns, Some(39), length_of), &turns[2..]);
        assert_eq!(newest(&turns, Some(40), quoted_length_of), &turns[2..]);
        assert_eq!(newest(&turns, Some(1_000), length_of), turns);
        assert!(newest(&turns, None, length_of).is_empty());
    }

    proptest! {
        #[test]
        fn files_are_cut_from_their_end_to_what_fits_and_the_question_never(
            // What nobody sees is left out of prompts, and marks of turns are made longer there.
            texts in
                prop::collection::vec("(word |ä|\u{200b}|漢字|</s>|\n|\\PC){0,300}", 1..4),
            part in 0..100_u64,
        ) {
            let files: Vec<Attached> = texts.into_iter().map(file).collect();
            let whole = tokens(&prompt(&files));
            let most = whole.saturating_sub(1) * part / 100;
            let tokens_with = |files: &[Attached]| tokens(&prompt(files));
            let fitted = fitting(&files, most, tokens_with);
            let again = fitting(&files, most, tokens_with);
            prop_assert_eq!(&fitted, &again);
            let read = FilesRead::of(&fitted).characters_read;
            prop_assert!(tokens_with(&fitted) <= most || read == 0);
            prop_assert!(prompt(&fitted).ends_with(QUESTION));
            let mut is_cut = false;
            for (file, fitted) in files.iter().zip(&fitted) {
                prop_assert!(file.text.starts_with(&fitted.text));
                prop_assert!(!is_cut || fitted.text.is_empty(), "from the last file backwards");
                is_cut |= fitted.text.len() < file.text.len();
            }
            let more = attached::beginning(&files, read + 1);
            let is_whole = FilesRead::of(&more).characters_read == read;
            prop_assert!(is_whole || tokens_with(&more) > most, "no more of it would fit");
        }
    }
}
