//! Stage 1: every member answers, all at once or one after another, streamed.

pub(in crate::council) mod estimate;
mod notes;
pub(in crate::council) mod simulated;

pub use notes::AnswersNote;

use std::future::Future;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::council::any_event::AnyEvent;
use crate::council::ask::rejects_the_system_prompt;
use crate::council::attached::FilesRead;
use crate::council::context;
use crate::council::member_retry::{self, MemberRetry};
use crate::council::options::confidence::{self, AggregateConfidence};
use crate::council::options::cot::{self, Cot};
use crate::council::options::escalation::info::EscalationInfo;
use crate::council::options::routing::info::RoutingInfo;
use crate::council::pass::Pass;
use crate::council::prompts::history;
use crate::council::prompts::judges;
use crate::council::quorum::{Arrival, Contribution, PendingCall, Quorum, Stragglers};
use crate::council::run::{Run, SpeakingTurn};
use crate::council::searching::citations::Citations;
use crate::council::seat::Seat;
use crate::council::settings::Member;
use crate::council::stage::Stage;
use crate::council::task::Task;
use crate::council::token::TokenHead;
use crate::council::tool_use::event::Place;
use crate::council::tool_use::{DialogueOutcome, ToolCallMade, ToolDialogue, converse};
use crate::council::view::View;
use crate::invisible::shows_nothing;
use crate::llm::fact::known;
use crate::llm::{CallError, CallFact, ChatMessage, ChatRequest, ErrorKind, Purpose, Usage, counted_as};

/// Where the members answer.
pub const STAGE: Stage = Stage::named("stage1");
/// A member's answer.
pub static ANSWER: Purpose = Purpose { name: "answer", usual_tokens: 1_200, simulated: simulated::answer };

/// The keys of the calls for answers begin with this; the seat's name follows.
pub(in crate::council) const ANSWER_KEY: &str = "stage1/";
/// How the key of a second try ends.
pub(in crate::council) const WITHOUT_SYSTEM_PROMPT: &str = "/without_system_prompt";

/// Why an answer may not be given out as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfit {
    /// It was cut at its token limit.
    Cut,
    /// It speaks to its reviewers.
    AddressesJudges,
}

/// What one member answered, or why it did not.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Answer {
    pub model: String,
    /// The seat's name, unique in the council: the alias, else the model id.
    pub member: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alias: Option<String>,
    /// The model that really answered, where the provider names another than the one that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub served_by: Option<String>,
    /// The shown text; of a failed member what had arrived, or nothing.
    pub response: String,
    /// Which tier it belongs to, 1 or 2, where the run may escalate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<u8>,
    /// The member's own confidence, 1 to 10, where it said one.
    #[serde(default)]
    pub confidence: Option<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cot: Option<Cot>,
    /// Streamed reasoning, shown apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// Provider-specific reasoning blocks (string, object or array).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub reasoning_details: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// USD; absent when unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<u64>,
    /// Time to the first token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttft_ms: Option<u64>,
    /// How much it read of the question's files, where its model's context has no room for more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files_read: Option<FilesRead>,
    /// The provider refused the system prompt; the member was asked again without it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub system_prompt_dropped: bool,
    /// The model stopped at its token limit: the text is not whole.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// No model was asked: the simulated provider wrote this.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub simulated: bool,
    /// Which of the run's sources it cites, where it cites any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub citations: Option<Citations>,
    /// What it looked up before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls_made: Vec<ToolCallMade>,
    /// The model takes no tools; it was asked without.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tools_refused: bool,
    /// The text speaks to its reviewers instead of answering the question.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub addresses_judges: bool,
    /// The quorum went on without it, and it came before the reviews were over: the chairman read
    /// it, nobody reviewed it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub late: bool,
    /// How often it was asked again in its run, because it had failed and a person requested it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub retries: u32,
    /// The member is still answering; only in `stage1_complete` of a run with a quorum.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pending: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_kind: Option<ErrorKind>,
    /// The error as a fact, where it is this server's own.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known")]
    pub error_fact: Option<CallFact>,
}

impl Answer {
    /// Notes that it failed, and why.
    pub fn fail(&mut self, error: CallError) {
        self.error = Some(error.message);
        self.error_kind = Some(error.kind);
        self.error_fact = error.fact;
    }

    /// Takes the line of its confidence out of its text. Of one that failed it says nothing: it may have broken off within
    /// the number.
    pub(in crate::council) fn read_confidence(&mut self) {
        let (text, confidence) = confidence::parse(&self.response);
        self.response = text;
        self.confidence = confidence.filter(|_| self.error.is_none());
    }

