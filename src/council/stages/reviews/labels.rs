//! Answers under labels, so that nobody knows whose they are.

use crate::council::pass::Pass;
use crate::council::prompts::fence::Fence;
use crate::council::ranking::label::Label;
use crate::council::run::Run;
use crate::council::stages::answers::Answer;
use crate::llm::Text;

/// An answer under its label.
pub struct Labelled<'a> {
    pub label: Label,
    pub answer: &'a Answer,
    /// The answer between its fences, as all reviewers read it.
    pub fenced: Text,
}

/// The answers with these labels, in this order, as a reviewer reads them.
#[must_use]
pub fn in_order(labelled: &[Labelled<'_>], order: &[Label]) -> Text {
    let entries = order.iter().filter_map(|label| labelled.iter().find(|entry| entry.label == *label));
    Text::joined(entries.map(|entry| &entry.fenced), "\n\n")
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
    let fence = Fence::new(&run.marker());
    good.into_iter()
        .enumerate()
        .map(|(place, answer)| {
            let label = Label::nth(place);
            Labelled { label, answer, fenced: fence.wrap(&label.to_string(), &answer.response).into() }
        })
        .collect()
}
