//! One call from beginning to end: waits for a slot and for the breaker, opens the reply, passes its chunks on,
//! enforces the time limits, retries where that can help, and assembles the chunks.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use futures_util::StreamExt as _;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, sleep, sleep_until, timeout_at};

use super::breaker::{Admission, Breaker, Pass, Refusal, Verdict};
use super::embedding::{Embedding, Unfit};
use super::error::{CallError, ErrorKind};
use super::limit::InFlight;
use super::metrics::CallWatch;
use super::reply::{Reply, ToolCall};
use super::request::{ChatRequest, Timeouts};
use super::retry::{Progress, RetryPolicy, is_worth_retrying};
use super::schema::Refusals;
use super::seeded_rng::SeededRng;
use super::thoughts::Thoughts;
use super::{Chunk, DeltaSink, Provider, citation, reasoning_details, refused, without_tools};
use crate::invisible::shows_nothing;

/// The most tool calls in one reply; a model that makes more of them has run away.
const MAX_TOOL_CALLS: usize = 128;
/// The wait after a finish reason: only the usage and the end marker are missing then, and no answer fails without
/// them.
const AFTER_FINISH: Duration = Duration::from_secs(5);
/// Longer time limits are cut to this: beyond it the arithmetic of time would overflow.
const MAX_LIMIT_MS: u64 = 7 * 24 * 3_600_000;

/// What a call needs of its provider.
pub(super) struct Caller<'a> {
    /// The provider's configured name, for messages.
    pub name: &'a str,
    /// Its metrics.
    pub watch: &'a CallWatch<'a>,
    pub provider: &'a dyn Provider,
    pub places: &'a InFlight,
    pub breaker: &'a Breaker,
    pub retry: &'a RetryPolicy,
    pub schema_refusals: &'a Refusals,
    pub tool_refusals: &'a Refusals,
    /// Bound on text, reasoning and tool calls together.
    pub max_answer_bytes: usize,
}

