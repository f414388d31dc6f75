//! Stage 2: every member, or every model of the jury in their place, reviews all answers blind, each in an order of its
//! own.

pub(in crate::council) mod estimate;
mod labels;
mod notes;
mod prompt;
mod simulated;

pub use labels::{Labelled, in_order, label, label_by};
pub use notes::ReviewsNote;
pub(in crate::council) use notes::{remark_labels, reviewed};
pub use prompt::{REPAIR, TEMPLATES};

use std::collections::BTreeMap;

use futures_util::stream::{FuturesOrdered, StreamExt as _};
use serde::{Deserialize, Serialize};

use crate::council::ask::rejects_the_system_prompt;
use crate::council::brief::Brief;
use crate::council::context;
use crate::council::options::escalation::info::EscalationInfo;
use crate::council::options::jury;
use crate::council::options::jury::info::SecondReading;
use crate::council::pass::Pass;
use crate::council::ranking::aggregate::{self, AggregateFacts, AggregateRow};
use crate::council::ranking::ballots::{self, Candidate, Vote};
use crate::council::ranking::label::Label;
use crate::council::ranking::order;
use crate::council::ranking::parse::{self, Ballot, Parse};
use crate::council::ranking::weights::WeightsInfo;
use crate::council::run::Run;
use crate::council::seat::Seat;
use crate::council::settings::Member;
use crate::council::stage::Stage;
use crate::council::stages::abstention::{self, Abstention};
use crate::council::stages::answers::Answer;
use crate::council::task::Task;
use crate::council::tool_use::joined::both;
use crate::llm::fact::known;
use crate::llm::{
    CallError, CallFact, ChatMessage, ChatRequest, ErrorKind, Purpose, Reply, Schema, Text, Usage, counted_as,
};

/// Where the members review each other.
pub const STAGE: Stage = Stage::named("stage2");
/// A member's review and ranking.
pub static REVIEW: Purpose = Purpose { name: "review", usual_tokens: 1_200, simulated: simulated::review };
/// A short second request for a readable ballot.
pub static BALLOT_REPAIR: Purpose =
    Purpose { name: "ballot_repair", usual_tokens: 100, simulated: simulated::ballot };

/// One member's review of all answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Review {
    pub model: String,
    pub member: String,
    /// The model that really wrote it, where the provider names another than the one that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub served_by: Option<String>,
    /// The reviewer's text as it came.
    pub ranking: String,
    /// The ranking in the run's labels, best first, ties in the order written.
    pub parsed_ranking: Vec<Label>,
    /// The ranking with its ties: each tier is one place.
    pub tiers: Vec<Vec<Label>>,
    /// How the ranking was read.
    pub parse: Parse,
    /// Whether the ballot counts.
    pub counts: bool,
    /// The first text held no readable ballot; the reviewer was asked once more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repaired: bool,
    /// What the reviewer answered when asked once more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repair_text: Option<String>,
    /// The order in which this reviewer saw the answers.
    pub order_shown: Vec<Label>,
    /// The same reviewer's second reading, of the answers in the reverse order. Where it holds a ballot that counts,
    /// the ranking above is the order of the mean places of both readings, or the second alone where the first does not
    /// count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(no_recursion)]
    pub second: Option<Box<Review>>,
    /// The ballot of the first reading, where the ranking above is of both.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub first_tiers: Vec<Vec<Label>>,
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
    pub error: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_kind: Option<ErrorKind>,
    /// The error as a fact, where it is this server's own.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known")]
    pub error_fact: Option<CallFact>,
}

/// What the reviews say together, and who stands behind which label.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ReviewsMetadata {
    /// `Response A` → model id.
    #[schema(value_type = BTreeMap<String, String>)]
    pub label_to_model: BTreeMap<Label, String>,
    /// `Response A` → the seat's name.
    #[schema(value_type = BTreeMap<String, String>)]
    pub label_to_member: BTreeMap<Label, String>,
    /// One row per answer, in the headline order.
    pub aggregate_rankings: Vec<AggregateRow>,
    /// What holds for the ranking as a whole; absent when there was nothing to compare.
    pub aggregate: Option<AggregateFacts>,
    /// Whether the second tier is asked, now that the first has reviewed itself; absent where the
    /// run may not escalate any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escalation_info: Option<Box<EscalationInfo>>,
    /// Whether ballots count by their authors' records.
    #[serde(default)]
    pub use_weighted_consensus: bool,
    /// What each reviewer's ballot weighs, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights_info: Option<WeightsInfo>,
    /// Whether the answers were read a second time, and why, where that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_reading: Option<SecondReading>,
    /// The members that were not asked to review.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub abstained: Vec<Abstention>,
}

