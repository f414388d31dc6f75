//! Stage 3: the chairman writes one answer from everything the council said, streamed. When it
//! fails, the next in the chain writes, and the heading says so.

pub(in crate::council) mod estimate;
pub mod facts;
mod notes;
mod prompt;
mod simulated;

pub(in crate::council) use facts::losses;
pub use facts::{Author, HeadingFact, NoteFact};
pub use notes::SynthesisNote;
pub use prompt::{TEMPLATES, TEMPLATES_WITHOUT_REVIEWS};

use prompt::Reviews;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::council::ask::rejects_the_system_prompt;
use crate::council::brief::Brief;
use crate::council::checking::Writing;
use crate::council::formed;
use crate::council::options::consensus::info::ConsensusInfo;
use crate::council::options::multi_chairman::info::SynthesisDraft;
use crate::council::round::Round;
use crate::council::run::Run;
use crate::council::searching::citations::Citations;
use crate::council::stage::Stage;
use crate::council::stages::answers::Answer;
use crate::council::stages::editorial::{self, Editorial};
use crate::council::stages::verdict::DebateVerdict;
use crate::council::token::TokenHead;
use crate::council::view::{TextFilter, Unfiltered, View};
use crate::llm::fact::known;
use crate::llm::{
    CallError, CallFact, ChatMessage, ChatRequest, ErrorKind, Purpose, Reply, Usage, counted_as,
};

/// Where the council's answer is written.
pub const STAGE: Stage = Stage::named("stage3");
/// The chairman's answer.
pub static SYNTHESIS: Purpose =
    Purpose { name: "synthesis", usual_tokens: 2_000, simulated: simulated::synthesis };

/// The text of a synthesis that nobody could write, as existing clients know it.
pub const NO_SYNTHESIS: &str = "Error: Unable to generate final synthesis.";

/// The council's answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Synthesis {
    /// Who wrote it.
    pub model: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alias: Option<String>,
    /// The model that really wrote it, where the provider names another than the one that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub served_by: Option<String>,
    /// The final answer, after everything that improved it.
    pub response: String,
    /// The answer as it was first written, where a revision took its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draft: Option<String>,
    /// The heading above the text: it says when members or the chairman failed.
    pub heading: String,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known")]
    pub heading_fact: Option<HeadingFact>,
    /// What went wrong on the way, in plain sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Each of them as a fact.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "known")]
    pub note_facts: Vec<NoteFact>,
    /// Which of the run's sources it cites, where it cites any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub citations: Option<Citations>,
    /// Where the members agree and differ, as the chairman saw it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disagreement: Option<Editorial>,
    /// What came of the debate, as the chairman saw it, where there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<DebateVerdict>,
    /// The seat whose own answer this is, word for word, where `final: select` took it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selected_member: Option<String>,
    /// The chairman that failed before this model wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback_for: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// USD; absent when unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttft_ms: Option<u64>,
    /// The writer stopped at its token limit: the text is not whole.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// No model was asked: the simulated provider wrote this.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub simulated: bool,
    /// The drafts of several chairmen, in the order of their labels. Usage and cost above are then
    /// those of the choice; each draft has its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub syntheses: Vec<SynthesisDraft>,
    /// The label of the draft that the answer goes back to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selected_synthesis: Option<String>,
    /// Who wrote that draft.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selected_model: Option<String>,
    /// Who chose it; absent when there was nothing to choose from, or nobody could.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selected_by: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selection_reasoning: Option<String>,
    /// Everything that was written over the choice before the final answer, as it came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evaluation: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_kind: Option<ErrorKind>,
    /// The error as a fact, where it is this server's own.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known")]
    pub error_fact: Option<CallFact>,
}

impl Synthesis {
    /// A member's answer, as it is.
    #[must_use]
    pub fn of_answer(answer: &Answer) -> Self {
        Self {
            model: answer.model.clone(),
            alias: answer.alias.clone(),
            served_by: answer.served_by.clone(),
            response: answer.response.clone(),
            // Nobody was asked for it.
            cost: Some(0.0),
            simulated: answer.simulated,
            citations: answer.citations.clone(),
            ..Self::default()
        }
    }

    /// An answer that never became whole.
    #[must_use]
    pub fn unfinished(fact: CallFact) -> Self {
        let mut synthesis = Self::default();
        synthesis.name(HeadingFact::Unfinished);
        synthesis.fail(fact.into());
        synthesis
    }

    /// Puts this above the answer.
    pub fn name(&mut self, fact: HeadingFact) {
        self.heading = fact.to_string();
        self.heading_fact = Some(fact);
    }