impl Caller<'_> {
    /// Asks until a try succeeds or none is worth making. `sink` sees text, reasoning and tool
    /// calls of one try only, but perhaps the metadata (usage, the serving model) of several.
    ///
    /// # Errors
    /// The error of the last try, with `tries` counted and what had arrived kept.
    pub async fn call(&self, request: &ChatRequest, sink: &mut dyn DeltaSink) -> Result<Reply, CallError> {
        let deadline = Instant::now() + limit(request.timeouts.total_ms);
        let mut rng = SeededRng::new(request.seed, &request.model);
        let mut asked = Cow::Borrowed(request);
        let mut earlier: Option<CallError> = None;
        // A wait that the breaker asks for is a round without a try.
        let mut progress = Progress::default();
        let (mut tries, mut reached) = (0, false);
        // The model tried to call a tool and wrote nonsense, which shows that it takes tools.
        let mut failed_with_tools = false;
        loop {
            progress.rounds += 1;
            let admitted = timeout_at(deadline, self.admit(&request.model)).await;
            // A slot that becomes free at the last moment is of no use: nothing is sent.
            let admitted = admitted.ok().filter(|_| Instant::now() < deadline);
            let error = match admitted {
                Some(Ok((place, mut pass))) => {
                    if tries == 0 {
                        self.breaker.credit_retry();
                    }
                    tries += 1;
                    let mut assembly = Assembly::new(self.max_answer_bytes);
                    let result = self.try_once(&asked, sink, &mut assembly, &mut pass, deadline).await;
                    // The slot is given back during a pause, so that other calls can use it.
                    drop(place);
                    progress.arrived = assembly.first_token.is_some();
                    match result {
                        Ok(()) => {
                            let of_ours = request.schema.as_ref().is_some_and(|schema| !schema.from_asker);
                            if of_ours && asked.schema.is_none() {
                                self.schema_refusals.remember(&request.model);
                            }
                            let tools_refused = asked.tools != request.tools;
                            if tools_refused && !failed_with_tools {
                                self.tool_refusals.remember(&request.model);
                            }
                            return Ok(Reply { tools_refused, ..assembly.into_reply(tries) });
                        }
                        Err(error) => {
                            reached |= error.reached || assembly.has_arrived();
                            let partial = reached.then(|| Box::new(assembly.into_reply(tries)));
                            if error.kind == ErrorKind::Timeout && error.status.is_none() {
                                progress.silences += 1;
                            }
                            CallError { tries, partial, reached, ..error }
                        }
                    }
                }
                Some(Err(refusal)) => {
                    let refused = self.breaker.refused(refusal, &request.model);
                    let wait = refused.retry_after_ms;
                    let error = not_sent(earlier.take(), refused);
                    if !refusal.is_a_limit() {
                        return Err(error);
                    }
                    CallError { retry_after_ms: wait, ..error }
                }
                None => return Err(not_sent(earlier, self.no_place(request.timeouts))),
            };
            if asked.sampling.temperature.is_some()
                && !progress.arrived
                && refused::means_the_temperature(&error)
            {
                asked.to_mut().sampling.temperature = None;
                earlier = Some(error);
                continue;
            }
            if !progress.arrived && refused::means_the_thoughts(&error) && asked.to_mut().drop_thoughts() {
                earlier = Some(error);
                continue;
            }
            if !asked.tools.is_empty() && !progress.arrived && without_tools::may_mean_the_tools(&error) {
                // Whether the tools were the reason is known once the request is accepted without them.
                failed_with_tools = without_tools::was_a_failed_try(&error);
                asked = Cow::Owned(asked.into_owned().without_tools());
                earlier = Some(error);
                continue;
            }
            if asked.schema.is_some() && !progress.arrived && refused::may_mean_a_parameter(&error) {
                // Whether the schema was the reason is known once the request is accepted without it.
                asked.to_mut().schema = None;
                earlier = Some(error);
                continue;
            }
            let remaining = deadline.saturating_duration_since(Instant::now());
            let Some(pause) = self.retry.pause(&error, progress, remaining, &mut rng) else {
                return Err(self.retry.explained(error));
            };
            // An outage is not answered with more calls.
            let hopeless = self.breaker.refusal(&request.model).is_some_and(|refusal| !refusal.is_a_limit());
            if hopeless || (tries > 0 && !self.breaker.spend_retry()) {
                return Err(error);
            }
            earlier = Some(error);
            sleep(pause).await;
        }
    }

    /// Waits for a slot and until the breaker admits the call. A circuit that opens in the meantime ends the wait.
    async fn admit<'m>(&'m self, model: &'m str) -> Result<(OwnedSemaphorePermit, Pass<'m>), Refusal> {
        let mut changes = self.breaker.changes();
        loop {
            let mut acquiring = std::pin::pin!(self.places.acquire());
            let place = loop {
                if let Some(refusal) = self.breaker.refusal(model) {
                    return Err(refusal);
                }
                tokio::select! {
                    biased;
                    place = &mut acquiring => break place,
                    // The sender lives in the breaker.
                    _ = changes.changed() => {}
                }
            };
            changes.mark_unchanged();
            match self.breaker.admit(model) {
                Admission::Go(pass) => return Ok((place, pass)),
                Admission::Refused(refusal) => return Err(refusal),
                Admission::Wait => {
                    drop(place);
                    // The sender lives in the breaker: it cannot be gone.
                    let _changed = changes.changed().await;
                }
            }
        }
    }

    /// Makes one try, and reports to the breaker what it says about the provider.
    async fn try_once(
        &self,
        request: &ChatRequest,
        sink: &mut dyn DeltaSink,
        assembly: &mut Assembly,
        pass: &mut Pass<'_>,
        deadline: Instant,
    ) -> Result<(), CallError> {
        let driven = timeout_at(deadline, self.drive(request, sink, assembly, pass)).await;
        // A call that got its slot when its time was nearly over says nothing about the provider.
        let fair_time = limit(request.timeouts.first_token_ms.min(request.timeouts.total_ms)) / 2;
        let too_early = driven.is_err() && assembly.sent.elapsed() < fair_time;
        // What was held back has arrived as well.
        let rest = match assembly.thoughts.end(&assembly.reply.text) {
            Some(rest) => self.give(&rest, sink, assembly).await,
            None => Ok(()),
        };
        let driven = driven.unwrap_or_else(|_| {
            if assembly.is_finished() { Ok(()) } else { Err(self.too_long(request).having_reached()) }
        });
        let result = driven.and(rest).and_then(|()| {
            // A search that finds nothing counts as answered.
            if self.provider.may_be_empty() { Ok(()) } else { assembly.check(self.name, request) }
        });
        pass.settle(match &result {
            Ok(()) => Verdict::Alive,
            Err(_) if too_early => Verdict::Unknown,
            Err(error) => Verdict::on(error),
        });
        result
    }

    /// Makes one try. `assembly` keeps what has arrived, even after an error or if the future is dropped.
    async fn drive(
        &self,
        request: &ChatRequest,
        sink: &mut dyn DeltaSink,
        assembly: &mut Assembly,
        pass: &mut Pass<'_>,
    ) -> Result<(), CallError> {
        let limits = request.timeouts;
        let streams = self.provider.streams() && !request.embeds;
        // A reply that comes in one piece is limited by the total time only.
        let first_token = if streams { limits.first_token_ms } else { MAX_LIMIT_MS };
        let first_token = assembly.sent + limit(first_token);
        self.watch.sent();
        sink.sent();
        let opening = if request.embeds { self.provider.embed(request) } else { self.provider.open(request) };
        let open = timeout_at(first_token, opening).await;
        let mut chunks = open.map_err(|_| self.silent(request).having_reached())??;
        let mut until = first_token;
        // One timer for the whole reply, reset only when it fires too early: a reply has hundreds of tokens.
        let mut timer = std::pin::pin!(sleep_until(until));
        loop {
            let next = tokio::select! {
                biased;
                next = chunks.next() => next,
                () = &mut timer => {
                    if Instant::now() < until {
                        timer.as_mut().reset(until);
                        continue;
                    }
                    return if assembly.is_finished() {
                        Ok(())
                    } else if assembly.first_token.is_some() {
                        Err(self.stalled(limits).having_reached())
                    } else {
                        Err(self.silent(request).having_reached())
                    };
                }
            };
            let Some(chunk) = next.transpose()? else { return Ok(()) };
            assembly.note_time(&chunk);
            if assembly.first_token.is_some() {
                pass.answered();
            }
            for chunk in assembly.thoughts.split(chunk, &assembly.reply.text).into_iter().flatten() {
                self.give(&chunk, sink, assembly).await?;
            }
            if assembly.is_finished() && !assembly.has_only_thoughts() {
                until = Instant::now() + limit(limits.idle_ms).min(AFTER_FINISH);
            } else if assembly.first_token.is_some() {
                until = Instant::now() + limit(limits.idle_ms);
            }
            if until < timer.deadline() {
                timer.as_mut().reset(until);
            }
        }
    }

    /// Adds a chunk to the reply and passes it on.
    async fn give(
        &self,
        chunk: &Chunk,
        sink: &mut dyn DeltaSink,
        assembly: &mut Assembly,
    ) -> Result<(), CallError> {
        if let Err(excess) = assembly.add(chunk) {
            if matches!(excess, Excess::Bytes) {
                // The text that is kept must be marked as cut.
                assembly.reply.finish_reason = Some("length".into());
            }
            return Err(self.over_bound(&excess));
        }
        sink.push(chunk).await;
        Ok(())
    }

    fn timeout(&self, what: &str, ms: u64) -> CallError {
        CallError::new(ErrorKind::Timeout, format!("{}: {what} within {}", self.name, seconds(ms)))
    }

    fn no_place(&self, limits: Timeouts) -> CallError {
        self.timeout("too many calls are under way; none ended", limits.total_ms)
    }

    fn silent(&self, request: &ChatRequest) -> CallError {
        self.timeout(&format!("`{}` sent no first token", request.model), request.timeouts.first_token_ms)
    }

    fn stalled(&self, limits: Timeouts) -> CallError {
        self.timeout("the answer stalled in the middle; nothing more came", limits.idle_ms)
    }

    fn too_long(&self, request: &ChatRequest) -> CallError {
        self.timeout(&format!("`{}` did not finish", request.model), request.timeouts.total_ms)
    }

    fn over_bound(&self, excess: &Excess) -> CallError {
        let what = match excess {
            Excess::Bytes => {
                format!("the answer is longer than {} bytes and was cut there", self.max_answer_bytes)
            }
            Excess::ToolCalls => format!("the answer makes more than {MAX_TOOL_CALLS} tool calls"),
        };
        CallError::new(ErrorKind::BadResponse, format!("{}: {what}", self.name)).having_reached()
    }
}

