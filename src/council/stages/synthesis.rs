//! Stage 3: the chairman writes one answer from everything the council said, streamed. When it
//! fails, the next in the chain writes, and the heading says so.

use serde::{Deserialize, Serialize};

use super::answers::{is_false, rejects_the_system_prompt};
use super::editorial::{self, Editorial};
use super::reviews::Reviewed;
use crate::council::event::Event;
use crate::council::options::consensus::ConsensusInfo;
use crate::council::options::multi_chairman::SynthesisDraft;
use crate::council::plan::Plan;
use crate::council::prompts::fence::{self, Fence};
use crate::council::prompts::history;
use crate::council::round::Round;
use crate::council::run::{Run, Stage};
use crate::council::view::Streamed;
use crate::llm::{CallError, ChatMessage, ChatRequest, ErrorKind, Purpose, Reply, Role, Usage};

/// The text of a synthesis that nobody could write, as existing clients know it.
pub const NO_SYNTHESIS: &str = "Error: Unable to generate final synthesis.";

/// The council's answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Synthesis {
    /// Who wrote it.
    pub model: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alias: Option<String>,
    /// The final answer, after everything that bettered it.
    pub response: String,
    /// The answer as it was first written, where a revision took its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draft: Option<String>,
    /// What to put above the text: it says when members or the chairman were lost.
    pub heading: String,
    /// What went wrong on the way, in plain sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Where the members agree and differ, as the chairman saw it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disagreement: Option<Editorial>,
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
    #[serde(default, skip_serializing_if = "is_false")]
    pub truncated: bool,
    /// No model was asked: the simulated provider wrote this.
    #[serde(default, skip_serializing_if = "is_false")]
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
}

impl Synthesis {
    /// Puts a revision, which is whole, in the answer's place. What was first written stays beside it.
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
        #[serde(default, skip_serializing_if = "is_false")]
        use_multi_chairman: bool,
    },
    /// A piece of the answer.
    Stage3Token { model: String, content: String },
    /// A piece of the chairman's reasoning, shown apart.
    Stage3ReasoningToken { model: String, content: String },
    /// A chairman failed.
    Stage3Error { model: String, error: String, error_kind: ErrorKind },
    /// The answer is whole.
    Stage3Complete {
        data: Box<Synthesis>,
        /// The council agreed: this is a member's answer, and no chairman wrote.
        #[serde(default, skip_serializing_if = "is_false")]
        is_consensus: bool,
        /// Whether it agreed and why, where that was asked for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        consensus_info: Option<Box<ConsensusInfo>>,
        /// The answer came of the drafts of several chairmen; not where all of them failed.
        #[serde(default, skip_serializing_if = "is_false")]
        use_multi_chairman: bool,
    },
}

impl SynthesisEvent {
    /// See [`Event::join`].
    pub fn join(&mut self, next: &Self) -> bool {
        match (self, next) {
            (Self::Stage3Token { content, .. }, Self::Stage3Token { content: more, .. })
            | (
                Self::Stage3ReasoningToken { content, .. },
                Self::Stage3ReasoningToken { content: more, .. },
            ) => {
                content.push_str(more);
                true
            }
            _ => false,
        }
    }
}