    /// Notes what went wrong.
    pub fn note(&mut self, fact: NoteFact) {
        self.notes.push(fact.to_string());
        self.note_facts.push(fact);
    }

    /// Notes that there is none, and why.
    pub fn fail(&mut self, error: CallError) {
        self.error = Some(error.message);
        self.error_kind = Some(error.kind);
        self.error_fact = error.fact;
    }

    /// The model that its figures count for.
    #[must_use]
    pub fn counted_as(&self) -> &str {
        counted_as(&self.model, self.served_by.as_deref())
    }

    /// Puts a complete revision in the answer's place. The first version stays next to it.
    pub fn replace(&mut self, revision: &str) {
        if self.response != revision {
            let before = std::mem::replace(&mut self.response, revision.to_owned());
            self.draft.get_or_insert(before);
            self.truncated = false;
        }
    }
}

/// The events of stage 3.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum SynthesisEvent {
    /// A chairman begins to write; a second one means that the first failed: clear its text.
    Stage3Start {
        model: String,
        /// Several chairmen write first, and this one will choose.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        use_multi_chairman: bool,
        /// When it is asked (RFC 3339, UTC).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        started_at: Option<String>,
    },
    /// A piece of the answer.
    Stage3Token { model: String, content: String },
    /// A piece of the chairman's reasoning, shown apart.
    Stage3ReasoningToken { model: String, content: String },
    /// A chairman failed.
    Stage3Error {
        model: String,
        error: String,
        error_kind: ErrorKind,
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known")]
        error_fact: Option<CallFact>,
    },
    /// The answer is whole.
    Stage3Complete {
        data: Box<Synthesis>,
        /// The council agreed: this is a member's answer, and no chairman wrote.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_consensus: bool,
        /// Whether it agreed and why, where that was asked for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        consensus_info: Option<Box<ConsensusInfo>>,
        /// The answer came of the drafts of several chairmen; not where all of them failed.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        use_multi_chairman: bool,
    },
}

impl SynthesisEvent {
    /// The answer is there as one member gave it, or as it was chosen.
    #[must_use]
    pub fn complete(synthesis: Synthesis) -> Self {
        Self::Stage3Complete {
            data: Box::new(synthesis),
            is_consensus: false,
            consensus_info: None,
            use_multi_chairman: false,
        }
    }
}

/// Writes the answer, by the chairman or the next in the chain. The caller emits its completion.
pub async fn write(run: &Run, round: &Round<'_>) -> Synthesis {
    let brief = round.brief();
    let chairman = &brief.settings.chairman_model;
    let mut failures: Vec<(String, CallError)> = Vec::new();
    let mut synthesis = None;
    for model in chain(round) {
        let key = format!("stage3/{model}");
        let start = SynthesisEvent::Stage3Start {
            model: model.clone(),
            use_multi_chairman: false,
            started_at: Some(run.now()),
        };
        run.emit(&format!("{key}/start"), start).await;
        match ask(run, round, &model, &key, Shown::AsItComes).await {
            Ok(whole) => {
                synthesis = Some(whole);
                break;
            }
            Err(error) => {
                let event = SynthesisEvent::Stage3Error {
                    model: model.clone(),
                    error: error.message.clone(),
                    error_kind: error.kind,
                    error_fact: error.fact.clone(),
                };
                run.emit(&format!("{key}/error"), event).await;
                failures.push((model, error));
            }
        }
    }
    let mut synthesis = synthesis.unwrap_or_else(|| nobody(chairman, &failures));
    if !failures.is_empty() && synthesis.error.is_none() {
        synthesis.fallback_for = Some(chairman.clone());
    }
    if synthesis.model == *chairman {
        synthesis.alias.clone_from(&brief.settings.chairman_alias);
    }
    synthesis.simulated = run.is_simulated(&synthesis.model);
    for loss in losses(round) {
        synthesis.note(loss);
    }
    for (model, error) in failures {
        synthesis.note(NoteFact::NoFinalAnswer { model, reason: error.reason() });
    }
    synthesis.name(if synthesis.error.is_some() {
        HeadingFact::NoAnswer
    } else {
        HeadingFact::of(round, synthesis.fallback_for.is_some().then_some(Author::StandIn))
    });
    synthesis
}

/// The chairman, the configured fallbacks, then the best-ranked member that is none of these (any
/// that answered, if nobody is ranked); nobody twice.
pub(in crate::council) fn chain(round: &Round<'_>) -> Vec<String> {
    let settings = &round.brief().settings;
    let mut chain: Vec<String> = Vec::new();
    for model in [&settings.chairman_model].into_iter().chain(&settings.chairman_fallbacks) {
        if !chain.contains(model) {
            chain.push(model.clone());
        }
    }
    let ranked = round.reviewed.metadata.aggregate_rankings.iter().map(|row| &row.model);
    let good = round.good().map(|answer| &answer.model);
    let stand_in = ranked.chain(good).find(|model| !chain.contains(model)).cloned();
    chain.extend(stand_in);
    chain
}

