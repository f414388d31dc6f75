//! The devil's advocate: an attack on the answer, and the revision that a grave one leads to.

pub mod section;
pub mod shape;

use crate::terminal::live::event::{Event, Fields};
use crate::terminal::live::feature_state::FeatureState;
use crate::terminal::live::state::Run;
use shape::{Adversary, AdversaryStatus};

impl FeatureState for Option<Adversary> {
    fn apply(&mut self, run: &mut Run, event: Event) {
        let fields = event.fields;
        match event.kind {
            "adversary_start" => {
                *begun(self, run, fields) =
                    Adversary { model: fields.string("adversary_model"), ..Adversary::default() };
            }
            "adversary_token" => {
                if let Some(text) = fields.words("content") {
                    let adversary = begun(self, run, fields);
                    if adversary.status == AdversaryStatus::Attacking {
                        adversary.critique.push_str(text);
                    }
                }
            }
            "adversary_complete" => {
                let adversary = begun(self, run, fields);
                adversary.status = AdversaryStatus::Judged;
                attacked(adversary, fields);
                adversary.severity = fields.owned("severity");
                adversary.severity_note = fields.words("severity_note").map(str::to_owned);
            }
            "adversary_error" => {
                let adversary = begun(self, run, fields);
                adversary.status = AdversaryStatus::Done;
                attacked(adversary, fields);
                adversary.error = Some(fields.string("error"));
            }
            "adversary_revision_start" => revising(self, run).revision.clear(),
            "adversary_revision_token" => {
                if let Some(text) = fields.words("content") {
                    write(self, run, text);
                }
            }
            "adversary_revision_complete" => {
                if let Some(text) = fields.text("response") {
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
                adversary.error = Some(fields.string("error"));
            }
            "adversary_validation_complete" => {
                let adversary = revising(self, run);
                adversary.status = AdversaryStatus::Done;
                adversary.cost = fields.number("total_cost");
            }
            "call_restarted" if fields.text("stage") == Some("adversary") => restarts(self, run),
            _ => {}
        }
    }

    /// Reads what is stored with a message.
    fn read(&mut self, _run: &mut Run, message: Fields, _is_live: bool) {
        let fields = message.within("metadata").within("adversary");
        if !fields.is_there() {
            return;
        }
        let revision = fields.text("revision").or(fields.text("unfinished_revision"));
        *self = Some(Adversary {
            model: fields.string("adversary_model"),
            status: AdversaryStatus::Done,
            critique: fields.string("critique"),
            severity: fields.owned("severity"),
            severity_note: fields.words("severity_note").map(str::to_owned),
            revision: revision.unwrap_or_default().to_owned(),
            revised: fields.flag("revised"),
            error: fields.words("error").map(str::to_owned),
            cost: fields.number("total_cost"),
        });
    }

    fn settle(&mut self) {
        if let Some(adversary) = self {
            adversary.status = AdversaryStatus::Done;
        }
    }
}

fn begun<'a>(own: &'a mut Option<Adversary>, run: &mut Run, fields: Fields) -> &'a mut Adversary {
    "adversary".clone_into(&mut run.phase);
    let model = || fields.string("model");
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

fn attacked(adversary: &mut Adversary, fields: Fields) {
    if let Some(critique) = fields.text("critique") {
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
