//! On tokio's paused clock: time passes only when everything waits for it, so the tests take none.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use futures_util::stream;
use serde_json::json;

use super::super::chat_completions::ReplyReader;
use super::super::purpose::ANY;
use super::super::reply::Usage;
use super::super::upstream_error::ErrorContext;
use super::super::{Chunks, ModelInfo, NoSink, Schema, Tool};
use super::*;

#[path = "assemble_sharing_tests.rs"]
mod sharing;
#[path = "assemble_tools_tests.rs"]
mod tools;

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
struct Received(Mutex<Vec<Chunk>>);

struct RecordingSink<'a>(&'a Received);

#[async_trait]
impl DeltaSink for RecordingSink<'_> {
    async fn push(&mut self, chunk: &Chunk) {
        self.0.0.lock().unwrap().push(chunk.clone());
    }
}

fn request() -> ChatRequest {
    ChatRequest {
        timeouts: Timeouts { first_token_ms: 1_000, idle_ms: 500, total_ms: 10_000 },
        seed: 1,
        ..ChatRequest::new("m", &ANY, Vec::new())
    }
}

async fn call_with(provider: &Scripted, sink: &mut dyn DeltaSink, max: usize) -> Result<Reply, CallError> {
    send(provider, &request(), sink, max).await
}