/// The error of a call that is not sent again: that of its last try, which says more. Only if the provider refused that
/// try for a part of the request, which has been left out since, is the reason why it is not sent (`why`) the error.
fn not_sent(earlier: Option<CallError>, why: CallError) -> CallError {
    match earlier {
        None => why,
        Some(error) if is_worth_retrying(&error) => error,
        Some(CallError { tries, reached, partial, .. }) => CallError { tries, reached, partial, ..why },
    }
}

fn limit(ms: u64) -> Duration {
    Duration::from_millis(ms.min(MAX_LIMIT_MS))
}

fn seconds(ms: u64) -> String {
    if ms.is_multiple_of(1000) { format!("{} s", ms / 1000) } else { format!("{ms} ms") }
}

/// A bound that a reply exceeded.
enum Excess {
    Bytes,
    ToolCalls,
}

/// A reply being put together.
struct Assembly {
    reply: Reply,
    tools: BTreeMap<u32, ToolCall>,
    /// Takes reasoning out of the text before it is added.
    thoughts: Thoughts,
    /// What is wrong with the vector that came.
    unfit: Option<Unfit>,
    /// Tokens came after a finish reason: some gateways send one with every piece.
    went_on: bool,
    /// When the try was sent.
    sent: Instant,
    first_token: Option<Instant>,
    last_chunk: Option<Instant>,
    room: usize,
}

