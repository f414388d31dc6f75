//! Stage 3: the chairman writes one answer from everything the council said, streamed. When it
//! fails, the next in the chain writes, and the heading says so.

use serde::{Deserialize, Serialize};

use super::answers::{Answer, is_false, rejects_the_system_prompt};
use super::editorial::{self, Editorial};
use super::reviews::Reviewed;
use crate::council::event::Event;
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
    Stage3Start { model: String },
    /// A piece of the answer.
    Stage3Token { model: String, content: String },
    /// A piece of the chairman's reasoning, shown apart.
    Stage3ReasoningToken { model: String, content: String },
    /// A chairman failed.
    Stage3Error { model: String, error: String, error_kind: ErrorKind },
    /// The answer is whole.
    Stage3Complete { data: Box<Synthesis> },
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

/// Writes the answer, by the chairman or the next in the chain.
pub async fn write(run: &Run, round: &Round<'_>) -> Synthesis {
    let Round { plan, answers, reviewed, .. } = round;
    let chairman = &plan.settings.chairman_model;
    let prompts = Prompts {
        whole: prompt(run, round, Reviews::Whole),
        short: (!reviewed.reviews.is_empty()).then(|| prompt(run, round, Reviews::Ranking)),
    };
    let mut failures: Vec<(String, CallError)> = Vec::new();
    let mut synthesis = None;
    for model in chain(round) {
        run.emit(&format!("stage3/{model}/start"), SynthesisEvent::Stage3Start { model: model.clone() })
            .await;
        match ask(run, round, &model, &prompts).await {
            Ok((reply, shortened)) => {
                let mut whole = read(&model, reply);
                if shortened {
                    whole.notes.push(format!(
                        "The reviews did not fit into {model}'s context: it wrote from the answers and the ranking."
                    ));
                }
                synthesis = Some(whole);
                break;
            }
            Err(error) => {
                let event = SynthesisEvent::Stage3Error {
                    model: model.clone(),
                    error: error.message.clone(),
                    error_kind: error.kind,
                };
                run.emit(&format!("stage3/{model}/error"), event).await;
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
    say_what_was_lost(&mut synthesis, answers, reviewed, &failures);
    let event = SynthesisEvent::Stage3Complete { data: Box::new(synthesis.clone()) };
    run.emit("stage3/complete", event).await;
    synthesis
}

/// The chairman, the configured fallbacks, then the best-ranked member that is none of these (any
/// that answered, if nobody is ranked); nobody twice.
fn chain(round: &Round<'_>) -> Vec<String> {
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

struct Prompts {
    whole: String,
    /// Without the reviews' texts, for a context that the whole does not fit into.
    short: Option<String>,
}

/// The reply, and whether it answers the short prompt.
async fn ask(
    run: &Run,
    round: &Round<'_>,
    model: &str,
    prompts: &Prompts,
) -> Result<(Reply, bool), CallError> {
    let plan = round.plan;
    let mut system = round.system_prompt_of(model);
    let mut key = format!("stage3/{model}");
    let mut result = send(run, plan, model, &key, system, &prompts.whole).await;
    if system.is_some() && result.as_ref().is_err_and(rejects_the_system_prompt) {
        system = None;
        key.push_str("/without_system_prompt");
        result = send(run, plan, model, &key, system, &prompts.whole).await;
    }
    if let Some(short) = &prompts.short
        && result.as_ref().is_err_and(|error| error.kind == ErrorKind::ContextTooLong)
    {
        key.push_str("/without_reviews");
        return Ok((send(run, plan, model, &key, system, short).await?, true));
    }
    Ok((result?, false))
}

async fn send(
    run: &Run,
    plan: &Plan,
    model: &str,
    key: &str,
    system: Option<&str>,
    prompt: &str,
) -> Result<Reply, CallError> {
    let system = system.map(|content| ChatMessage { role: Role::System, content: content.to_owned() });
    let prompt = ChatMessage { role: Role::User, content: prompt.to_owned() };
    let request = ChatRequest {
        model: model.to_owned(),
        messages: system.into_iter().chain([prompt]).collect(),
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
    run.call(Stage::Stage3, key, request).stream(view).send().await
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
            format!(
                "- {}: average rank {:.2} over {} ballots",
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

/// The heading follows the outcome: it never says "the council" over less than the council.
fn say_what_was_lost(
    synthesis: &mut Synthesis,
    answers: &[Answer],
    reviewed: &Reviewed,
    failures: &[(String, CallError)],
) {
    let good = answers.iter().filter(|answer| answer.is_good()).count();
    for answer in answers.iter().filter(|answer| !answer.is_good()) {
        let error = answer.error.as_deref().unwrap_or_default();
        synthesis.notes.push(format!("{} gave no answer: {error}", answer.member));
    }
    for answer in answers.iter().filter(|answer| answer.late) {
        synthesis.notes.push(format!("{} answered late: its answer was not reviewed.", answer.member));
    }
    for review in &reviewed.reviews {
        if let Some(error) = &review.error {
            synthesis.notes.push(format!("{} gave no review: {error}", review.member));
        } else if !review.counts {
            synthesis.notes.push(format!("{}'s review holds no ballot that counts.", review.member));
        }
    }
    for (model, error) in failures {
        synthesis.notes.push(format!("{model} could not write the final answer: {}", error.message));
    }
    synthesis.heading = if synthesis.error.is_some() {
        "No final answer: the chairman and its stand-ins failed".to_owned()
    } else if good == 1 {
        "Answer after a single member's reply, without peer review".to_owned()
    } else if good < answers.len() {
        let writer = if synthesis.fallback_for.is_some() { ", written by a stand-in" } else { "" };
        format!("Answer of {good} of {} members{writer}", answers.len())
    } else if synthesis.fallback_for.is_some() {
        "Answer of the council, written by a stand-in for the chairman".to_owned()
    } else if !reviewed.reviews.is_empty() && !reviewed.reviews.iter().any(|review| review.counts) {
        "Answer of the council, without a ranking".to_owned()
    } else {
        "Final answer of the council".to_owned()
    };
}
