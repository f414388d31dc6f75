//! The devil's advocate: one model attacks the answer; grave objections go back to its author.

mod calls;
pub(in crate::council) mod estimate;
pub mod facts;
mod notes;
pub mod settings;
pub mod severity;
mod simulated;
pub mod view;

pub use calls::{ATTACK, STAGE};
pub use notes::AdversaryNote;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::council::ask::Ask;
use crate::council::context;
use crate::council::draft::Draft;
use crate::council::field::{FieldErrorKind, Fields};
use crate::council::prompts::fence::{self, Fence};
use crate::council::prompts::history::{self, Turn};
use crate::council::prompts::template::Template;
use crate::council::revision::{self, Revision};
use crate::council::round::Round;
use crate::council::run::Run;
use crate::council::settings::Settings;
use crate::council::token::TokenHead;
use crate::council::view::View;
use crate::llm::fact::known;
use crate::llm::{CallError, CallFact, ErrorKind, Purpose, Reason, Reply};
use facts::{AdversaryFact, SeverityFact};
use severity::{Judged, Severity, SeverityFrom};

/// What the devil's advocate is asked.
pub static PROMPT: Template = Template {
    name: "attack",
    about: "What the devil's advocate is asked.",
    text: "You are the devil's advocate: below is the answer that is about to be given to a question, and \
        you are to attack it.\n\n{material}\n\n{rule}\n\n\
        Look for flaws in the reasoning, errors of fact, bias, gaps, claims without support, and advice \
        that could do harm. Be rigorous and fair: raise only what you could defend, and nothing of style. \
        For each objection say what is wrong, why it matters, and what would be right. If you find \
        nothing that would mislead or hurt the reader, write: No significant issues found.\n\n\
        {instructions}\n{form}",
    places: &["material", "rule", "instructions", "form"],
    marks: &[],
};

/// Everything that this asks models with.
pub static TEMPLATES: &[&Template] =
    &[&PROMPT, &severity::INSTRUCTIONS, &severity::FORM, &severity::ALONE, &revision::PROMPT];

/// The devil's advocate as a run calls it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdversaryOptions {
    pub model: String,
    /// The smallest severity that leads to a revision. Not stored where it is the default, so that stored plans do not
    /// change.
    #[serde(default = "usual_threshold", skip_serializing_if = "is_usual")]
    pub revises_from: Severity,
}

/// From which severity on an answer is revised, where the request does not say; what a plan of an earlier version meant.
pub const DEFAULT_THRESHOLD: Severity = Severity::Major;
const THRESHOLDS: [Severity; 3] = [Severity::Critical, Severity::Major, Severity::Minor];

fn usual_threshold() -> Severity {
    DEFAULT_THRESHOLD
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_usual(threshold: &Severity) -> bool {
    *threshold == DEFAULT_THRESHOLD
}

impl AdversaryOptions {
    /// Reads a request's fields; `None` when it is off.
    pub(in crate::council) fn parse(fields: &mut Fields<'_>, settings: &Settings) -> Option<Self> {
        let on = fields.take("use_adversary", "true or false").unwrap_or(false);
        let named: Option<String> = fields.take("adversary_revision_threshold", "a severity");
        let threshold = named.as_deref().map(threshold);
        if threshold == Some(None) {
            let rule = format!("must be {}", THRESHOLDS.map(Severity::as_str).join(", "));
            fields.refuse("adversary_revision_threshold", FieldErrorKind::Value, rule);
        }
        let revises_from = threshold.flatten().unwrap_or(DEFAULT_THRESHOLD);
        on.then(|| Self { model: model(settings).to_owned(), revises_from })
    }
}

/// The severity of this name, where an answer can be revised from it on.
fn threshold(name: &str) -> Option<Severity> {
    THRESHOLDS.into_iter().find(|severity| severity.as_str() == name)
}

/// Who attacks: the settings' adversary, else the chairman's first fallback, which has not written the
/// answer as long as the chairman does not fail, else the chairman itself.
#[must_use]
pub fn model(settings: &Settings) -> &str {
    let named = settings.options.adversary.adversary_model.as_ref();
    named.or(settings.chairman_fallbacks.first()).unwrap_or(&settings.chairman_model)
}

/// What the devil's advocate said, and what came of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Adversary {
    pub adversary_model: String,
    /// The attack, without its last line; of a failed one what had arrived.
    pub critique: String,
    /// Whether it holds anything against the answer.
    pub has_issues: bool,
    /// Absent when there is no whole attack.
    pub severity: Option<Severity>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity_from: Option<SeverityFrom>,
    /// Why nobody said the severity, in a plain sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity_note: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known")]
    pub severity_note_fact: Option<SeverityFact>,
    /// Whether the answer was revised.
    pub revised: bool,
    pub revision: Option<String>,
    /// USD over the calls whose cost is known; absent when none is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_cost: Option<f64>,
    /// Calls that reached a model and whose cost nobody told: not in the sum.
    #[serde(default)]
    pub unknown_cost_calls: u32,
    /// What had arrived of a revision when the run was cancelled in it. It is not the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unfinished_revision: Option<String>,
    /// What failed, in a plain sentence; the answer stands as it was then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_kind: Option<ErrorKind>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known")]
    pub error_fact: Option<AdversaryFact>,
}