impl Assembly {
    fn new(max_bytes: usize) -> Self {
        Self {
            reply: Reply::default(),
            tools: BTreeMap::new(),
            thoughts: Thoughts::default(),
            unfit: None,
            went_on: false,
            sent: Instant::now(),
            first_token: None,
            last_chunk: None,
            room: max_bytes,
        }
    }

    /// Notes when a chunk came, whether or not it is added at once.
    fn note_time(&mut self, chunk: &Chunk) {
        let now = Instant::now();
        self.last_chunk = Some(now);
        if chunk.is_token() {
            self.first_token.get_or_insert(now);
            self.went_on |= self.reply.finish_reason.is_some();
        }
    }

    /// Whether the model has said that it is done.
    fn is_finished(&self) -> bool {
        self.reply.finish_reason.is_some() && !self.went_on
    }

    /// Whether only reasoning has arrived: the answer is then probably still to come, despite a finish reason.
    fn has_only_thoughts(&self) -> bool {
        self.first_token.is_some() && self.reply.text.is_empty() && self.tools.is_empty()
    }

    fn add(&mut self, chunk: &Chunk) -> Result<(), Excess> {
        match chunk {
            Chunk::Text(text) => append(&mut self.reply.text, text, &mut self.room),
            Chunk::Reasoning(text) => {
                append(self.reply.reasoning.get_or_insert_default(), text, &mut self.room)
            }
            Chunk::TextWasReasoning(more) => {
                let mut thought = std::mem::take(&mut self.reply.text);
                let added = append(&mut thought, more, &mut self.room);
                let thought = thought.trim_start();
                // Without a word before the tag the model has not reasoned.
                self.reply.reasoning = (!thought.is_empty()).then(|| thought.to_owned());
                added
            }
            Chunk::ReasoningDetails(details) => {
                self.count_bytes(details.to_string().len())?;
                reasoning_details::add(&mut self.reply.reasoning_details, details);
                Ok(())
            }
            Chunk::ToolCall { index, id, name, arguments } => {
                if !self.tools.contains_key(index) && self.tools.len() == MAX_TOOL_CALLS {
                    return Err(Excess::ToolCalls);
                }
                let given = |text: &Option<String>| text.as_ref().map_or(0, String::len);
                self.count_bytes(given(id) + given(name))?;
                let call = self.tools.entry(*index).or_insert_with(|| ToolCall {
                    id: String::new(),
                    name: String::new(),
                    arguments: String::new(),
                });
                // The first part names the call; some servers repeat the name in every part.
                for (field, given) in [(&mut call.id, id), (&mut call.name, name)] {
                    if let Some(given) = given
                        && field.is_empty()
                    {
                        field.clone_from(given);
                    }
                }
                append(&mut call.arguments, arguments, &mut self.room)
            }
            Chunk::Usage(usage) => {
                self.reply.usage = Some(*usage);
                Ok(())
            }
            Chunk::Finish(reason) => {
                self.reply.finish_reason = Some(reason.clone());
                Ok(())
            }
            Chunk::ServedBy(model) => {
                self.reply.served_by = Some(model.clone());
                Ok(())
            }
            Chunk::Citations(citations) => {
                citation::add(&mut self.reply.citations, citations, &mut self.room);
                Ok(())
            }
            Chunk::Embedding(components) => {
                match Embedding::new(components.clone()) {
                    Ok(embedding) => self.reply.embedding = Some(embedding),
                    Err(unfit) => self.unfit = Some(unfit),
                }
                Ok(())
            }
        }
    }

