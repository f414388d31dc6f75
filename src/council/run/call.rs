//! One call on its way out: answered from the journal, or sent, shown and committed.

use async_trait::async_trait;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::speaking_order::{self, SpeakingTurn};
use super::traced::TracedCall;
use super::{FinishedCall, Run, Stopped, UnderWay};
use crate::council::costs::Spent;
use crate::council::fingerprint::Fingerprint;
use crate::council::note::{EVERYTHING, Note, NoteCategory};
use crate::council::pricing;
use crate::council::run_event::{CallRestarted, RunEvent, RunNote};
use crate::council::stage::Stage;
use crate::council::token::Token;
use crate::council::view::View;
use crate::id::RunId;
use crate::llm::{CallError, ChatRequest, Chunk, DeltaSink, ErrorKind, Reply};

/// One request on its way out; see [`Run::call`].
pub struct Call<'r> {
    run: &'r Run,
    stage: Stage,
    key: String,
    request: ChatRequest,
    member: Option<String>,
    view: Option<View>,
    needs_place: bool,
    turn: Option<&'r SpeakingTurn<'r>>,
    /// The first of the calls that this one goes on with.
    part_of: Option<String>,
    /// What an earlier one of them has shown.
    shown: String,
}

impl Run {
    /// A request to a model, to be sent by [`Call::send`]. `key` names its place in the
    /// deliberation, never a counter of arrival.
    pub fn call(&self, stage: Stage, key: impl Into<String>, request: ChatRequest) -> Call<'_> {
        Call {
            run: self,
            stage,
            key: key.into(),
            request,
            member: None,
            view: None,
            needs_place: true,
            turn: None,
            part_of: None,
            shown: String::new(),
        }
    }
}

impl<'r> Call<'r> {
    /// Whether it takes none of the run's slots for calls: side work must not keep the run waiting.
    #[must_use]
    pub fn beside_the_run(self) -> Self {
        Self { needs_place: false, ..self }
    }

    /// Waits for this turn, where there is one, and then takes at most [`speaking_order::MOST_MS`].
    #[must_use]
    pub fn in_turn(self, turn: Option<&'r SpeakingTurn<'r>>) -> Self {
        Self { turn, ..self }
    }

    /// Shows the reply while it arrives.
    #[must_use]
    pub fn stream(self, view: View) -> Self {
        Self { view: Some(view), ..self }
    }

    /// Makes this a continuation of that call, so that the member is not reported as asked anew.
    #[must_use]
    pub fn part_of(self, key: &str) -> Self {
        Self { part_of: Some(key.to_owned()), ..self }
    }

    /// Keeps what an earlier call has shown, if the run is stopped before this one has a better text.
    #[must_use]
    pub fn keeping(self, shown: &str) -> Self {
        Self { shown: shown.to_owned(), ..self }
    }

    /// Says which seat it belongs to.
    #[must_use]
    pub fn of_member(mut self, name: &str) -> Self {
        self.member = Some(name.to_owned());
        self
    }