/// The events of the devil's advocate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum AdversaryEvent {
    AdversaryStart {
        adversary_model: String,
    },
    /// A piece of the attack.
    AdversaryToken {
        model: String,
        content: String,
    },
    /// The attack is whole.
    AdversaryComplete {
        model: String,
        critique: String,
        has_issues: bool,
        severity: Severity,
        severity_from: SeverityFrom,
        /// Why nobody said the severity, in a plain sentence.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        severity_note: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known")]
        severity_note_fact: Option<SeverityFact>,
        /// USD; absent when unknown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cost: Option<f64>,
        latency_ms: u64,
    },
    /// There is no attack: the answer stands, and nothing more follows of this option. `critique`
    /// holds what had arrived.
    AdversaryError {
        model: String,
        error: String,
        error_kind: ErrorKind,
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known")]
        error_fact: Option<CallFact>,
        critique: String,
    },
    /// The objections are grave: the author of the answer revises it.
    AdversaryRevisionStart {
        chairman_model: String,
        severity: Severity,
    },
    /// A piece of the revision.
    AdversaryRevisionToken {
        model: String,
        content: String,
    },
    /// The revision is whole, and is the answer from now on.
    AdversaryRevisionComplete {
        model: String,
        response: String,
        /// USD; absent when unknown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cost: Option<f64>,
        latency_ms: u64,
    },
    /// There is no revision: the answer stands as it was.
    AdversaryRevisionError {
        model: String,
        error: String,
        error_kind: ErrorKind,
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known")]
        error_fact: Option<CallFact>,
    },
    /// It is over.
    AdversaryValidationComplete {
        issues_found: bool,
        severity: Severity,
        revised: bool,
        final_response: String,
        /// USD over the calls whose cost is known; absent when none is.
        total_cost: Option<f64>,
        unknown_cost_calls: u32,
    },
}

impl AdversaryEvent {
    /// The text that is the answer after this event, if it changes it.
    #[must_use]
    pub fn new_answer(&self) -> Option<&str> {
        if let Self::AdversaryRevisionComplete { response, .. } = self { Some(response) } else { None }
    }
}

/// Lets the draft be attacked, and revised where the attack is grave.
pub async fn challenge(run: &Run, round: &Round<'_>, options: &AdversaryOptions, mut draft: Draft) -> Draft {
    let model = &options.model;
    run.emit("adversary/start", AdversaryEvent::AdversaryStart { adversary_model: model.clone() }).await;
    let reply = match attack(run, round, model, &draft.synthesis.response).await {
        Ok(reply) => reply,
        Err(error) => {
            let event = AdversaryEvent::AdversaryError {
                model: model.clone(),
                error: error.message,
                error_kind: error.kind,
                error_fact: error.fact,
                critique: error.partial.map(|reply| severity::split(&reply.text).0).unwrap_or_default(),
            };
            run.emit("adversary/error", event).await;
            return draft;
        }
    };
    let (critique, stated) = severity::split(&reply.text);
    let Judged { severity, from: severity_from, note } = match stated {
        Some(severity) => Judged::stated(severity),
        None => severity::ask(run, round, model, &critique).await,
    };
    let complete = AdversaryEvent::AdversaryComplete {
        model: model.clone(),
        critique: critique.clone(),
        has_issues: severity.is_an_issue(),
        severity,
        severity_from,
        severity_note: note.as_ref().map(ToString::to_string),
        severity_note_fact: note,
        cost: reply.usage.and_then(|usage| usage.cost_usd),
        latency_ms: reply.latency_ms,
    };
    run.emit("adversary/complete", complete).await;
    let mut revised = false;
    if severity.reaches(options.revises_from)
        && let Some(text) = revise(run, round, &critique, severity, &draft).await
    {
        draft.synthesis.replace(&text);
        revised = true;
    }
    let costs = run.costs_of(&STAGE);
    let event = AdversaryEvent::AdversaryValidationComplete {
        issues_found: severity.is_an_issue(),
        severity,
        revised,
        final_response: draft.synthesis.response.clone(),
        total_cost: costs.total_cost,
        unknown_cost_calls: costs.unknown_cost_calls,
    };
    run.emit("adversary/validated", event).await;
    draft
}

async fn attack(run: &Run, round: &Round<'_>, model: &str, answer: &str) -> Result<Reply, CallError> {
    let (attacker, system) = ((model, &ATTACK), round.system_prompt_of(model));
    let prompt =
        context::quoting(run, round.brief(), attacker, system, |turns| prompt(run, round, answer, turns))
            .await;
    let ask = Ask {
        stage: STAGE,
        key: "adversary/attack".to_owned(),
        model,
        member: None,
        purpose: &ATTACK,
        system,
        prompt: &prompt,
        schema: None,
    };
    let token = TokenHead::new("adversary_token", &json!({ "model": model }));
    let view = || View::new(severity::Filter::default(), token.clone());
    ask.stream(run, &round.brief().settings, view).await
}