async fn send(
    provider: &Scripted,
    request: &ChatRequest,
    sink: &mut dyn DeltaSink,
    max: usize,
) -> Result<Reply, CallError> {
    let places = InFlight::new(1);
    let retry = RetryPolicy::default();
    let breaker = Breaker::new("gate");
    let caller = Caller {
        name: "gate",
        watch: &CallWatch::begin("gate", "m", "chat"),
        provider,
        places: &places,
        breaker: &breaker,
        retry: &retry,
        schema_refusals: &Refusals::default(),
        tool_refusals: &Refusals::default(),
        max_answer_bytes: max,
    };
    caller.call(request, sink).await
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

fn search() -> Tool {
    Tool { name: "search_web".into(), description: "Searches.".into(), parameters: json!({"type": "object"}) }
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
    let received = Received::default();
    let reply = call_with(&provider, &mut RecordingSink(&received), 100).await.unwrap();
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
    assert_eq!(received.0.lock().unwrap().len(), 6);
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
async fn a_silent_model_is_asked_twice() {
    let before = Instant::now();
    let error = call(&Scripted::new(vec![vec![Never]])).await.unwrap_err();
    assert_eq!((error.kind, error.tries), (ErrorKind::Timeout, 2));
    assert_eq!(error.message, "gate: `m` sent no first token within 1 s");
    let took = before.elapsed();
    assert!(took >= Duration::from_secs(2) && took < Duration::from_secs(3), "{took:?}");
}

#[test]
fn a_silent_model_costs_two_minutes_at_most_unless_told_otherwise() {
    assert_eq!(Timeouts::default().first_token_ms, 60_000);
}

#[tokio::test(start_paused = true)]
async fn a_silence_beside_other_failures_leaves_the_third_try() {
    let provider =
        Scripted::new(vec![vec![Fail(ErrorKind::Overloaded)], vec![Never], vec![text("x"), stop()]]);
    assert_eq!(call(&provider).await.unwrap().tries, 3);
    let provider = Scripted::new(vec![vec![Never], vec![Fail(ErrorKind::Overloaded)], vec![Never]]);
    assert_eq!(call(&provider).await.unwrap_err().tries, 3);
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
async fn a_finished_answer_is_not_lost_to_the_total_time() {
    let mut steps = Vec::new();
    for _ in 0..23 {
        steps.extend([text("x"), Wait(430)]);
    }
    steps.extend([stop(), Never]);
    assert_eq!(call(&Scripted::new(vec![steps])).await.unwrap().text.len(), 23);
}

#[tokio::test(start_paused = true)]
async fn a_reason_to_stop_beside_every_piece_does_not_end_an_answer() {
    let cut = Scripted::new(vec![vec![text("a"), stop(), Wait(400), text("b"), stop(), Never]]);
    let error = call(&cut).await.unwrap_err();
    assert_eq!((error.kind, error.partial.unwrap().text.as_str()), (ErrorKind::Timeout, "ab"));

    let thought = || Give(Chunk::Reasoning("hm".into()));
    let provider = Scripted::new(vec![vec![
        thought(),
        stop(),
        Wait(7_000),
        thought(),
        stop(),
        Wait(7_000),
        text("Yes"),
        stop(),
        Wait(7_000),
        text("."),
        stop(),
    ]]);
    let timeouts = Timeouts { first_token_ms: 1_000, idle_ms: 8_000, total_ms: 60_000 };
    let request = ChatRequest { timeouts, ..request() };
    let reply = send(&provider, &request, &mut NoSink, 100).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.reasoning.as_deref()), ("Yes.", Some("hmhm")));
}

#[tokio::test(start_paused = true)]
async fn half_a_character_before_a_reason_to_stop_does_not_keep_an_answer_open() {
    let context = ErrorContext { provider: "gate".into(), model: "m".into(), secrets: Default::default() };
    let (mut reader, mut chunks) = (ReplyReader::new(context), Vec::new());
    for piece in [
        r#"{"choices":[{"delta":{"content":"all\ud83d"}}]}"#,
        r#"{"choices":[{"delta":{},"finish_reason":"length"}]}"#,
    ] {
        reader.read_event(piece, &mut chunks).unwrap();
    }
    let left_open = chunks.into_iter().map(Give).chain([Never]).collect();
    assert_eq!(call(&Scripted::new(vec![left_open])).await.unwrap().text, "all\u{fffd}");
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
        watch: &CallWatch::begin("gate", "m", "chat"),
        provider: &provider,
        places: &places,
        breaker: &breaker,
        retry: &retry,
        schema_refusals: &Refusals::default(),
        tool_refusals: &Refusals::default(),
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
    let taken = places.acquire().await;
    let caller = Caller {
        name: "gate",
        watch: &CallWatch::begin("gate", "m", "chat"),
        provider: &provider,
        places: &places,
        breaker: &breaker,
        retry: &retry,
        schema_refusals: &Refusals::default(),
        tool_refusals: &Refusals::default(),
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
    let kept = error.partial.unwrap();
    assert_eq!((&*kept.text, kept.finish_reason.as_deref()), ("123456789", Some("length")));
}

#[tokio::test(start_paused = true)]
async fn an_empty_answer_is_an_error_that_says_why() {
    for (finish, kind, words) in [
        ("stop", ErrorKind::BadResponse, "wrote no answer"),
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
async fn thoughts_at_the_beginning_of_the_text_are_reasoning() {
    let provider = Scripted::new(vec![vec![
        Wait(100),
        text("<thi"),
        Wait(100),
        text("nk>\nhm</th"),
        text("ink>\n\nYes"),
        text(" <think>."),
        stop(),
    ]]);
    let received = Received::default();
    let reply = call_with(&provider, &mut RecordingSink(&received), 100).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.reasoning.as_deref()), ("Yes <think>.", Some("hm")));
    assert_eq!((reply.ttft_ms, reply.latency_ms), (Some(100), 200), "a tag is a token");
    let (text, thought) = (|text: &str| Chunk::Text(text.into()), Chunk::Reasoning("hm".into()));
    let shown = [thought, text("Yes"), text(" <think>."), Chunk::Finish("stop".into())];
    assert_eq!(*received.0.lock().unwrap(), shown);
}

#[tokio::test(start_paused = true)]
async fn a_text_that_turns_out_to_be_thoughts_is_no_part_of_the_answer() {
    let steps = vec![text("Hm"), text(".\n</th"), text("ink>\n\nYes"), text("."), stop()];
    let received = Received::default();
    let provider = Scripted::new(vec![steps]);
    let reply = call_with(&provider, &mut RecordingSink(&received), 100).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.reasoning.as_deref()), ("Yes.", Some("Hm.\n")));
    let text = |text: &str| Chunk::Text(text.into());
    let rest = Chunk::TextWasReasoning(String::new());
    let shown = [text("Hm"), text(".\n"), rest, text("Yes"), text("."), Chunk::Finish("stop".into())];
    assert_eq!(*received.0.lock().unwrap(), shown);
    let long = call_with(&provider, &mut NoSink, 6).await.unwrap_err().partial.unwrap();
    assert_eq!((long.text.as_str(), long.reasoning.as_deref()), ("Ye", Some("Hm.\n")), "one bound for both");
}

