//! What the calls of one provider share: its slots, its breaker, and what it refused.

use std::sync::atomic::AtomicBool;

use super::super::super::{ChatMessage, Sampling};
use super::*;

/// The limits of one provider that several calls share.
pub(super) struct Gate {
    places: InFlight,
    breaker: Breaker,
    retry: RetryPolicy,
    schema_refusals: Refusals,
    tool_refusals: Refusals,
}

impl Gate {
    pub fn new(places: usize) -> Self {
        Self {
            places: InFlight::new(places),
            breaker: Breaker::new("gate"),
            retry: RetryPolicy::default(),
            schema_refusals: Refusals::default(),
            tool_refusals: Refusals::default(),
        }
    }

    pub async fn ask(&self, provider: &dyn Provider, request: &ChatRequest) -> Result<Reply, CallError> {
        let caller = Caller {
            name: "gate",
            watch: &CallWatch::begin("gate", "m", "chat"),
            provider,
            places: &self.places,
            breaker: &self.breaker,
            retry: &self.retry,
            schema_refusals: &self.schema_refusals,
            tool_refusals: &self.tool_refusals,
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
    let taken = gate.places.acquire().await;
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
    for tries in [2, 2, 1] {
        let error = gate.ask(&down, &request).await.unwrap_err();
        assert_eq!((error.kind, error.tries), (ErrorKind::Timeout, tries));
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
async fn a_long_wait_that_a_provider_asked_for_is_waited_for_by_nobody() {
    let limited = CallError {
        status: Some(429),
        retry_after_ms: Some(200_000),
        ..CallError::new(ErrorKind::RateLimited, "slow down")
    };
    let refusing = Scripted { refusal: Some(limited), ..Scripted::new(vec![]) };
    let gate = Gate::new(9);
    let request = request();
    let patience = ChatRequest { timeouts: Timeouts::default(), ..request.clone() };
    let before = Instant::now();
    let first = gate.ask(&refusing, &patience).await.unwrap_err();
    assert_eq!((first.kind, first.tries), (ErrorKind::RateLimited, 1));
    assert_eq!(first.message, "slow down; it asked to wait 200 s, and a call waits 30 s at most");
    let second = gate.ask(&refusing, &patience).await.unwrap_err();
    assert_eq!((second.kind, second.tries), (ErrorKind::RateLimited, 0));
    assert!(
        second.message.ends_with("it will be tried again in 200 s, and a call waits 30 s at most"),
        "{second}"
    );
    assert_eq!((before.elapsed(), asked(&refusing)), (Duration::ZERO, 1));

    sleep(Duration::from_secs(175)).await;
    let up = fine();
    assert_eq!(gate.ask(&up, &patience).await.unwrap().tries, 1, "25 s are short enough");
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
    // The reserve refilled by less than one retry in the pauses.
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

/// Refuses every request with a temperature in these words, and answers the others.
struct Temperate {
    words: &'static str,
    /// The temperature of each request, in order, and whether it had a schema.
    sent: Mutex<Vec<(Option<f64>, bool)>>,
}

#[async_trait]
impl Provider for Temperate {
    async fn open(&self, request: &ChatRequest) -> Result<Chunks, CallError> {
        let temperature = request.sampling.temperature;
        self.sent.lock().unwrap().push((temperature, request.schema.is_some()));
        if temperature.is_some() {
            let error = CallError::new(ErrorKind::Refused, self.words);
            return Err(CallError { status: Some(400), ..error });
        }
        let chunks = [Chunk::Text("x".into()), Chunk::Finish("stop".into())];
        Ok(stream::iter(chunks.map(Ok)).boxed())
    }

    async fn models(&self) -> Result<Vec<ModelInfo>, CallError> {
        Ok(Vec::new())
    }
}

fn with_temperature(asking: ChatRequest) -> ChatRequest {
    ChatRequest { sampling: Sampling { temperature: Some(0.2), max_tokens: None }, ..asking }
}

#[tokio::test(start_paused = true)]
async fn a_temperature_that_a_model_does_not_take_is_left_out_at_once_and_nothing_else() {
    for words in [
        "`temperature` is deprecated for this model.",
        "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
        "gpt-5 models don't support temperature=0.2. Only temperature=1 is supported.",
        "invalid temperature: only 1 is allowed for this model",
    ] {
        let gate = Gate { retry: RetryPolicy::NEVER, ..Gate::new(1) };
        let provider = Temperate { words, sent: Mutex::default() };
        let before = Instant::now();
        let reply = gate.ask(&provider, &with_temperature(with_schema())).await.unwrap();
        assert_eq!((reply.tries, before.elapsed()), (2, Duration::ZERO), "{words}");
        assert_eq!(*provider.sent.lock().unwrap(), [(Some(0.2), true), (None, true)], "{words}");
        assert!(!gate.schema_refusals.holds(&request().model), "{words}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_temperature_that_is_out_of_range_stays_refused() {
    let words = "temperature: Input should be less than or equal to 1.5";
    let provider = Temperate { words, sent: Mutex::default() };
    let error = Gate::new(1).ask(&provider, &with_temperature(request())).await.unwrap_err();
    assert_eq!((error.kind, error.tries), (ErrorKind::Refused, 1));
    assert_eq!(*provider.sent.lock().unwrap(), [(Some(0.2), false)]);
}

/// Limits the rate of the first request without a temperature, refuses those with one a moment later, and answers all
/// others.
#[derive(Default)]
struct Busy {
    is_limited: AtomicBool,
    /// Of each other request, whether it had a temperature and whether it had a schema.
    sent: Mutex<Vec<(bool, bool)>>,
}

#[async_trait]
impl Provider for Busy {
    async fn open(&self, request: &ChatRequest) -> Result<Chunks, CallError> {
        let refusal = |kind, status, words| CallError { status: Some(status), ..CallError::new(kind, words) };
        let has_temperature = request.sampling.temperature.is_some();
        if !has_temperature && !self.is_limited.swap(true, Ordering::Relaxed) {
            let limited = refusal(ErrorKind::RateLimited, 429, "slow down");
            return Err(CallError { retry_after_ms: Some(2_000), ..limited });
        }
        self.sent.lock().unwrap().push((has_temperature, request.schema.is_some()));
        if has_temperature {
            sleep(Duration::from_millis(100)).await;
            return Err(refusal(ErrorKind::Refused, 400, "`temperature` is deprecated for this model."));
        }
        let chunks = [Chunk::Text("x".into()), Chunk::Finish("stop".into())];
        Ok(stream::iter(chunks.map(Ok)).boxed())
    }

    async fn models(&self) -> Result<Vec<ModelInfo>, CallError> {
        Ok(Vec::new())
    }
}

#[tokio::test(start_paused = true)]
async fn a_rate_limit_is_waited_for_also_by_a_call_that_has_left_out_its_temperature() {
    let (gate, busy) = (Gate::new(9), Busy::default());
    let (refused, limited) = (with_temperature(with_schema()), request());
    let before = Instant::now();
    let (refused, limited) = tokio::join!(gate.ask(&busy, &refused), gate.ask(&busy, &limited));
    assert_eq!((refused.unwrap().tries, limited.unwrap().tries), (2, 2));
    assert!(before.elapsed() >= Duration::from_secs(2));
    let mut sent = busy.sent.lock().unwrap().clone();
    sent.sort_unstable();
    assert_eq!(sent, [(false, false), (false, true), (true, true)], "the schema was not what was refused");
    assert!(!gate.schema_refusals.holds(&request().model));
}

/// Refuses every request with tools in these words, and answers the others.
struct Toolless {
    status: u16,
    words: &'static str,
    /// The requests sent, in order.
    sent: Mutex<Vec<ChatRequest>>,
}

impl Toolless {
    fn new(status: u16, words: &'static str) -> Self {
        Self { status, words, sent: Mutex::default() }
    }

    fn offered(&self) -> Vec<usize> {
        self.sent.lock().unwrap().iter().map(|request| request.tools.len()).collect()
    }
}

#[async_trait]
impl Provider for Toolless {
    async fn open(&self, request: &ChatRequest) -> Result<Chunks, CallError> {
        self.sent.lock().unwrap().push(request.clone());
        if !request.tools.is_empty() {
            let error = CallError::new(ErrorKind::Refused, self.words);
            return Err(CallError { status: Some(self.status), ..error });
        }
        let chunks = [Chunk::Text("x".into()), Chunk::Finish("stop".into())];
        Ok(stream::iter(chunks.map(Ok)).boxed())
    }

    async fn models(&self) -> Result<Vec<ModelInfo>, CallError> {
        Ok(Vec::new())
    }
}

#[tokio::test(start_paused = true)]
async fn tools_that_are_refused_are_left_out_at_once_and_that_is_remembered() {
    let called = ToolCall { id: "a".into(), name: "search_web".into(), arguments: "{}".into() };
    let messages = vec![
        ChatMessage::user("Why?"),
        ChatMessage::calling("", vec![called], None),
        ChatMessage::tool("a", "found"),
    ];
    let asking = ChatRequest { tools: vec![search()], messages, ..request() };
    for (status, words, learned) in [
        (404, "No endpoints found that support tool use", true),
        (400, "this model does not support tools", true),
        (400, "Failed to call a function. Please adjust your prompt.", false),
    ] {
        let gate = Gate { retry: RetryPolicy::NEVER, ..Gate::new(1) };
        let provider = Toolless::new(status, words);
        let before = Instant::now();
        let reply = gate.ask(&provider, &asking).await.unwrap();
        assert_eq!((reply.tries, before.elapsed(), reply.tools_refused), (2, Duration::ZERO, true));
        assert_eq!(provider.offered(), [1, 0]);
        assert_eq!(gate.tool_refusals.holds(&request().model), learned, "{words}");
        let told = provider.sent.lock().unwrap()[1].messages.clone();
        assert!(told.iter().all(|message| message.tool_calls.is_empty() && message.tool_call_id.is_none()));
        assert!(told.last().is_some_and(|message| message.content.whole().contains("found")));
    }
}

#[tokio::test(start_paused = true)]
async fn a_refusal_that_does_not_name_tools_is_not_answered_with_another_call() {
    let gate = Gate::new(1);
    let provider = Toolless::new(400, "temperature is out of range");
    let asking = ChatRequest { tools: vec![search()], ..request() };
    assert_eq!(gate.ask(&provider, &asking).await.unwrap_err().kind, ErrorKind::Refused);
    assert_eq!(provider.offered(), [1]);
    assert!(!gate.tool_refusals.holds(&request().model));
}
