//! On tokio's paused clock: time passes only when everything waits for it, so the tests take none.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use futures_util::stream;
use serde_json::json;

use super::super::reply::Usage;
use super::super::request::{Purpose, Sampling};
use super::super::{Chunks, ModelInfo, NoSink, Schema};
use super::*;

/// What a scripted provider does in one try.
#[derive(Clone)]
enum Step {
    Wait(u64),
    Give(Chunk),
    Fail(ErrorKind),
    Never,
}

use Step::{Fail, Give, Never, Wait};

struct Scripted {
    tries: Vec<Vec<Step>>,
    next: AtomicUsize,
    streams: bool,
    refusal: Option<CallError>,
}

impl Scripted {
    fn new(tries: Vec<Vec<Step>>) -> Self {
        Self { tries, next: AtomicUsize::new(0), streams: true, refusal: None }
    }
}

#[async_trait]
impl Provider for Scripted {
    async fn open(&self, _request: &ChatRequest) -> Result<Chunks, CallError> {
        let at = self.next.fetch_add(1, Ordering::Relaxed);
        if let Some(refusal) = &self.refusal {
            return Err(refusal.clone());
        }
        let steps = self.tries.get(at).or_else(|| self.tries.last()).cloned().unwrap_or_default();
        Ok(stream::iter(steps)
            .filter_map(|step| async move {
                match step {
                    Wait(ms) => {
                        sleep(Duration::from_millis(ms)).await;
                        None
                    }
                    Give(chunk) => Some(Ok(chunk)),
                    Fail(kind) => Some(Err(CallError::new(kind, "scripted"))),
                    Never => std::future::pending().await,
                }
            })
            .boxed())
    }

    async fn models(&self) -> Result<Vec<ModelInfo>, CallError> {
        Ok(Vec::new())
    }

    fn streams(&self) -> bool {
        self.streams
    }
}

#[derive(Default)]
struct Heard(Mutex<Vec<Chunk>>);

struct Ear<'a>(&'a Heard);

#[async_trait]
impl DeltaSink for Ear<'_> {
    async fn push(&mut self, chunk: &Chunk) {
        self.0.0.lock().unwrap().push(chunk.clone());
    }
}

fn request() -> ChatRequest {
    ChatRequest {
        model: "m".into(),
        messages: Vec::new(),
        purpose: Purpose::Answer,
        sampling: Sampling::default(),
        timeouts: Timeouts { first_token_ms: 1_000, idle_ms: 500, total_ms: 10_000 },
        seed: 1,
        schema: None,
    }
}

async fn call_with(provider: &Scripted, sink: &mut dyn DeltaSink, max: usize) -> Result<Reply, CallError> {
    let places = InFlight::new(1);
    let retry = RetryPolicy::default();
    let breaker = Breaker::new("gate");
    let caller = Caller {
        name: "gate",
        provider,
        places: &places,
        breaker: &breaker,
        retry: &retry,
        schema_refusals: &Refusals::default(),
        max_answer_bytes: max,
    };
    caller.call(&request(), sink).await
}

async fn call(provider: &Scripted) -> Result<Reply, CallError> {
    call_with(provider, &mut NoSink, 1 << 20).await
}

fn text(text: &str) -> Step {
    Give(Chunk::Text(text.into()))
}

fn stop() -> Step {
    Give(Chunk::Finish("stop".into()))
}

#[tokio::test(start_paused = true)]
async fn the_pieces_become_one_reply_with_its_times() {
    let usage = Usage { prompt_tokens: 1, ..Usage::default() };
    let provider = Scripted::new(vec![vec![
        Give(Chunk::ServedBy("m-2".into())),
        Wait(200),
        Give(Chunk::Reasoning("hm".into())),
        Wait(100),
        text("Hel"),
        text("lo"),
        stop(),
        Give(Chunk::Usage(usage)),
    ]]);
    let heard = Heard::default();
    let reply = call_with(&provider, &mut Ear(&heard), 100).await.unwrap();
    assert_eq!(
        reply,
        Reply {
            text: "Hello".into(),
            reasoning: Some("hm".into()),
            finish_reason: Some("stop".into()),
            usage: Some(usage),
            served_by: Some("m-2".into()),
            latency_ms: 300,
            ttft_ms: Some(200),
            tries: 1,
            ..Reply::default()
        }
    );
    assert_eq!(heard.0.lock().unwrap().len(), 6);
}

