//! Answers under labels, so that nobody knows whose they are.

use crate::council::pass::Pass;
use crate::council::ranking::label::Label;
use crate::council::run::Run;
use crate::council::stages::answers::Answer;

/// An answer under its label.
pub struct Labelled<'a> {
    pub label: Label,
    pub answer: &'a Answer,
}

/// Labels the good answers at random (by the run's seed), in label order.
#[must_use]
pub fn label<'a>(run: &Run, pass: Pass, answers: &'a [Answer]) -> Vec<Labelled<'a>> {
    label_by(run, &pass.key("labels"), answers)
}

/// Like [`label`], shuffled by this key.
#[must_use]
pub fn label_by<'a>(run: &Run, purpose: &str, answers: &'a [Answer]) -> Vec<Labelled<'a>> {
    let mut good: Vec<&Answer> = answers.iter().filter(|answer| answer.is_good()).collect();
    run.shuffle(purpose, &mut good);
    good.into_iter()
        .enumerate()
        .map(|(place, answer)| Labelled { label: Label::nth(place), answer })
        .collect()
}