    fn count_bytes(&mut self, bytes: usize) -> Result<(), Excess> {
        self.room = self.room.checked_sub(bytes).ok_or(Excess::Bytes)?;
        Ok(())
    }

    /// A reply without answer text is an error, unless it calls offered tools; so is one that the content filter
    /// stopped.
    fn check(&self, provider: &str, request: &ChatRequest) -> Result<(), CallError> {
        let model = &request.model;
        if request.embeds {
            return self.check_embedding(provider, model);
        }
        let may_call = !request.tools.is_empty();
        let wrote = !shows_nothing(&self.reply.text);
        let reasoned = self.reply.reasoning.is_some() || self.reply.reasoning_details.is_some();
        let (kind, what) = match self.reply.finish_reason.as_deref() {
            Some("content_filter") if wrote => {
                (ErrorKind::Refused, format!("the content filter of `{model}` cut the answer off"))
            }
            Some("content_filter") => {
                (ErrorKind::Refused, format!("the content filter of `{model}` held the answer back"))
            }
            Some(_) | None if wrote => return Ok(()),
            Some("length") => (
                ErrorKind::BadResponse,
                format!("`{model}` used up its token limit before the first word of the answer"),
            ),
            Some(_) | None if may_call && !self.tools.is_empty() => return Ok(()),
            Some(_) | None if !self.tools.is_empty() => {
                (ErrorKind::BadResponse, format!("`{model}` called a tool instead of writing an answer"))
            }
            Some(_) | None if reasoned => {
                (ErrorKind::BadResponse, format!("`{model}` reasoned and then wrote no answer"))
            }
            Some(_) | None => (ErrorKind::BadResponse, format!("`{model}` gave an empty answer")),
        };
        Err(CallError::new(kind, format!("{provider}: {what}")).having_reached())
    }

    /// A reply without a valid vector is an error.
    fn check_embedding(&self, provider: &str, model: &str) -> Result<(), CallError> {
        let what = match (&self.unfit, &self.reply.embedding) {
            (None, Some(_)) => return Ok(()),
            (None, None) => format!("`{model}` gave no embedding"),
            (Some(unfit), _) => format!("`{model}` gave an embedding {unfit}"),
        };
        Err(CallError::new(ErrorKind::BadResponse, format!("{provider}: {what}")).having_reached())
    }

    fn into_reply(mut self, tries: u32) -> Reply {
        self.reply.latency_ms = ms_between(self.sent, self.last_chunk.unwrap_or_else(Instant::now));
        self.reply.ttft_ms = self.first_token.map(|at| ms_between(self.sent, at));
        self.reply.tries = tries;
        let mut ids = HashSet::new();
        self.reply.tool_calls = self
            .tools
            .into_iter()
            .map(|(index, mut call)| {
                // Results refer to calls by id, so each call needs an id of its own.
                if call.id.is_empty() || !ids.insert(call.id.clone()) {
                    call.id = format!("call_{index}");
                    ids.insert(call.id.clone());
                }
                call
            })
            .collect();
        self.reply
    }

    /// Whether any output of the model, or its usage, has arrived.
    fn has_arrived(&self) -> bool {
        self.first_token.is_some() || self.reply.usage.is_some()
    }
}

fn ms_between(from: Instant, to: Instant) -> u64 {
    u64::try_from((to - from).as_millis()).unwrap_or(u64::MAX)
}

/// Appends as much as there is room for, whole characters only.
fn append(to: &mut String, text: &str, room: &mut usize) -> Result<(), Excess> {
    let fits = text.floor_char_boundary(*room);
    to.push_str(text.split_at(fits).0);
    *room -= fits;
    if fits == text.len() { Ok(()) } else { Err(Excess::Bytes) }
}

#[cfg(test)]
#[path = "assemble_embedding_tests.rs"]
mod embedding_tests;
#[cfg(test)]
#[path = "assemble_tests.rs"]
mod tests;