#[tokio::test(start_paused = true)]
async fn a_failure_before_the_first_token_is_tried_again() {
    let provider = Scripted::new(vec![
        vec![Fail(ErrorKind::Overloaded)],
        vec![Never],
        vec![Wait(50), text("x"), stop()],
    ]);
    let reply = call(&provider).await.unwrap();
    assert_eq!((reply.tries, reply.latency_ms), (3, 50), "earlier tries and pauses are no latency");
}

#[tokio::test(start_paused = true)]
async fn the_last_failure_is_reported_after_three_tries() {
    let error = call(&Scripted::new(vec![vec![Fail(ErrorKind::RateLimited)]])).await.unwrap_err();
    assert_eq!((error.kind, error.tries, error.partial), (ErrorKind::RateLimited, 3, None));
}

#[tokio::test(start_paused = true)]
async fn a_failure_after_a_token_is_final_and_keeps_what_came() {
    let provider = Scripted::new(vec![vec![text("half"), Fail(ErrorKind::Overloaded)]]);
    let error = call(&provider).await.unwrap_err();
    assert_eq!(error.tries, 1);
    assert_eq!(error.partial.unwrap().text, "half");
}

#[tokio::test(start_paused = true)]
async fn a_long_retry_after_ends_the_call_at_once() {
    let refusal =
        CallError { retry_after_ms: Some(60_000), ..CallError::new(ErrorKind::RateLimited, "later") };
    let provider = Scripted { refusal: Some(refusal), ..Scripted::new(Vec::new()) };
    let before = Instant::now();
    let error = call(&provider).await.unwrap_err();
    assert_eq!((error.tries, Instant::now()), (1, before));
}

#[tokio::test(start_paused = true)]
async fn a_short_retry_after_is_kept() {
    let refusal =
        CallError { retry_after_ms: Some(3_000), ..CallError::new(ErrorKind::RateLimited, "later") };
    let provider = Scripted { refusal: Some(refusal), ..Scripted::new(Vec::new()) };
    let before = Instant::now();
    assert_eq!(call(&provider).await.unwrap_err().tries, 3);
    assert!(before.elapsed() >= Duration::from_secs(6));
}

#[tokio::test(start_paused = true)]
async fn silence_before_the_first_token_is_a_timeout_of_each_try() {
    let before = Instant::now();
    let error = call(&Scripted::new(vec![vec![Never]])).await.unwrap_err();
    assert_eq!((error.kind, error.tries), (ErrorKind::Timeout, 3));
    assert_eq!(error.message, "gate: `m` sent no first token within 1 s");
    assert!(before.elapsed() >= Duration::from_secs(3));
}

#[tokio::test(start_paused = true)]
async fn what_is_about_the_reply_is_no_first_token() {
    let provider = Scripted::new(vec![vec![Give(Chunk::ServedBy("x".into())), Never]]);
    assert_eq!(call(&provider).await.unwrap_err().kind, ErrorKind::Timeout);
}

#[tokio::test(start_paused = true)]
async fn a_reply_in_one_piece_has_no_first_token_limit() {
    let provider = Scripted { streams: false, ..Scripted::new(vec![vec![Wait(9_000), text("x"), stop()]]) };
    assert_eq!(call(&provider).await.unwrap().latency_ms, 9_000);
}