    /// Notes that it failed where its text says nothing: a reply may be the line of its confidence alone, or characters
    /// that nobody sees.
    pub(in crate::council) fn fail_if_silent(&mut self) {
        if !shows_nothing(&self.response) {
            return;
        }
        self.response.clear();
        if self.error.is_none() {
            self.confidence = None;
            self.fail(CallError::empty_answer(&self.model));
        }
    }

    /// Whether it is there and can be used.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.error.is_none() && !self.pending
    }

    /// Why it may not be given out as it is; none where it may.
    #[must_use]
    pub fn unfit(&self) -> Option<Unfit> {
        if self.truncated {
            Some(Unfit::Cut)
        } else if self.addresses_judges {
            Some(Unfit::AddressesJudges)
        } else {
            None
        }
    }

    /// The model that its figures count for.
    #[must_use]
    pub fn counted_as(&self) -> &str {
        counted_as(&self.model, self.served_by.as_deref())
    }

    /// The numbers of the sources that it cites.
    #[must_use]
    pub fn cited(&self) -> &[u32] {
        self.citations.as_ref().map_or(&[], |citations| citations.cited.as_slice())
    }

    /// An empty answer of this seat.
    #[must_use]
    pub fn of(member: &Member) -> Self {
        let Seat { model, member, alias } = Seat::from(member);
        Self { model, member, alias, ..Self::default() }
    }

    /// The place of an answer that is still to come.
    #[must_use]
    pub fn pending(seat: Seat, tier: Option<u8>) -> Self {
        let Seat { model, member, alias } = seat;
        Self { model, member, alias, tier, pending: true, ..Self::default() }
    }
}

impl Contribution for Answer {
    fn counts(&self) -> bool {
        self.is_good()
    }

    fn mark_late(&mut self) {
        self.late = self.is_good();
    }

    fn event(&self) -> (String, AnyEvent) {
        let (model, member, data) = (self.model.clone(), self.member.clone(), Box::new(self.clone()));
        let key = member_retry::key(self.retries, &format!("stage1/{member}/complete"));
        let event = match (&self.error, self.error_kind) {
            (Some(error), Some(error_kind)) => {
                AnswersEvent::Stage1Error { model, member, error: error.clone(), error_kind, data }
            }
            _ => AnswersEvent::Stage1ModelComplete { model, member, data },
        };
        (key, event.into())
    }

    fn model(&self) -> &str {
        &self.model
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// What is stored with the answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct AnswersMetadata {
    pub aggregate_confidence: AggregateConfidence,
    /// Whether the second tier was asked, and why, where the run may escalate. What the reviews say
    /// of it follows with them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escalation_info: Option<Box<EscalationInfo>>,
}

/// The events of stage 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum AnswersEvent {
    /// The members are asked.
    Stage1Start {
        members: Vec<Seat>,
        use_cot: bool,
        #[serde(default)]
        use_dynamic_routing: bool,
        /// Why these members, where the question was routed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        routing_info: Option<Box<RoutingInfo>>,
        #[serde(default)]
        use_escalation: bool,
        /// The tier that is asked first.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        current_tier: Option<u8>,
        /// When they are asked (RFC 3339, UTC).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        started_at: Option<String>,
    },
    /// A piece of a member's answer.
    Stage1Token {
        model: String,
        member: String,
        content: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tier: Option<u8>,
    },
    /// A piece of a member's reasoning, shown apart.
    Stage1ReasoningToken {
        model: String,
        member: String,
        content: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tier: Option<u8>,
    },
    /// A member has answered; after `stage1_complete` it came late.
    Stage1ModelComplete { model: String, member: String, data: Box<Answer> },
    /// A member has failed; `data` holds what had arrived.
    Stage1Error { model: String, member: String, error: String, error_kind: ErrorKind, data: Box<Answer> },
    /// Every member has answered or failed, or enough of them have: those still answering are in
    /// the list as `pending`, and an event of their own follows. Failed members stay in the list,
    /// with their error. It comes again, with the answers of both tiers, when the run escalates
    /// after its reviews.
    Stage1Complete { data: Vec<Answer>, metadata: AnswersMetadata },
}

/// The members that a quorum did not wait for.
pub type Late<'r> = Vec<PendingCall<'r, Answer>>;