fn prompt(run: &Run, round: &Round<'_>, answer: &str, turns: &[Turn]) -> String {
    let fence = Fence::new(&run.marker());
    let mut sections = Vec::new();
    sections.extend(history::section(&fence, turns));
    sections.push(round.brief().quoted_question(&fence));
    sections.push(fence.wrap("Answer", answer));
    let prompts = &round.brief().prompts;
    prompts.fill(
        &PROMPT,
        &[
            ("material", &sections.join("\n\n")),
            ("rule", prompts.text(&fence::RULE)),
            ("instructions", prompts.text(&severity::INSTRUCTIONS)),
            ("form", prompts.text(&severity::FORM)),
        ],
    )
}

/// The revision's text; a failure is sent as an event.
async fn revise(
    run: &Run,
    round: &Round<'_>,
    critique: &str,
    severity: Severity,
    draft: &Draft,
) -> Option<String> {
    let model = draft.synthesis.model.clone();
    let start = AdversaryEvent::AdversaryRevisionStart { chairman_model: model.clone(), severity };
    run.emit("adversary/revision/start", start).await;
    let revision = Revision {
        stage: STAGE,
        key: "adversary/revision".to_owned(),
        writer: &model,
        draft: &draft.synthesis.response,
        objections: vec![("Objections".to_owned(), critique)],
    };
    let token = TokenHead::new("adversary_revision_token", &json!({ "model": model }));
    match revision.write(run, round, token).await {
        Ok(revised) => {
            let event = AdversaryEvent::AdversaryRevisionComplete {
                model: model.clone(),
                response: revised.text.clone(),
                cost: revised.cost,
                latency_ms: revised.latency_ms,
            };
            run.emit("adversary/revision/complete", event).await;
            Some(revised.text)
        }
        Err(failure) => {
            let event = AdversaryEvent::AdversaryRevisionError {
                model: model.clone(),
                error: failure.message,
                error_kind: failure.kind,
                error_fact: failure.fact,
            };
            run.emit("adversary/revision/error", event).await;
            None
        }
    }
}

impl Adversary {
    /// Takes in one event, so that a run that ends in the middle keeps what it had.
    pub fn apply(&mut self, event: &AdversaryEvent) {
        match event {
            AdversaryEvent::AdversaryStart { adversary_model } => {
                self.adversary_model.clone_from(adversary_model);
            }
            AdversaryEvent::AdversaryComplete {
                critique,
                has_issues,
                severity,
                severity_from,
                severity_note,
                severity_note_fact,
                ..
            } => {
                self.critique.clone_from(critique);
                self.has_issues = *has_issues;
                self.severity = Some(*severity);
                self.severity_from = Some(*severity_from);
                self.severity_note.clone_from(severity_note);
                self.severity_note_fact.clone_from(severity_note_fact);
            }
            AdversaryEvent::AdversaryError { model, error, error_kind, error_fact, critique } => {
                self.critique.clone_from(critique);
                let reason = Reason::of(Some(*error_kind), error_fact.as_ref(), error);
                self.fail(AdversaryFact::NotAttacked { model: model.clone(), reason }, *error_kind);
            }
            AdversaryEvent::AdversaryRevisionComplete { response, .. } => {
                self.revised = true;
                self.revision = Some(response.clone());
            }
            AdversaryEvent::AdversaryRevisionError { model, error, error_kind, error_fact } => {
                let reason = Reason::of(Some(*error_kind), error_fact.as_ref(), error);
                self.fail(AdversaryFact::NotRevised { model: model.clone(), reason }, *error_kind);
            }
            AdversaryEvent::AdversaryValidationComplete { total_cost, unknown_cost_calls, .. } => {
                self.total_cost = *total_cost;
                self.unknown_cost_calls = *unknown_cost_calls;
            }
            AdversaryEvent::AdversaryToken { .. }
            | AdversaryEvent::AdversaryRevisionStart { .. }
            | AdversaryEvent::AdversaryRevisionToken { .. } => {}
        }
    }

    fn fail(&mut self, fact: AdversaryFact, kind: ErrorKind) {
        self.error = Some(fact.to_string());
        self.error_kind = Some(kind);
        self.error_fact = Some(fact);
    }

    /// Keeps what had been shown of a call that never ended.
    pub fn keep_unfinished(&mut self, purpose: &Purpose, text: &str) {
        if *purpose == revision::REVISION {
            self.unfinished_revision = Some(text.to_owned()).filter(|text| !text.is_empty());
        } else {
            text.clone_into(&mut self.critique);
        }
        self.fail(AdversaryFact::Unfinished, ErrorKind::Cancelled);
    }
}