#[tokio::test(start_paused = true)]
async fn thoughts_without_an_answer_are_a_failure_that_keeps_them() {
    for (steps, kept) in [
        (vec![text("Hm.\n</think>"), stop()], "Hm.\n"),
        (vec![text("<think>hm"), text(" </thin"), stop()], "hm </thin"),
        (vec![text("<think>hm</think>\n"), stop()], "hm"),
    ] {
        let error = call(&Scripted::new(vec![steps])).await.unwrap_err();
        assert!(error.message.contains("reasoned and then wrote no answer"), "{}", error.message);
        let partial = error.partial.unwrap();
        assert_eq!((partial.text.as_str(), partial.reasoning.as_deref()), ("", Some(kept)));
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_held_back_as_a_possible_tag_is_kept() {
    let received = Received::default();
    let whole = Scripted::new(vec![vec![text(" <th"), stop()]]);
    let reply = call_with(&whole, &mut RecordingSink(&received), 100).await.unwrap();
    assert_eq!(reply.text, " <th");
    assert!(received.0.lock().unwrap().contains(&Chunk::Text(" <th".into())));
    let cut = call(&Scripted::new(vec![vec![text("<"), Fail(ErrorKind::Overloaded)]])).await.unwrap_err();
    assert_eq!((cut.tries, cut.partial.unwrap().text.as_str()), (1, "<"));
    let silent = call(&Scripted::new(vec![vec![text("<"), Never]])).await.unwrap_err();
    assert_eq!((silent.kind, silent.partial.unwrap().text.as_str()), (ErrorKind::Timeout, "<"));
    let long = call_with(&Scripted::new(vec![vec![text("<t"), stop()]]), &mut NoSink, 1).await.unwrap_err();
    assert_eq!((long.kind, long.partial.unwrap().text.as_str()), (ErrorKind::BadResponse, "<"));
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_nobody_sees_is_empty() {
    let error = call(&Scripted::new(vec![vec![text("\u{200b}\n\u{feff}"), stop()]])).await.unwrap_err();
    assert!(error.message.contains("empty answer"), "{}", error.message);
}

#[tokio::test(start_paused = true)]
async fn the_usage_of_a_failed_call_is_kept() {
    let usage = Usage { completion_tokens: 9, ..Usage::default() };
    let provider = Scripted::new(vec![vec![Give(Chunk::Usage(usage)), stop()]]);
    assert_eq!(call(&provider).await.unwrap_err().partial.unwrap().usage, Some(usage));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_reached_a_model_says_so_even_when_nothing_came() {
    let finish = |reason: &str| Give(Chunk::Finish(reason.into()));
    for (what, steps) in [
        ("silence", vec![Never]),
        ("silence after its model was named", vec![Give(Chunk::ServedBy("m-2".into())), Never]),
        ("an empty answer", vec![stop()]),
        ("an answer that was held back", vec![finish("content_filter")]),
    ] {
        let error = call(&Scripted::new(vec![steps])).await.unwrap_err();
        assert!(error.reached, "{what}: {error:?}");
        assert_eq!(error.partial.unwrap().text, "", "{what}");
    }
    let whole = Scripted { streams: false, ..Scripted::new(vec![vec![Never]]) };
    let error = call(&whole).await.unwrap_err();
    assert!(error.reached && error.partial.is_some(), "a reply in one piece that never came: {error:?}");

    let refused = call(&Scripted::new(vec![vec![Fail(ErrorKind::Overloaded)]])).await.unwrap_err();
    assert_eq!((refused.reached, refused.partial), (false, None), "an error in the place of an answer");
    let silent_then_refused = Scripted::new(vec![vec![Never], vec![Fail(ErrorKind::Refused)]]);
    assert!(call(&silent_then_refused).await.unwrap_err().reached, "one of its tries did");
}

#[tokio::test(start_paused = true)]
async fn a_call_is_sent_once_it_has_its_place() {
    struct CountingSink(usize);
    #[async_trait]
    impl DeltaSink for CountingSink {
        fn sent(&mut self) {
            self.0 += 1;
        }
        async fn push(&mut self, _: &Chunk) {}
    }
    let (places, breaker) = (InFlight::new(1), Breaker::new("gate"));
    let provider = Scripted::new(vec![vec![Fail(ErrorKind::Overloaded)], vec![text("x"), stop()]]);
    let caller = Caller {
        name: "gate",
        watch: &CallWatch::begin("gate", "m", "chat"),
        provider: &provider,
        places: &places,
        breaker: &breaker,
        retry: &RetryPolicy::default(),
        schema_refusals: &Refusals::default(),
        tool_refusals: &Refusals::default(),
        max_answer_bytes: 100,
    };
    let taken = places.acquire().await;
    let mut sink = CountingSink(0);
    let error = caller.call(&request(), &mut sink).await.unwrap_err();
    assert_eq!((error.kind, error.reached, sink.0), (ErrorKind::Timeout, false, 0));
    drop(taken);
    caller.call(&request(), &mut sink).await.unwrap();
    assert_eq!(sink.0, 2, "with each try");
}