/// Tells who is asked, and why these.
pub async fn announce(
    run: &Run,
    task: &Task,
    (members, routing): (&[Member], Option<RoutingInfo>),
    escalates: bool,
) {
    let start = AnswersEvent::Stage1Start {
        members: members.iter().map(Seat::from).collect(),
        use_cot: task.chain_of_thought,
        use_dynamic_routing: routing.is_some(),
        routing_info: routing.map(Box::new),
        use_escalation: escalates,
        current_tier: escalates.then_some(1),
        started_at: Some(run.now()),
    };
    run.emit("stage1/start", start).await;
}

/// Asks every member, or every one of a tier, and waits for all or for the plan's quorum. The
/// answers keep the members' order; members that are still answering are `pending` in it and go on in the second part
/// of the result.
pub async fn ask_all<'r>(
    run: &'r Run,
    task: &'r Task,
    members: &'r [Member],
    tier: Option<u8>,
) -> (Vec<Answer>, Late<'r>) {
    let asked = |place: usize, retry: u32| {
        let member = &members[place];
        PendingCall::new(place, member.name(), ask(run, task, (member, tier), retry))
    };
    let quorum = Quorum {
        needed: task.quorum.unwrap_or(members.len()).min(members.len()),
        grace: Duration::from_millis(task.straggler_grace_ms),
    };
    let key = if tier == Some(2) { "tier2/stage1/quorum" } else { "stage1/quorum" };
    let (arrivals, late) = run.quorum((&STAGE, key), members.len(), quorum, asked).await;
    let mut answers: Vec<Answer> =
        members.iter().map(|member| Answer::pending(member.into(), tier)).collect();
    for one in arrivals {
        answers[one.place] = one.contribution;
    }
    (answers, late)
}

/// Tells that the answers are there, but for those that may come late.
pub async fn complete(run: &Run, pass: Pass, answers: &[Answer], escalation: Option<&EscalationInfo>) {
    let escalation_info = escalation.cloned().map(Box::new);
    let complete = AnswersEvent::Stage1Complete {
        metadata: AnswersMetadata { aggregate_confidence: summary(answers), escalation_info },
        data: answers.to_vec(),
    };
    run.emit(&pass.key("stage1/complete"), complete).await;
}

/// Lets late answers come in while `reviews` are held; members that have not answered when they are over are stopped.
/// Returns the answers of all members that the quorum had not waited for.
pub async fn wait_for_late<R>(
    run: &Run,
    pass: Pass,
    late: Late<'_>,
    answered: usize,
    reviews: impl Future<Output = R>,
) -> (R, Vec<Arrival<Answer>>) {
    let late = Stragglers {
        stage: STAGE,
        waiting: late,
        marked: true,
        fact: CallFact::WentOnWithout { answers: answered },
    };
    run.with_stragglers(&pass.key("stage1/late"), late, reviews).await
}

/// Puts answers that came later in the places that were kept for them.
pub fn put(answers: &mut [Answer], arrivals: Vec<Arrival<Answer>>) {
    for late in arrivals {
        if let Some(place) = answers.iter_mut().find(|answer| answer.member == late.member) {
            *place = late.contribution;
        }
    }
}

/// What the members' confidences say together.
#[must_use]
pub fn summary(answers: &[Answer]) -> AggregateConfidence {
    let scores: Vec<Option<u8>> = answers.iter().map(|answer| answer.confidence).collect();
    confidence::summary(&scores, answers.len())
}

/// What a member answers at the retry of this number, or at first (0). Where an earlier execution has asked it again after
/// that, it is what it answers then.
async fn ask(run: &Run, task: &Task, (member, tier): (&Member, Option<u8>), mut retry: u32) -> Answer {
    loop {
        let answer = ask_once(run, task, (member, tier), retry).await;
        if answer.is_good() || retry >= run.retries_of(&STAGE, member.name()) {
            return answer;
        }
        let (key, event) = answer.event();
        run.emit(&key, event).await;
        retry += 1;
        let again = MemberRetry { stage: STAGE, member: member.name().to_owned(), number: retry };
        run.report_retry(again, &member.model).await;
    }
}

