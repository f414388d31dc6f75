//! What a token costs on its way through the program, step by step. Every figure stands beside that of a well-known
//! operation, measured in the same run on the same bytes, so that the ratios mean the same on any machine: `cargo bench
//! --bench hot_paths`.

use std::collections::HashSet;
use std::hint::black_box;
use std::time::{Duration, Instant};

use bytes::Bytes;
use llm_council::council::Token;
use llm_council::council::token::TokenHead;
use llm_council::id::{ConversationId, MessageId, RunId, UserId};
use llm_council::llm::bench::{count_events, read_reply};
use llm_council::runs::frame::{Frame, encode_token, from_log, to_log};
use llm_council::runs::live::{LiveRun, Recent};
use serde_json::{Value, json};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Tokens of one measured piece of work.
const TOKENS: usize = 1_000;
const SAMPLES: usize = 60;
/// How long one sample takes at least.
const SAMPLE: Duration = Duration::from_millis(5);

fn main() {
    println!(
        "nanoseconds per token; the least and the median of {SAMPLES} samples; `×` is the ratio of the least\n"
    );
    upstream();
    encoding();
    log_lines();
    fan_out();
}

/// Nanoseconds per token of a piece of work over [`TOKENS`] tokens: the least and the median.
fn measure<T>(mut work: impl FnMut() -> T) -> (f64, f64) {
    let mut once = || {
        let began = Instant::now();
        black_box(work());
        began.elapsed()
    };
    once();
    let mut samples: Vec<f64> = (0..SAMPLES)
        .map(|_| {
            let (mut spent, mut times) = (Duration::ZERO, 0.0);
            while spent < SAMPLE {
                spent += once();
                times += 1.0;
            }
            spent.as_secs_f64() * 1e9 / times / TOKENS as f64
        })
        .collect();
    samples.sort_unstable_by(f64::total_cmp);
    (samples[0], samples[SAMPLES / 2])
}

fn group(title: &str, reference: (&str, (f64, f64)), others: &[(&str, (f64, f64))]) {
    println!("{title}");
    let (_, (base, _)) = reference;
    for (name, (least, median)) in [reference].iter().chain(others) {
        println!("  {name:<52} {least:>9.1} {median:>9.1} {:>8.1} ×", least / base);
    }
    println!();
}

/// What comes from a model, one event in one piece as it comes from the network.
fn upstream() {
    let events: Vec<String> = (0..TOKENS)
        .map(|n| {
            format!(
                "data: {{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"openai/gpt-5.1\",\
                 \"choices\":[{{\"index\":0,\"delta\":{{\"role\":\"assistant\",\"content\":\" word{n}\"}},\
                 \"finish_reason\":null,\"logprobs\":null}}]}}\n\n"
            )
        })
        .collect();
    let pieces: Vec<&[u8]> = events.iter().map(String::as_bytes).collect();
    let json: Vec<&str> = events.iter().map(|event| event.trim_start_matches("data: ").trim_end()).collect();
    assert_eq!(count_events(&pieces), TOKENS);
    assert_eq!(read_reply(&pieces).expect("a good reply"), TOKENS + 1, "the tokens and the model's name");
    group(
        "upstream: bytes to chunks",
        ("copying the bytes", measure(|| pieces.iter().map(|piece| piece.to_vec()).collect::<Vec<_>>())),
        &[
            ("the event stream taken apart", measure(|| count_events(&pieces))),
            (
                "serde_json::Value of each event, for comparison",
                measure(|| {
                    let values = json.iter().map(|text| serde_json::from_str::<serde_json::Value>(text));
                    values.filter(Result::is_ok).count()
                }),
            ),
            ("all of it: bytes to chunks", measure(|| read_reply(&pieces).expect("a good reply"))),
        ],
    );
}

fn tokens(text: &str) -> Vec<Token> {
    let fields = json!({"model": "openai/gpt-5.1", "member": "openai/gpt-5.1"});
    let head = TokenHead::new("stage1_token", &fields);
    (0..TOKENS).map(|n| head.token(format!(" {text}{n}"))).collect()
}

fn encoding() {
    let (plain, foreign) = (tokens("word"), tokens("größer"));
    let values: Vec<Value> =
        plain.iter().filter_map(|token| serde_json::from_str(&token.json()).ok()).collect();
    group(
        "encoding: an event to the bytes that go out",
        (
            "serde_json::to_vec of the same event",
            measure(|| values.iter().filter_map(|event| serde_json::to_vec(event).ok()).collect::<Vec<_>>()),
        ),
        &[
            ("frame::encode_token, ASCII", measure(|| plain.iter().map(encode_token).collect::<Vec<_>>())),
            (
                "frame::encode_token, with umlauts",
                measure(|| foreign.iter().map(encode_token).collect::<Vec<_>>()),
            ),
        ],
    );
}

fn frames() -> Vec<Frame> {
    let numbered = (1u64..).zip(tokens("word").iter().map(encode_token).collect::<Vec<_>>());
    numbered.map(|(seq, json)| Frame::encoded(seq, "", json, false)).collect()
}

fn log_lines() {
    let frames = frames();
    let text = to_log(&frames);
    group(
        "log: frames to the database and back",
        ("copying the text", measure(|| black_box(&text).clone())),
        &[
            ("to_log", measure(|| to_log(&frames))),
            ("from_log", measure(|| from_log(&text).flatten().count())),
        ],
    );
}

fn fan_out() {
    let tokens = tokens("word");
    let json: Vec<Bytes> = frames().into_iter().map(|frame| frame.json).collect();
    let plain = measure(|| json.to_vec());
    let together = measure(|| {
        let run = live_run();
        for token in &tokens {
            run.append_token("stage1/one", token.clone());
        }
        run.take().frames.len()
    });
    let with_readers = |readers: usize| {
        measure(|| {
            let run = live_run();
            let mut places = vec![0u64; readers];
            let mut seen = 0;
            for token in &tokens {
                run.append_token("stage1/one", token.clone());
                for place in &mut places {
                    if let Recent::Frames(frames) = run.recent(*place) {
                        *place = frames.last().map_or(*place, |frame| frame.seq);
                        seen += frames.len();
                    }
                }
            }
            assert_eq!(seen, readers * TOKENS, "every reader has every event");
        })
    };
    group(
        "fan-out: a token into the run, and to every reader at once",
        ("cloning the same Bytes into a Vec", plain),
        &[
            ("append, nobody reads: all become one event", together),
            ("append, 1 reader", with_readers(1)),
            ("append, 10 readers", with_readers(10)),
            ("append, 100 readers", with_readers(100)),
        ],
    );
}

fn live_run() -> LiveRun {
    let ids = (RunId::generate(), ConversationId::generate(), MessageId::generate());
    LiveRun::new(ids, UserId::from_canonical("reader"), 1, 0, HashSet::new())
}