    /// The result: from the journal if an earlier execution has it, else from the model.
    ///
    /// # Errors
    /// The call's own failure, after retries: a value like any other.
    pub async fn send(self) -> Result<Reply, CallError> {
        let Self { run, stage, key, mut request, member, view, needs_place, turn, part_of, shown } = self;
        request.seed = seed_of(run.id, &key);
        if turn.is_some() {
            request.timeouts.total_ms = request.timeouts.total_ms.min(speaking_order::MOST_MS);
        }
        if let Some(pictures) = &run.pictures {
            pictures.put_into(&mut request, &run.marker());
        }
        let fingerprint = Fingerprint::of(&request);
        if let Some(result) = run.answered_before(&key, &stage, fingerprint) {
            return result;
        }
        // Paid by the run before this one, so it is none of this one's costs.
        if let Some(carried) = run.host.carried_call(&key, fingerprint) {
            return carried.result;
        }

        let fingerprint = fingerprint.text();
        let streamed = view.is_some();
        let expected_usd = pricing::of_request(&request, run.models.as_ref());
        let call = UnderWay {
            key: key.clone(),
            stage: stage.clone(),
            model: request.model.clone(),
            member: member.clone(),
            purpose: request.purpose,
            fingerprint: fingerprint.clone(),
            expected_usd,
            text: shown,
            sent: run.host.attempt() > 1,
            in_hand: false,
        };
        let mut sink = Showing { run, key: &key, view };
        let traced = TracedCall::begin(
            (run.id, &run.trace, &run.stages),
            (stage.as_str(), &key, member.as_deref()),
            &request,
            run.models.provider_of(&request.model),
        );
        let asking = async {
            if let Some(turn) = turn {
                turn.wait().await;
            }
            let _place = if needs_place { run.place().await } else { None };
            run.host.reserve(&key, expected_usd).await?;
            if streamed && run.host.attempt() > 1 {
                let event = CallRestarted {
                    stage: stage.clone(),
                    model: request.model.clone(),
                    member: member.clone(),
                };
                let restart = format!("restart/{}/{key}", run.host.attempt());
                run.emit(&restart, RunEvent::CallRestarted(event)).await;
            }
            if let Some(member) = &member {
                let asked = part_of.as_deref().unwrap_or(&key);
                run.remark(&format!("asked/{asked}"), || {
                    let fact = RunNote::Asked { name: member.clone() };
                    let details = json!({ "stage": stage, "model": request.model });
                    Note::of(EVERYTHING, NoteCategory::Model, &fact).with(details)
                })
                .await;
            }
            run.state().under_way.insert(key.clone(), call.clone());
            run.models.chat(&request, &mut sink).await
        };
        let asked = tokio::select! {
            biased;
            reason = run.stopped(&stage, member.as_deref()) => Err(reason),
            result = asking => Ok(result),
        };
        sink.end().await;
        let result = match asked {
            Ok(result) => result,
            Err(stopped) => Err(run.drop_call(call, stopped).await),
        };
        if let Some(traced) = traced {
            traced.end(&result);
        }
        if result.as_ref().is_err_and(|error| error.kind == ErrorKind::Auth) {
            // Only the operator can fix it, so it is logged for them, not only told to the asker.
            tracing::error!(run.id = %run.id, model = request.model, "a provider refused this server's key");
        }
        {
            let mut state = run.state();
            state.spent.insert(key.clone(), Spent::on(&stage, &request.model, &result));
            if let Some(call) = state.under_way.get_mut(&key) {
                call.in_hand = true;
            }
        }
        let purpose = request.purpose.name.into();
        let model = request.model;
        let call = FinishedCall { key, stage, model, purpose, fingerprint, expected_usd, result };
        run.host.commit_call(&call).await;
        run.state().under_way.remove(&call.key);
        call.result
    }
}

impl Run {
    /// What an earlier execution was answered under this key.
    fn answered_before(
        &self,
        key: &str,
        stage: &Stage,
        fingerprint: Fingerprint<'_>,
    ) -> Option<Result<Reply, CallError>> {
        let finished = self.host.finished_call(key)?;
        if !fingerprint.is(&finished.fingerprint) {
            self.host.asks_something_else(key);
            metrics::counter!("llm_council_journal_mismatches_total").increment(1);
            tracing::warn!(run.id = %self.id, key, "a repeated execution asks something else under this key; the first answer is kept");
        }
        self.state().spent.insert(key.to_owned(), Spent::on(stage, &finished.model, &finished.result));
        Some(finished.result)
    }

    /// The result of a call that the run goes on without.
    async fn drop_call(&self, call: UnderWay, stopped: Stopped) -> CallError {
        if stopped.skipped {
            let event = RunEvent::MemberSkipped {
                member: call.member.clone().unwrap_or_default(),
                model: call.model.clone(),
                stage: call.stage.clone(),
            };
            self.emit(&format!("skip/{}", call.key), event).await;
        }
        let known = self.state().under_way.get(&call.key).cloned();
        known.unwrap_or(call).dropped(stopped.fact)
    }
}

struct Showing<'a> {
    run: &'a Run,
    key: &'a str,
    view: Option<View>,
}

impl Showing<'_> {
    async fn show(&mut self, token: Option<Token>) {
        let Some(token) = token else { return };
        if let Some(view) = &mut self.view {
            let shown = view.take_shown();
            if let Some(call) = self.run.state().under_way.get_mut(self.key) {
                call.text.push_str(&shown);
            }
        }
        self.run.host.stream(self.key, token).await;
    }

    async fn end(&mut self) {
        let token = self.view.as_mut().and_then(View::end);
        self.show(token).await;
    }
}

#[async_trait]
impl DeltaSink for Showing<'_> {
    fn sent(&mut self) {
        if let Some(call) = self.run.state().under_way.get_mut(self.key) {
            call.sent = true;
        }
    }

    async fn push(&mut self, chunk: &Chunk) {
        if let Chunk::TextWasReasoning(_) = chunk
            && let Some(call) = self.run.state().under_way.get_mut(self.key)
        {
            // Should the run go on without this call, what it was answering is kept, and this was no part of it.
            call.text.clear();
        }
        let token = self.view.as_mut().and_then(|view| view.chunk(chunk));
        self.show(token).await;
    }
}

fn seed_of(id: RunId, key: &str) -> u64 {
    let mut hash = Sha256::new();
    hash.update(id.0.as_bytes());
    hash.update(key.as_bytes());
    let digest: [u8; 32] = hash.finalize().into();
    digest.iter().take(8).fold(0, |seed, byte| (seed << 8) | u64::from(*byte))
}