async fn ask_once(run: &Run, task: &Task, (member, tier): (&Member, Option<u8>), retry: u32) -> Answer {
    // Taken at the first poll, which a quorum does in the order of the seats: a member that an execution after a crash
    // does not wait for then keeps nobody waiting.
    let turn = run.turn();
    let turn = turn.as_ref();
    let name = member.name();
    let system = task.brief.system_prompt_for(member);
    let key = member_retry::key(retry, &format!("{ANSWER_KEY}{name}"));
    let (mut outcome, mut files_read) = send(run, task, (member, tier), turn, &key, system).await;
    let mut dropped = false;
    if system.is_some() && outcome.result.as_ref().is_err_and(rejects_the_system_prompt) {
        dropped = true;
        let key = format!("{key}{WITHOUT_SYSTEM_PROMPT}");
        (outcome, files_read) = send(run, task, (member, tier), turn, &key, None).await;
    }
    let found: Vec<u32> = outcome.found().collect();
    let mut answer = read(task, member, outcome);
    answer.citations = task.brief.citations(&answer.response, found);
    answer.tier = tier;
    answer.retries = retry;
    answer.files_read = files_read;
    answer.system_prompt_dropped = dropped;
    answer.simulated = run.is_simulated(&member.model);
    answer
}

async fn send(
    run: &Run,
    task: &Task,
    (member, tier): (&Member, Option<u8>),
    turn: Option<&SpeakingTurn<'_>>,
    key: &str,
    system: Option<&str>,
) -> (DialogueOutcome, Option<FilesRead>) {
    let (messages, files_read) = prompt(run, task, member, system).await;
    let request = ChatRequest {
        sampling: task.brief.settings.sampling(&ANSWER),
        timeouts: task.brief.settings.timeouts(&ANSWER),
        ..ChatRequest::new(&member.model, &ANSWER, messages)
    };
    let fields = json!({ "model": member.model, "member": member.name(), "tier": tier });
    let view = || {
        View::new(confidence::Filter::default(), TokenHead::new("stage1_token", &fields))
            .with_reasoning(TokenHead::new("stage1_reasoning_token", &fields))
    };
    let dialogue = ToolDialogue {
        stage: STAGE,
        key,
        request,
        member: member.name(),
        turn,
        place: Place::Stage1,
        view: Some(&view),
    };
    (converse(run, &task.brief, task.tools, dialogue).await, files_read)
}

async fn prompt(
    run: &Run,
    task: &Task,
    member: &Member,
    system: Option<&str>,
) -> (Vec<ChatMessage>, Option<FilesRead>) {
    let brief = &task.brief;
    let mut question = brief.whole_question();
    ask_for_steps(task, &mut question);
    question.push_str(brief.prompts.text(&confidence::SUFFIX));
    let fitted = context::fitted(run, brief, (member.model.as_str(), &ANSWER), system, &question).await;
    let system = system.map(ChatMessage::system);
    let messages = system.into_iter().chain(history::messages(fitted.turns, fitted.question)).collect();
    (messages, fitted.files_read)
}

/// Adds to what a member is asked that its answer is to show its steps, where that is wanted.
pub(in crate::council) fn ask_for_steps(task: &Task, prompt: &mut String) {
    if task.chain_of_thought {
        prompt.push_str(task.brief.prompts.text(&cot::SUFFIX));
    }
}

/// Reads the steps of an answer, where it was asked for them.
pub(in crate::council) fn read_steps(task: &Task, answer: &mut Answer) {
    if task.chain_of_thought {
        answer.cot = cot::parse(&answer.response);
    }
}

/// What a member answered, with its whole text, before anything is read out of it.
pub(in crate::council) fn whole(member: &Member, outcome: DialogueOutcome) -> Answer {
    let mut answer = Answer::of(member);
    answer.tool_calls_made = outcome.made;
    answer.tools_refused = outcome.refused;
    let reply = match outcome.result {
        Ok(reply) => reply,
        Err(mut error) => {
            let partial = error.partial.take();
            answer.fail(error);
            partial.map(|reply| *reply).unwrap_or_default()
        }
    };
    answer.served_by = reply.served_by_another(&answer.model);
    answer.response = reply.text;
    answer.truncated = reply.finish_reason.as_deref() == Some("length");
    answer.cost = reply.usage.and_then(|usage| usage.cost_usd);
    answer.usage = reply.usage;
    answer.latency_ms = Some(reply.latency_ms).filter(|_| reply.tries > 0);
    answer.ttft_ms = reply.ttft_ms;
    answer.reasoning = reply.reasoning;
    answer.reasoning_details = reply.reasoning_details;
    answer
}

fn read(task: &Task, member: &Member, outcome: DialogueOutcome) -> Answer {
    let mut answer = whole(member, outcome);
    answer.read_confidence();
    answer.fail_if_silent();
    read_steps(task, &mut answer);
    answer.addresses_judges = judges::addresses_judges(&answer.response);
    answer
}