#[tokio::test(start_paused = true)]
async fn a_stall_in_the_middle_is_a_timeout_that_keeps_what_came() {
    let before = Instant::now();
    let error = call(&Scripted::new(vec![vec![text("half"), Never]])).await.unwrap_err();
    assert_eq!((error.kind, error.tries), (ErrorKind::Timeout, 1));
    assert_eq!(error.partial.unwrap().text, "half");
    assert_eq!(before.elapsed(), Duration::from_millis(500));
}

#[tokio::test(start_paused = true)]
async fn a_finished_answer_is_not_lost_to_a_connection_left_open() {
    let reply = call(&Scripted::new(vec![vec![text("all"), stop(), Never]])).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.latency_ms), ("all", 0));
}

#[tokio::test(start_paused = true)]
async fn the_total_time_ends_a_talkative_answer() {
    let mut steps = Vec::new();
    for _ in 0..100 {
        steps.extend([text("x"), Wait(430)]);
    }
    let before = Instant::now();
    let error = call(&Scripted::new(vec![steps])).await.unwrap_err();
    assert_eq!((error.kind, before.elapsed()), (ErrorKind::Timeout, Duration::from_secs(10)));
    assert_eq!(error.partial.unwrap().text.len(), 24);
}

#[tokio::test(start_paused = true)]
async fn waiting_for_a_place_is_no_latency() {
    let provider = Scripted::new(vec![vec![Wait(900), text("x"), stop()]]);
    let (places, retry, breaker) = (InFlight::new(1), RetryPolicy::default(), Breaker::new("gate"));
    let caller = Caller {
        name: "gate",
        provider: &provider,
        places: &places,
        breaker: &breaker,
        retry: &retry,
        schema_refusals: &Refusals::default(),
        max_answer_bytes: 100,
    };
    let request = request();
    let (mut one, mut two) = (NoSink, NoSink);
    let (first, second) = tokio::join!(caller.call(&request, &mut one), caller.call(&request, &mut two));
    assert_eq!(first.unwrap().latency_ms, 900);
    let second = second.unwrap();
    assert_eq!((second.latency_ms, second.ttft_ms, second.tries), (900, Some(900), 1));
}

#[tokio::test(start_paused = true)]
async fn waiting_for_a_place_ends_with_the_total_time() {
    let provider = Scripted::new(vec![vec![text("x"), stop()]]);
    let (places, retry, breaker) = (InFlight::new(1), RetryPolicy::default(), Breaker::new("gate"));
    let taken = places.enter().await;
    let caller = Caller {
        name: "gate",
        provider: &provider,
        places: &places,
        breaker: &breaker,
        retry: &retry,
        schema_refusals: &Refusals::default(),
        max_answer_bytes: 100,
    };
    let error = caller.call(&request(), &mut NoSink).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Timeout);
    assert_eq!(provider.next.load(Ordering::Relaxed), 0, "nothing was asked");
    drop(taken);
}

#[tokio::test(start_paused = true)]
async fn an_answer_over_the_bound_is_cut_at_a_whole_character() {
    let provider = Scripted::new(vec![vec![text("12345678"), text("9ü"), text("more"), stop()]]);
    let error = call_with(&provider, &mut NoSink, 10).await.unwrap_err();
    assert_eq!((error.kind, error.tries), (ErrorKind::BadResponse, 1));
    assert_eq!(error.partial.unwrap().text, "123456789");
}

#[tokio::test(start_paused = true)]
async fn an_empty_answer_is_an_error_that_says_why() {
    for (finish, kind, words) in [
        ("stop", ErrorKind::BadResponse, "empty answer"),
        ("length", ErrorKind::BadResponse, "token limit"),
        ("content_filter", ErrorKind::Refused, "content filter"),
    ] {
        let provider = Scripted::new(vec![vec![
            Give(Chunk::Reasoning("hm".into())),
            text(" \n"),
            Give(Chunk::Finish(finish.into())),
        ]]);
        let error = call(&provider).await.unwrap_err();
        assert_eq!((error.kind, error.tries), (kind, 1));
        assert!(error.message.contains(words), "{}", error.message);
        assert_eq!(error.partial.unwrap().reasoning.as_deref(), Some("hm"));
    }
}

