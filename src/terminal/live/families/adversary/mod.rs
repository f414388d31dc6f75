//! The devil's advocate: an attack on the answer, and the revision that a grave one leads to.

pub mod section;
pub mod shape;

use crate::terminal::live::event::{Event, Fields};
use crate::terminal::live::family::Family;
use crate::terminal::live::state::Run;
use shape::{Adversary, AdversaryStatus};

impl Family for Option<Adversary> {
    fn apply(&mut self, run: &mut Run, event: Event) {
        let told = event.fields;
        match event.kind {
            "adversary_start" => {
                *begun(self, run, told) =
                    Adversary { model: told.string("adversary_model"), ..Adversary::default() };
            }
            "adversary_token" => {
                if let Some(text) = told.words("content") {
                    let adversary = begun(self, run, told);
                    if adversary.status == AdversaryStatus::Attacking {
                        adversary.critique.push_str(text);
                    }
                }
            }
            "adversary_complete" => {
                let adversary = begun(self, run, told);
                adversary.status = AdversaryStatus::Judged;
                attacked(adversary, told);
                adversary.severity = told.owned("severity");
                adversary.severity_note = told.words("severity_note").map(str::to_owned);
            }
            "adversary_error" => {
                let adversary = begun(self, run, told);
                adversary.status = AdversaryStatus::Done;
                attacked(adversary, told);
                adversary.error = Some(told.string("error"));
            }
            "adversary_revision_start" => revising(self, run).revision.clear(),
            "adversary_revision_token" => {
                if let Some(text) = told.words("content") {
                    write(self, run, text);
                }
            }
            "adversary_revision_complete" => {
                if let Some(text) = told.text("response") {
                    let adversary = revising(self, run);
                    adversary.status = AdversaryStatus::Judged;
                    text.clone_into(&mut adversary.revision);
                    adversary.revised = true;
                    run.final_answer.revise(text);
                }
            }
            "adversary_revision_error" => {
                let adversary = revising(self, run);
                adversary.status = AdversaryStatus::Judged;
                adversary.revision.clear();
                adversary.error = Some(told.string("error"));
            }
            "adversary_validation_complete" => {
                let adversary = revising(self, run);
                adversary.status = AdversaryStatus::Done;
                adversary.cost = told.number("total_cost");
            }
            "call_restarted" if told.text("stage") == Some("adversary") => restarts(self, run),
            _ => {}
        }
    }

    /// Reads what is stored with a message.
    fn read(&mut self, _run: &mut Run, message: Fields, _is_live: bool) {
        let told = message.within("metadata").within("adversary");
        if !told.is_there() {
            return;
        }
        let revision = told.text("revision").or(told.text("unfinished_revision"));
        *self = Some(Adversary {
            model: told.string("adversary_model"),
            status: AdversaryStatus::Done,
            critique: told.string("critique"),
            severity: told.owned("severity"),
            severity_note: told.words("severity_note").map(str::to_owned),
            revision: revision.unwrap_or_default().to_owned(),
            revised: told.flag("revised"),
            error: told.words("error").map(str::to_owned),
            cost: told.number("total_cost"),
        });
    }

    fn settle(&mut self) {
        if let Some(adversary) = self {
            adversary.status = AdversaryStatus::Done;
        }
    }
}

fn begun<'a>(own: &'a mut Option<Adversary>, run: &mut Run, told: Fields) -> &'a mut Adversary {
    "adversary".clone_into(&mut run.phase);
    let model = || told.string("model");
    own.get_or_insert_with(|| Adversary { model: model(), ..Adversary::default() })
}

fn revising<'a>(own: &'a mut Option<Adversary>, run: &mut Run) -> &'a mut Adversary {
    "adversary".clone_into(&mut run.phase);
    let adversary = own.get_or_insert_default();
    adversary.status = AdversaryStatus::Revising;
    adversary
}

fn write(own: &mut Option<Adversary>, run: &mut Run, text: &str) {
    if own.as_ref().is_some_and(|adversary| adversary.revised) {
        "adversary".clone_into(&mut run.phase);
    } else {
        revising(own, run).revision.push_str(text);
    }
}

fn attacked(adversary: &mut Adversary, told: Fields) {
    if let Some(critique) = told.text("critique") {
        critique.clone_into(&mut adversary.critique);
    }
}

/// A call that was lost and is made again: its half-written text goes.
fn restarts(own: &mut Option<Adversary>, run: &mut Run) {
    let Some(adversary) = own.as_mut() else { return };
    match adversary.status {
        AdversaryStatus::Attacking => adversary.critique.clear(),
        AdversaryStatus::Revising => adversary.revision.clear(),
        AdversaryStatus::Judged | AdversaryStatus::Done => return,
    }
    "adversary".clone_into(&mut run.phase);
}