/// How the key of a try with the ranking alone ends.
pub(in crate::council) const WITHOUT_REVIEWS: &str = "/without_reviews";

/// When a chairman's text is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::council) enum Shown {
    AsItComes,
    /// By the caller, when it is whole.
    Later,
}

/// Lets one chairman write. `key` names the call's place.
///
/// # Errors
/// The call's own failure, after retries without what the model does not take.
pub(in crate::council) async fn ask(
    run: &Run,
    round: &Round<'_>,
    model: &str,
    key: &str,
    shown: Shown,
) -> Result<Synthesis, CallError> {
    let brief = round.brief();
    let mut system = round.system_prompt_of(model);
    let mut key = key.to_owned();
    let whole = prompt::of(run, round, (model, &SYNTHESIS), system, Reviews::Whole).await;
    let mut result = send(run, brief, model, &key, messages(system, &whole), shown).await;
    if system.is_some() && result.as_ref().is_err_and(rejects_the_system_prompt) {
        system = None;
        key.push_str("/without_system_prompt");
        result = send(run, brief, model, &key, messages(system, &whole), shown).await;
    }
    let has_reviews = !round.reviewed.reviews.is_empty();
    if has_reviews && result.as_ref().is_err_and(|error| error.kind == ErrorKind::ContextTooLong) {
        key.push_str(WITHOUT_REVIEWS);
        let short = prompt::of(run, round, (model, &SYNTHESIS), system, Reviews::Ranking).await;
        let reply = send(run, brief, model, &key, messages(system, &short), shown).await?;
        let mut synthesis = read(brief, model, reply);
        synthesis.note(NoteFact::WithoutReviews { model: model.to_owned() });
        return Ok(synthesis);
    }
    Ok(read(brief, model, result?))
}

fn messages(system: Option<&str>, prompt: &str) -> Vec<ChatMessage> {
    let system = system.map(ChatMessage::system);
    system.into_iter().chain([ChatMessage::user(prompt)]).collect()
}

async fn send(
    run: &Run,
    brief: &Brief,
    model: &str,
    key: &str,
    messages: Vec<ChatMessage>,
    shown: Shown,
) -> Result<Reply, CallError> {
    let request = ChatRequest {
        sampling: brief.settings.sampling(&SYNTHESIS),
        timeouts: brief.settings.timeouts(&SYNTHESIS),
        ..ChatRequest::new(model, &SYNTHESIS, messages)
    };
    let fields = json!({ "model": model });
    let view = || {
        View::boxed(filter(brief), TokenHead::new("stage3_token", &fields))
            .with_reasoning(TokenHead::new("stage3_reasoning_token", &fields))
    };
    let view: Option<&(dyn Fn() -> View + Sync)> = match shown {
        Shown::AsItComes => Some(&view),
        Shown::Later => None,
    };
    formed::write(run, brief, Writing { stage: STAGE, key, request, view }).await
}

/// What of the text is held back while it streams.
fn filter(brief: &Brief) -> Box<dyn TextFilter> {
    if brief.form.is_some() { Box::new(Unfiltered) } else { Box::new(editorial::filter()) }
}

fn read(brief: &Brief, model: &str, reply: Reply) -> Synthesis {
    let (response, disagreement) =
        if brief.form.is_some() { (reply.text.clone(), None) } else { editorial::parse(&reply.text) };
    Synthesis {
        model: model.to_owned(),
        served_by: reply.served_by_another(model),
        response,
        disagreement,
        truncated: reply.finish_reason.as_deref() == Some("length"),
        cost: reply.usage.and_then(|usage| usage.cost_usd),
        usage: reply.usage,
        latency_ms: Some(reply.latency_ms),
        ttft_ms: reply.ttft_ms,
        reasoning: reply.reasoning,
        ..Synthesis::default()
    }
}

/// The answer that nobody could write.
pub(in crate::council) fn nobody(chairman: &str, failures: &[(String, CallError)]) -> Synthesis {
    let last = failures.last().map(|(_, error)| error);
    Synthesis {
        model: chairman.to_owned(),
        response: NO_SYNTHESIS.to_owned(),
        error: Some(last.map_or_else(|| NO_SYNTHESIS.to_owned(), |error| error.message.clone())),
        error_kind: last.map(|error| error.kind),
        error_fact: last.and_then(|error| error.fact.clone()),
        ..Synthesis::default()
    }
}