#[tokio::test(start_paused = true)]
async fn the_usage_of_a_failed_call_is_kept() {
    let usage = Usage { completion_tokens: 9, ..Usage::default() };
    let provider = Scripted::new(vec![vec![Give(Chunk::Usage(usage)), stop()]]);
    assert_eq!(call(&provider).await.unwrap_err().partial.unwrap().usage, Some(usage));
}

fn tool(index: u32, id: &str, name: &str, arguments: &str) -> Step {
    let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Give(Chunk::ToolCall { index, id: given(id), name: given(name), arguments: arguments.into() })
}

#[tokio::test(start_paused = true)]
async fn tool_calls_are_joined_by_index_and_are_an_answer() {
    let provider = Scripted::new(vec![vec![
        tool(1, "b", "g", "{"),
        tool(0, "", "f", "{\"q\":"),
        tool(1, "b", "g", "}"),
        tool(0, "", "", "1}"),
        Give(Chunk::Finish("tool_calls".into())),
    ]]);
    let call = |id: &str, name: &str, arguments: &str| ToolCall {
        id: id.into(),
        name: name.into(),
        arguments: arguments.into(),
    };
    let reply = super::tests::call(&provider).await.unwrap();
    assert_eq!(reply.tool_calls, [call("call_0", "f", "{\"q\":1}"), call("b", "g", "{}")]);
}

#[tokio::test(start_paused = true)]
async fn a_flood_of_tool_calls_is_an_error() {
    let steps = (0..200).map(|index| tool(index, "x", "f", "")).collect();
    let error = call(&Scripted::new(vec![steps])).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::BadResponse);
    assert_eq!(error.partial.unwrap().tool_calls.len(), MAX_TOOL_CALLS);
}

#[test]
fn reasoning_blocks_that_continue_each_other_are_joined() {
    let mut all = None;
    for piece in [
        json!([{"type": "reasoning.text", "text": "a", "index": 0, "signature": null}]),
        json!([{"type": "reasoning.text", "text": "b", "index": 0, "signature": "s"}]),
        json!([{"type": "reasoning.text", "text": "c", "index": 1}, {"type": "reasoning.encrypted", "data": "x"}]),
        json!([{"type": "reasoning.encrypted", "data": "y"}]),
    ] {
        add_details(&mut all, &piece);
    }
    assert_eq!(
        all,
        Some(json!([
            {"type": "reasoning.text", "text": "ab", "index": 0, "signature": "s"},
            {"type": "reasoning.text", "text": "c", "index": 1},
            {"type": "reasoning.encrypted", "data": "x"},
            {"type": "reasoning.encrypted", "data": "y"},
        ]))
    );
}

#[test]
fn reasoning_blocks_of_other_shapes_are_kept_as_they_came() {
    let joined = |pieces: &[Value]| {
        let mut all = None;
        pieces.iter().for_each(|piece| add_details(&mut all, piece));
        all.unwrap()
    };
    assert_eq!(joined(&[json!({"a": 1})]), json!({"a": 1}));
    assert_eq!(joined(&[json!("a"), json!("b")]), json!("ab"));
    assert_eq!(joined(&[json!({"a": 1}), json!({"b": 2}), json!(["c"])]), json!([{"a": 1}, {"b": 2}, "c"]));
}

/// The limits of one provider that several calls share.
struct Gate {
    places: InFlight,
    breaker: Breaker,
    retry: RetryPolicy,
    schema_refusals: Refusals,
}

impl Gate {
    fn new(places: usize) -> Self {
        Self {
            places: InFlight::new(places),
            breaker: Breaker::new("gate"),
            retry: RetryPolicy::default(),
            schema_refusals: Refusals::default(),
        }
    }