/// Writes the answer, by the chairman or the next in the chain. Whoever asked for it tells that it is
/// whole.
pub async fn write(run: &Run, round: &Round<'_>) -> Synthesis {
    let plan = round.plan;
    let chairman = &plan.settings.chairman_model;
    let prompts = Prompts::of(run, round);
    let mut failures: Vec<(String, CallError)> = Vec::new();
    let mut synthesis = None;
    for model in chain(round) {
        let key = format!("stage3/{model}");
        let start = SynthesisEvent::Stage3Start { model: model.clone(), use_multi_chairman: false };
        run.emit(&format!("{key}/start"), start).await;
        match ask(run, round, &model, &key, &prompts, Shown::AsItComes).await {
            Ok(whole) => {
                synthesis = Some(whole);
                break;
            }
            Err(error) => {
                let event = SynthesisEvent::Stage3Error {
                    model: model.clone(),
                    error: error.message.clone(),
                    error_kind: error.kind,
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
        synthesis.alias.clone_from(&plan.settings.chairman_alias);
    }
    synthesis.simulated = run.is_simulated(&synthesis.model);
    synthesis.notes.extend(losses(round));
    for (model, error) in &failures {
        synthesis.notes.push(format!("{model} could not write the final answer: {}", error.message));
    }
    synthesis.heading = if synthesis.error.is_some() {
        "No final answer: the chairman and its stand-ins failed".to_owned()
    } else {
        let stand_in = "written by a stand-in for the chairman";
        heading(round, Some(stand_in).filter(|_| synthesis.fallback_for.is_some()))
    };
    synthesis
}

/// The chairman, the configured fallbacks, then the best-ranked member that is none of these (any
/// that answered, if nobody is ranked); nobody twice.
pub(in crate::council) fn chain(round: &Round<'_>) -> Vec<String> {
    let settings = &round.plan.settings;
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

/// What a chairman reads of the reviews.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reviews {
    Whole,
    /// Only the ranking they add up to.
    Ranking,
}

/// What every chairman is asked.
pub(in crate::council) struct Prompts {
    whole: String,
    /// Without the reviews' texts, for a context that the whole does not fit into.
    short: Option<String>,
}

impl Prompts {
    /// The prompts over a round.
    pub fn of(run: &Run, round: &Round<'_>) -> Self {
        Self {
            whole: prompt(run, round, Reviews::Whole),
            short: (!round.reviewed.reviews.is_empty()).then(|| prompt(run, round, Reviews::Ranking)),
        }
    }
}

/// When a chairman's text is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::council) enum Shown {
    AsItComes,
    /// By whoever asked, when it is whole.
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
    prompts: &Prompts,
    shown: Shown,
) -> Result<Synthesis, CallError> {
    let plan = round.plan;
    let mut system = round.system_prompt_of(model);
    let mut key = key.to_owned();
    let mut result = send(run, plan, model, &key, messages(system, &prompts.whole), shown).await;
    if system.is_some() && result.as_ref().is_err_and(rejects_the_system_prompt) {
        system = None;
        key.push_str("/without_system_prompt");
        result = send(run, plan, model, &key, messages(system, &prompts.whole), shown).await;
    }
    if let Some(short) = &prompts.short
        && result.as_ref().is_err_and(|error| error.kind == ErrorKind::ContextTooLong)
    {
        key.push_str("/without_reviews");
        let reply = send(run, plan, model, &key, messages(system, short), shown).await?;
        let note = format!(
            "The reviews did not fit into {model}'s context: it wrote from the answers and the ranking."
        );
        return Ok(Synthesis { notes: vec![note], ..read(model, reply) });
    }
    Ok(read(model, result?))
}

fn messages(system: Option<&str>, prompt: &str) -> Vec<ChatMessage> {
    let system = system.map(|content| ChatMessage { role: Role::System, content: content.to_owned() });
    system.into_iter().chain([ChatMessage { role: Role::User, content: prompt.to_owned() }]).collect()
}

async fn send(
    run: &Run,
    plan: &Plan,
    model: &str,
    key: &str,
    messages: Vec<ChatMessage>,
    shown: Shown,
) -> Result<Reply, CallError> {
    let request = ChatRequest {
        model: model.to_owned(),
        messages,
        purpose: Purpose::Synthesis,
        sampling: plan.settings.sampling(Purpose::Synthesis),
        timeouts: plan.settings.timeouts(Purpose::Synthesis),
        seed: 0,
        schema: None,
    };
    let view = Streamed::new(
        editorial::Filter::default(),
        |content| -> Event { SynthesisEvent::Stage3Token { model: model.to_owned(), content }.into() },
        |content| -> Event {
            SynthesisEvent::Stage3ReasoningToken { model: model.to_owned(), content }.into()
        },
    );
    let call = run.call(Stage::Stage3, key, request);
    match shown {
        Shown::AsItComes => call.stream(view).send().await,
        Shown::Later => call.send().await,
    }
}

fn prompt(run: &Run, round: &Round<'_>, how: Reviews) -> String {
    let Round { plan, reviewed, .. } = round;
    let fence = Fence::new(&run.marker());
    let answers: Vec<String> = round
        .good()
        .map(|answer| {
            let confidence = answer
                .confidence
                .map_or_else(String::new, |score| format!(" (own confidence {score} of 10)"));
            let late = if answer.late { " (came late: the reviewers have not seen it)" } else { "" };
            fence.wrap(&format!("Answer by {}{confidence}{late}", answer.member), &answer.response)
        })
        .collect();
    let labels: Vec<String> = reviewed
        .metadata
        .label_to_member
        .iter()
        .map(|(label, member)| format!("{label} is the answer by {member}"))
        .collect();
    let reviews: Vec<String> = reviewed
        .reviews
        .iter()
        .filter(|review| review.error.is_none())
        .map(|review| fence.wrap(&format!("Review by {}", review.member), &review.ranking))
        .collect();
    let mut sections = Vec::new();
    if !plan.history.is_empty() {
        sections.push(fence.wrap("Conversation so far", &history::quoted(&plan.history)));
    }
    sections.push(fence.verbatim("Question", &plan.question));
    sections.extend(answers);
    if !reviews.is_empty() {
        if how == Reviews::Whole {
            sections.push(format!("In the reviews, {}.", labels.join(", ")));
            sections.extend(reviews);
        }
        sections.push(ranking(reviewed));
    }
    format!(
        "You are the chairman of a council of language models. Its members have answered a question, and \
         have then ranked the answers without knowing whose they were.\n\n{}\n\n{}\n\n\
         Write the council's answer to the question. Be an editor, not a referee: take what is right \
         wherever it stands, correct what is wrong, keep what only one member saw if it holds, and do not \
         smooth over a real disagreement. Write for the person who asked: speak to the question, not \
         about the members.\n\n{}",
        sections.join("\n\n"),
        fence::RULE,
        editorial::INSTRUCTIONS,
    )
}

fn ranking(reviewed: &Reviewed) -> String {
    let rows: Vec<String> = reviewed
        .metadata
        .aggregate_rankings
        .iter()
        .map(|row| {
            let weighted = if row.weights_applied {
                format!(", {:.2} by the reviewers' weights", row.weighted_average_rank)
            } else {
                String::new()
            };
            format!(
                "- {}: average rank {:.2} over {} ballots{weighted}",
                row.member, row.average_rank, row.rankings_count
            )
        })
        .collect();
    if rows.is_empty() {
        return "No review holds a ranking that counts.".to_owned();
    }
    let mut text = format!("The reviewers' ranking together, best first:\n{}", rows.join("\n"));
    if let Some(caution) =
        reviewed.metadata.aggregate.as_ref().and_then(|facts| facts.methods_disagree.as_deref())
    {
        text.push_str(&format!("\nNote: {caution}"));
    }
    text
}

fn read(model: &str, reply: Reply) -> Synthesis {
    let (response, disagreement) = editorial::parse(&reply.text);
    Synthesis {
        model: model.to_owned(),
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

fn nobody(chairman: &str, failures: &[(String, CallError)]) -> Synthesis {
    let last = failures.last().map(|(_, error)| error);
    Synthesis {
        model: chairman.to_owned(),
        response: NO_SYNTHESIS.to_owned(),
        error: Some(last.map_or_else(|| NO_SYNTHESIS.to_owned(), |error| error.message.clone())),
        error_kind: last.map(|error| error.kind),
        ..Synthesis::default()
    }
}

/// What was lost on the way to the answer, in plain sentences.
pub(in crate::council) fn losses(round: &Round<'_>) -> Vec<String> {
    let Round { answers, reviewed, .. } = round;
    let mut notes = Vec::new();
    for answer in answers.iter().filter(|answer| !answer.is_good()) {
        let error = answer.error.as_deref().unwrap_or_default();
        notes.push(format!("{} gave no answer: {error}", answer.member));
    }
    for answer in answers.iter().filter(|answer| answer.late) {
        notes.push(format!("{} answered late: its answer was not reviewed.", answer.member));
    }
    for review in &reviewed.reviews {
        if let Some(error) = &review.error {
            notes.push(format!("{} gave no review: {error}", review.member));
        } else if !review.counts {
            notes.push(format!("{}'s review holds no ballot that counts.", review.member));
        }
    }
    notes
}

/// The heading follows the outcome: it never says "the council" over less than the council. `by`
/// says who wrote, where it was not simply the chairman.
pub(in crate::council) fn heading(round: &Round<'_>, by: Option<&str>) -> String {
    let (good, asked) = (round.good().count(), round.answers.len());
    let reviews = &round.reviewed.reviews;
    let by = by.map(|by| format!(", {by}"));
    if good == 1 {
        format!("Answer after a single member's reply, without peer review{}", by.unwrap_or_default())
    } else if good < asked {
        format!("Answer of {good} of {asked} members{}", by.unwrap_or_default())
    } else if let Some(by) = by {
        format!("Answer of the council{by}")
    } else if !reviews.is_empty() && !reviews.iter().any(|review| review.counts) {
        "Answer of the council, without a ranking".to_owned()
    } else {
        "Final answer of the council".to_owned()
    }
}