/// The events of stage 2.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ReviewsEvent {
    /// The reviewers are asked. It comes again when the run escalates after its reviews: the first
    /// ones no longer count.
    Stage2Start {
        members: Vec<Seat>,
        /// The members that are not asked.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        abstained: Vec<Abstention>,
        /// When they are asked (RFC 3339, UTC).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        started_at: Option<String>,
    },
    /// A reviewer has answered or failed.
    Stage2ModelComplete { model: String, member: String, data: Box<Review> },
    /// Every reviewer has answered or failed.
    Stage2Complete { data: Vec<Review>, metadata: Box<ReviewsMetadata> },
}

/// What stage 2 ends with.
#[derive(Default)]
pub struct Reviewed {
    pub reviews: Vec<Review>,
    pub metadata: ReviewsMetadata,
}

/// Lets every member that has not failed, or the jury in their place, review all labelled answers. A single answer is not
/// reviewed: there is nothing to compare it with, and every token is paid for. [`complete`] reports the end. `before`
/// are reviews of the same run that no longer count.
pub async fn hold(
    run: &Run,
    task: &Task,
    pass: Pass,
    (members, before): (&[Member], &[Review]),
    answers: &[Answer],
    labelled: &[Labelled<'_>],
) -> Reviewed {
    let (reviewers, abstained) = if labelled.len() < 2 {
        (Vec::new(), Vec::new())
    } else {
        reviewers(run, task, pass, (members, before), answers)
    };
    let start = ReviewsEvent::Stage2Start {
        members: reviewers.iter().map(Seat::from).collect(),
        abstained: abstained.clone(),
        started_at: Some(run.now()),
    };
    run.emit(&pass.key("stage2/start"), start).await;
    if !reviewers.is_empty() {
        remark_labels(run, &pass.key("stage2/labels"), labelled).await;
    }

    let mut labels: Vec<Label> = labelled.iter().map(|entry| entry.label).collect();
    run.shuffle(&pass.key("orders"), &mut labels);
    let orders = order::orders(reviewers.len(), &labels);
    // Each is polled only when it was woken itself, not for every token of the others.
    let calls =
        reviewers.iter().zip(orders).map(|(member, order)| review(run, task, pass, member, labelled, order));
    let reviews: Vec<Review> = calls.collect::<FuturesOrdered<_>>().collect().await;

    let metadata = summary(task, labelled, &reviews, abstained);
    Reviewed { reviews, metadata }
}

/// Who reviews these members' answers, they themselves or the jury in their place, and who of them is not asked.
/// `before` are reviews of the same run that no longer count.
pub(in crate::council) fn reviewers(
    run: &Run,
    task: &Task,
    pass: Pass,
    (members, before): (&[Member], &[Review]),
    answers: &[Answer],
) -> (Vec<Member>, Vec<Abstention>) {
    let jury = jury::reviewers(&task.brief.settings, members);
    let (able, abstained) = abstention::reviewers(task, &jury, answers, |member| has_failed(before, member));
    (jury::draw(run, task, pass, able).into_iter().cloned().collect(), abstained)
}

/// Reports the result of the reviews.
pub async fn complete(run: &Run, pass: Pass, reviewed: &Reviewed) {
    let Reviewed { reviews, metadata } = reviewed;
    let complete =
        ReviewsEvent::Stage2Complete { data: reviews.clone(), metadata: Box::new(metadata.clone()) };
    run.emit(&pass.key("stage2/complete"), complete).await;
}

async fn review(
    run: &Run,
    task: &Task,
    pass: Pass,
    member: &Member,
    labelled: &[Labelled<'_>],
    order: Vec<Label>,
) -> Review {
    let key = pass.key(&format!("stage2/{}", member.name()));
    let review = ask(run, task, &key, member, labelled, order).await;
    let event = ReviewsEvent::Stage2ModelComplete {
        model: review.model.clone(),
        member: review.member.clone(),
        data: Box::new(review.clone()),
    };
    run.emit(&format!("{key}/complete"), event).await;
    review
}

/// Asks a reviewer for its review of the answers in this order. `key` names the call's place.
pub(in crate::council) async fn ask(
    run: &Run,
    task: &Task,
    key: &str,
    member: &Member,
    labelled: &[Labelled<'_>],
    order: Vec<Label>,
) -> Review {
    let brief = &task.brief;
    let (reviewer, system) = ((member.model.as_str(), &REVIEW), system_prompt(brief, member));
    let prompt = context::quoting(run, brief, reviewer, system, |turns| {
        prompt::prompt(run, task, labelled, &order, turns)
    })
    .await;
    let review_task = ReviewTask { stage: STAGE, purpose: &REVIEW, key: key.to_owned(), prompt };
    let labels: Vec<Label> = labelled.iter().map(|entry| entry.label).collect();
    cast(run, brief, member, review_task, &labels, order).await
}

/// The system prompt that applies to a reviewer.
fn system_prompt<'b>(brief: &'b Brief, member: &'b Member) -> Option<&'b str> {
    brief.system_prompt_for(member).filter(|_| brief.settings.use_system_prompt_stage2)
}

/// What a reviewer is asked, and where in the deliberation.
pub(in crate::council) struct ReviewTask {
    pub stage: Stage,
    pub purpose: &'static Purpose,
    pub key: String,
    pub prompt: Text,
}

/// Asks a reviewer for its ballot, and once more where it cannot be read.
pub(in crate::council) async fn cast(
    run: &Run,
    brief: &Brief,
    member: &Member,
    review_task: ReviewTask,
    labels: &[Label],
    order: Vec<Label>,
) -> Review {
    let ReviewTask { stage, purpose, key, prompt } = review_task;
    let system = system_prompt(brief, member);

    let first = messages(system, prompt.clone());
    let mut result = send(run, brief, member, (&stage, purpose, &key), first, None).await;
    if system.is_some() && result.as_ref().is_err_and(rejects_the_system_prompt) {
        let key = format!("{key}/without_system_prompt");
        result = send(run, brief, member, (&stage, purpose, &key), messages(None, prompt), None).await;
    }
    let mut review = read(member, result, labels, order);
    if review.error.is_none() && review.parse == Parse::Fallback {
        let repair = prompt::repair_messages(run, brief, &review.ranking, labels);
        let schema = Some(parse::schema(labels));
        let key = format!("{key}/repair");
        match send(run, brief, member, (&stage, &BALLOT_REPAIR, &key), repair, schema).await {
            Ok(reply) => review.repaired(&reply, labels),
            // What arrived of it was paid for, or nobody knows.
            Err(error) if error.reached || error.partial.is_some() => {
                review.took(error.partial.and_then(|reply| reply.usage));
            }
            Err(_) => {}
        }
    }
    review
}

impl Review {
    /// The order in which the answers of the counted ballot were read; empty where it is of two readings, in opposite
    /// orders.
    #[must_use]
    pub fn reading_order(&self) -> &[Label] {
        match &self.second {
            Some(second) if second.counts && self.first_tiers.is_empty() => &second.order_shown,
            Some(second) if second.counts => &[],
            Some(_) | None => &self.order_shown,
        }
    }

    /// The model by whose record its ballot is weighed.
    #[must_use]
    pub fn counted_as(&self) -> &str {
        counted_as(&self.model, self.served_by.as_deref())
    }

    fn set_ballot(&mut self, ballot: &Ballot, labels: &[Label]) {
        self.counts = ballot.counts(labels);
        self.parsed_ranking = ballot.flat();
        self.tiers.clone_from(&ballot.tiers);
        self.parse = ballot.parse;
    }

    /// Takes the second ballot when it counts or is better read than the first.
    fn repaired(&mut self, reply: &Reply, labels: &[Label]) {
        let mut ballot = parse::parse_alone(&reply.text, labels);
        if is_cut(reply) {
            ballot = ballot.broken_off();
        }
        self.repair_text = Some(reply.text.clone());
        if ballot.counts(labels) {
            self.set_ballot(&ballot, labels);
            self.repaired = true;
        }
        self.took(reply.usage);
    }

    /// Adds what the second request took.
    fn took(&mut self, usage: Option<Usage>) {
        self.usage = both(self.usage, usage);
        self.cost = self.usage.and_then(|usage| usage.cost_usd);
    }
}

/// Asks for a review; with a schema, for nothing but its ballot.
async fn send(
    run: &Run,
    brief: &Brief,
    member: &Member,
    (stage, purpose, key): (&Stage, &'static Purpose, &str),
    messages: Vec<ChatMessage>,
    schema: Option<Schema>,
) -> Result<Reply, CallError> {
    let request = ChatRequest {
        sampling: brief.settings.sampling(purpose),
        timeouts: brief.settings.timeouts(purpose),
        schema,
        ..ChatRequest::new(&member.model, purpose, messages)
    };
    run.call(stage.clone(), key, request).of_member(member.name()).send().await
}

fn messages(system: Option<&str>, prompt: Text) -> Vec<ChatMessage> {
    let system = system.map(ChatMessage::system);
    system.into_iter().chain([ChatMessage::user(prompt)]).collect()
}

/// Whether it broke off at its token limit.
fn is_cut(reply: &Reply) -> bool {
    reply.finish_reason.as_deref() == Some("length")
}

fn read(member: &Member, result: Result<Reply, CallError>, labels: &[Label], order: Vec<Label>) -> Review {
    let (reply, error) = match result {
        Ok(reply) => (reply, None),
        Err(mut error) => (error.partial.take().map(|reply| *reply).unwrap_or_default(), Some(error)),
    };
    let is_cut = is_cut(&reply);
    let mut review = Review {
        model: member.model.clone(),
        member: member.name().to_owned(),
        served_by: reply.served_by_another(&member.model),
        parsed_ranking: Vec::new(),
        tiers: Vec::new(),
        parse: Parse::None,
        counts: false,
        repaired: false,
        repair_text: None,
        order_shown: order,
        second: None,
        first_tiers: Vec::new(),
        reasoning: reply.reasoning,
        usage: reply.usage,
        cost: reply.usage.and_then(|usage| usage.cost_usd),
        latency_ms: Some(reply.latency_ms).filter(|_| reply.tries > 0),
        ranking: reply.text,
        error: error.as_ref().map(|error| error.message.clone()),
        error_kind: error.as_ref().map(|error| error.kind),
        error_fact: error.as_ref().and_then(|error| error.fact.clone()),
    };
    // What arrived of a review that failed is shown, never counted: its list may lack its end.
    if error.is_none() {
        let ballot = parse::parse(&review.ranking, labels);
        review.set_ballot(&if is_cut { ballot.broken_off() } else { ballot }, labels);
    }
    review
}

/// The aggregate over the ballots received.
pub(in crate::council) fn summary(
    task: &Task,
    labelled: &[Labelled<'_>],
    reviews: &[Review],
    abstained: Vec<Abstention>,
) -> ReviewsMetadata {
    let mut metadata = ReviewsMetadata { abstained, ..ReviewsMetadata::default() };
    for entry in labelled {
        metadata.label_to_model.insert(entry.label, entry.answer.model.clone());
        metadata.label_to_member.insert(entry.label, entry.answer.member.clone());
    }
    let candidates: Vec<Candidate> = labelled
        .iter()
        .map(|entry| Candidate {
            label: entry.label,
            model: entry.answer.model.clone(),
            member: entry.answer.member.clone(),
        })
        .collect();
    let reviewers = reviews.iter().map(Review::counted_as);
    let weights = task.weighing.as_ref().map(|weighing| weighing.weigh(reviewers));
    let without_ballot = metadata.abstained.iter().map(|abstention| Vote {
        model: abstention.model.clone(),
        member: abstention.member.clone(),
        counted_as: abstention.model.clone(),
        tiers: Vec::new(),
        order_shown: Vec::new(),
        weight: 1.0,
    });
    let votes: Vec<Vote> = reviews
        .iter()
        .map(|review| Vote {
            model: review.model.clone(),
            member: review.member.clone(),
            counted_as: review.counted_as().to_owned(),
            tiers: if review.counts { review.tiers.clone() } else { Vec::new() },
            order_shown: review.reading_order().to_vec(),
            weight: weights.as_ref().map_or(1.0, |weights| weights.of(review.counted_as())),
        })
        .chain(without_ballot)
        .collect();
    if !candidates.is_empty() {
        let settings = ballots::Settings {
            self_votes: task.self_votes(),
            records: &task.reviewer_records,
            weights_on: weights.is_some(),
        };
        let result = aggregate::aggregate(&candidates, &votes, settings);
        metadata.aggregate_rankings = result.rows;
        metadata.aggregate = Some(result.facts).filter(|_| candidates.len() > 1);
    }
    metadata.use_weighted_consensus = weights.is_some();
    metadata.weights_info = weights;
    metadata
}

/// Whether this member failed in one of these reviews.
pub(in crate::council) fn has_failed(reviews: &[Review], member: &str) -> bool {
    reviews.iter().any(|review| review.member == member && review.error.is_some())
}