    async fn ask(&self, provider: &dyn Provider, request: &ChatRequest) -> Result<Reply, CallError> {
        let caller = Caller {
            name: "gate",
            provider,
            places: &self.places,
            breaker: &self.breaker,
            retry: &self.retry,
            schema_refusals: &self.schema_refusals,
            max_answer_bytes: 100,
        };
        caller.call(request, &mut NoSink).await
    }
}

fn of_model(model: &str) -> ChatRequest {
    ChatRequest { model: model.into(), ..request() }
}

fn fine() -> Scripted {
    Scripted::new(vec![vec![Wait(100), text("x"), Wait(300), stop()]])
}

fn asked(provider: &Scripted) -> usize {
    provider.next.load(Ordering::Relaxed)
}

#[tokio::test(start_paused = true)]
async fn waiting_for_a_place_counts_in_the_total_time_and_not_in_the_time_to_the_first_token() {
    let gate = Gate::new(1);
    let slow = Scripted::new(vec![vec![Wait(900), text("x"), stop()]]);
    let request = request();
    let calls: Vec<_> = (0..20).map(|_| gate.ask(&slow, &request)).collect();
    let before = Instant::now();
    let results = futures_util::future::join_all(calls).await;
    // Eleven fit into ten seconds, one after the other; each waited longer than its first token
    // may take. The twelfth is cut, the rest never get a place.
    let answered = results.iter().filter(|result| result.is_ok()).count();
    assert_eq!((answered, before.elapsed()), (11, Duration::from_secs(10)));
    assert_eq!(asked(&slow), 12);
    for error in results.iter().filter_map(|result| result.as_ref().err()) {
        assert_eq!(error.kind, ErrorKind::Timeout, "{error}");
    }
    assert!(gate.breaker.refusal("m").is_none(), "a full house is not the provider's failure");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_dropped_while_it_waits_for_a_place_leaves_the_queue() {
    let gate = Gate::new(1);
    let slow = fine();
    let taken = gate.places.enter().await;
    let request = request();
    let mut waiting = Box::pin(gate.ask(&slow, &request));
    assert!(futures_util::poll!(&mut waiting).is_pending());
    drop(waiting);
    drop(taken);
    gate.ask(&slow, &request).await.unwrap();
    assert_eq!(asked(&slow), 1);
}

#[tokio::test(start_paused = true)]
async fn a_model_that_fails_again_and_again_is_left_alone_and_then_probed_once() {
    let gate = Gate::new(9);
    let down = Scripted::new(vec![vec![Fail(ErrorKind::Overloaded)]]);
    let request = request();
    assert_eq!(gate.ask(&down, &request).await.unwrap_err().tries, 3);
    let second = gate.ask(&down, &request).await.unwrap_err();
    assert_eq!((second.tries, asked(&down)), (2, 5), "the retries stop with the fifth failure");

    let before = Instant::now();
    let refused = gate.ask(&down, &request).await.unwrap_err();
    assert_eq!((refused.kind, refused.tries, asked(&down)), (ErrorKind::Overloaded, 0, 5));
    assert_eq!(before.elapsed(), Duration::ZERO);
    assert_eq!(
        refused.message,
        "gate: `m` failed 5 times in a row, so it was not asked; it will be tried again in 5 s"
    );
    gate.ask(&fine(), &of_model("other")).await.unwrap();

    sleep(Duration::from_secs(5)).await;
    let (one, two) = tokio::join!(gate.ask(&down, &request), gate.ask(&down, &request));
    assert_eq!((one.unwrap_err().tries, two.unwrap_err().tries), (1, 0), "one probes, the other waits");
    assert_eq!(asked(&down), 6);

    sleep(Duration::from_secs(9)).await;
    assert_eq!(gate.ask(&down, &request).await.unwrap_err().tries, 0, "the time has doubled");
    sleep(Duration::from_secs(1)).await;
    let up = fine();
    let (one, two) = tokio::join!(gate.ask(&up, &request), gate.ask(&up, &request));
    assert_eq!((one.unwrap().latency_ms, two.unwrap().latency_ms), (400, 400));
    assert_eq!(gate.ask(&up, &request).await.unwrap().tries, 1);
}

#[tokio::test(start_paused = true)]
async fn those_who_wait_for_a_probe_go_on_with_its_first_token() {
    let gate = Gate::new(9);
    let down = Scripted::new(vec![vec![Never]]);
    let request = request();
    for _ in 0..2 {
        assert_eq!(gate.ask(&down, &request).await.unwrap_err().kind, ErrorKind::Timeout);
    }
    sleep(Duration::from_secs(5)).await;
    let up = fine();
    let before = Instant::now();
    let calls = (0..5).map(|_| gate.ask(&up, &request));
    assert!(futures_util::future::join_all(calls).await.iter().all(Result::is_ok));
    assert_eq!(before.elapsed(), Duration::from_millis(500), "100 ms for the probe, 400 ms for the others");
}

#[tokio::test(start_paused = true)]
async fn the_whole_council_is_asked_again_once_a_provider_is_back() {
    let gate = Gate::new(9);
    let down = Scripted::new(vec![vec![Fail(ErrorKind::Overloaded)]]);
    let members = ["a", "b", "c", "d"].map(of_model);
    let all = async |provider: &Scripted| {
        futures_util::future::join_all(members.iter().map(|member| gate.ask(provider, member))).await
    };
    assert!(all(&down).await.iter().all(Result::is_err));
    let tried = asked(&down);
    assert!(tried <= 12, "{tried}");
    let refused = gate.ask(&down, &of_model("never asked before")).await.unwrap_err();
    assert!(refused.message.starts_with("gate fails for one model after the other"), "{refused}");
    assert_eq!(asked(&down), tried);

    sleep(Duration::from_secs(5)).await;
    let probed = all(&down).await;
    assert_eq!(asked(&down), tried + 2, "two models probe, one after the other");
    assert!(probed.iter().all(Result::is_err));
    sleep(Duration::from_secs(10)).await;
    let up = fine();
    assert!(all(&up).await.iter().all(Result::is_ok));
    assert_eq!(asked(&up), 4);
}

#[tokio::test(start_paused = true)]
async fn a_call_in_the_queue_is_refused_when_the_circuit_opens() {
    let gate = Gate::new(1);
    let silent = Scripted::new(vec![vec![Never]]);
    let request = request();
    let calls = (0..20).map(|_| gate.ask(&silent, &request));
    let errors = futures_util::future::join_all(calls).await;
    assert_eq!(asked(&silent), 5);
    assert_eq!(errors.iter().filter(|error| error.as_ref().is_err_and(|error| error.tries == 0)).count(), 15);
}

#[tokio::test(start_paused = true)]
async fn a_rate_limit_is_waited_for_by_all_who_come_meanwhile() {
    let limited = CallError {
        status: Some(429),
        retry_after_ms: Some(2_000),
        ..CallError::new(ErrorKind::RateLimited, "slow down")
    };
    let refusing = Scripted { refusal: Some(limited), ..Scripted::new(vec![]) };
    let once = Gate { retry: RetryPolicy::NEVER, ..Gate::new(9) };
    let request = request();
    assert_eq!(once.ask(&refusing, &request).await.unwrap_err().kind, ErrorKind::RateLimited);
    let refused = once.ask(&refusing, &request).await.unwrap_err();
    assert_eq!(
        (refused.kind, refused.tries, refused.retry_after_ms),
        (ErrorKind::RateLimited, 0, Some(2_000))
    );

    let patient = Gate { retry: RetryPolicy::default(), ..once };
    let before = Instant::now();
    assert_eq!(patient.ask(&fine(), &request).await.unwrap().tries, 1);
    let took = before.elapsed();
    assert!(took >= Duration::from_secs(2) && took < Duration::from_secs(4), "{took:?}");
    assert_eq!(asked(&refusing), 1);
}

#[tokio::test(start_paused = true)]
async fn retries_stay_a_tenth_of_the_calls_beyond_a_small_reserve() {
    let gate = Gate::new(9);
    // Every second try fails: bad enough for retries, not for the breaker.
    let flaky = Scripted::new(
        (0..10_000)
            .map(|i| if i % 2 == 0 { vec![Fail(ErrorKind::Overloaded)] } else { vec![text("x"), stop()] })
            .collect(),
    );
    let request = request();
    // One retry in each call until the reserve is used up; then calls succeed and fail in turn.
    for _ in 0..200 {
        let _either = gate.ask(&flaky, &request).await;
    }
    let retries = asked(&flaky) - 200;
    // What came back by itself in the pauses is below one.
    assert!((10..=31).contains(&retries), "{retries} retries for 200 calls");
}

/// Refuses every request with a schema, and more if so scripted.
struct Plain {
    refusal: CallError,
    /// The schemas sent, in order.
    sent: Mutex<Vec<bool>>,
    refuses_all: bool,
}

impl Plain {
    fn new(status: u16, kind: ErrorKind) -> Self {
        let refusal = CallError { status: Some(status), ..CallError::new(kind, "no response_format") };
        Self { refusal, sent: Mutex::default(), refuses_all: false }
    }

    fn sent(&self) -> Vec<bool> {
        std::mem::take(&mut self.sent.lock().unwrap())
    }
}

#[async_trait]
impl Provider for Plain {
    async fn open(&self, request: &ChatRequest) -> Result<Chunks, CallError> {
        self.sent.lock().unwrap().push(request.schema.is_some());
        if self.refuses_all || request.schema.is_some() {
            return Err(self.refusal.clone());
        }
        let chunks = [Chunk::Text("x".into()), Chunk::Finish("stop".into())];
        Ok(stream::iter(chunks.map(Ok)).boxed())
    }

    async fn models(&self) -> Result<Vec<ModelInfo>, CallError> {
        Ok(Vec::new())
    }
}

fn with_schema() -> ChatRequest {
    ChatRequest { schema: Some(Schema::new("verdict", json!({"type": "object"}))), ..request() }
}

#[tokio::test(start_paused = true)]
async fn a_schema_that_is_refused_is_left_out_at_once_and_that_is_remembered() {
    for status in [400, 422] {
        let (gate, plain) =
            (Gate { retry: RetryPolicy::NEVER, ..Gate::new(1) }, Plain::new(status, ErrorKind::Refused));
        let before = Instant::now();
        let reply = gate.ask(&plain, &with_schema()).await.unwrap();
        assert_eq!((reply.tries, before.elapsed()), (2, Duration::ZERO));
        assert_eq!(plain.sent(), [true, false]);
        assert!(gate.schema_refusals.holds(&request().model));
    }
}

#[tokio::test(start_paused = true)]
async fn a_refusal_that_is_not_about_the_schema_is_not_blamed_on_it() {
    let gate = Gate::new(1);
    let refusing = Plain { refuses_all: true, ..Plain::new(400, ErrorKind::Refused) };
    let error = gate.ask(&refusing, &with_schema()).await.unwrap_err();
    assert_eq!((error.tries, refusing.sent()), (2, vec![true, false]));
    for (status, kind) in
        [(400, ErrorKind::ContextTooLong), (404, ErrorKind::Refused), (401, ErrorKind::Auth)]
    {
        let refusing = Plain::new(status, kind);
        assert_eq!(gate.ask(&refusing, &with_schema()).await.unwrap_err().kind, kind);
        assert_eq!(refusing.sent(), [true], "{status}");
    }
    assert!(!gate.schema_refusals.holds(&request().model));
}
