//! Whole runs: of a number of users, each with one run after the other, or at a fixed rate.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use tokio::task::JoinSet;
use uuid::Uuid;

use super::cli::{By, Cli, LiveFlags, ModelFlags, RunsFlags};
use super::client::{End, Events, Seen, conversation};
use super::http::Connection;
use super::models::Counts;
use super::report::{Report, Target, quantile};
use super::test_bed::TestBed;
use super::window::Window;

/// One after the other: answers, reviews, synthesis. The title is asked for beside them.
const STAGES: u32 = 3;

struct User {
    number: usize,
    name: String,
    conversations: Vec<String>,
}

/// Runs the scenario.
pub async fn measure(cli: &Cli, server: &Path, flags: RunsFlags) -> anyhow::Result<Report> {
    let users = flags.concurrency.max(1);
    let each = flags.runs.unwrap_or((4 * users).clamp(50, 1_000)).div_ceil(users);
    let models = ModelFlags::new(flags.call_ms, flags.tokens);
    let mut bed = TestBed::prepare(cli, server, models).await?;
    let mut ready = Vec::new();
    for number in 0..users {
        let name = format!("user{number}");
        let mut connection = Connection::open(bed.address(number), &name, None).await?;
        let mut conversations = Vec::new();
        for _ in 0..=each {
            conversations.push(match flags.by {
                By::Conversation => conversation(&mut connection).await?,
                By::FirstQuestion | By::V1 => Uuid::now_v7().to_string(),
            });
        }
        ready.push(User { number, name, conversations });
    }
    // Once as hard as it will be measured: connections and pools are then as in a server that has
    // been running for a while.
    let (ready, _) = ask_all(&bed, ready, 1, flags.by).await?;
    let window = Window::open(&mut bed, cli.perf.as_deref()).await?;
    let seen = match flags.rate {
        Some(rate) => ask_at(&bed, ready, rate, flags.by).await?,
        None => ask_all(&bed, ready, each, flags.by).await?.1,
    };
    let usage = window.close(&mut bed).await?;
    let counts = bed.counts().await?;

    let runs = seen.len();
    let how = match flags.rate {
        Some(rate) => format!("{rate} runs a second by {users} users"),
        None => format!("{users} users at once"),
    };
    let way = match flags.by {
        By::Conversation => "",
        By::FirstQuestion => ", each in a new conversation",
        By::V1 => " by /v1/chat/completions",
    };
    let servers = match cli.servers {
        0 | 1 => String::new(),
        servers => format!(" at {servers} servers"),
    };
    let mut report = Report::new(format!(
        "{how}{servers}{way}, {runs} runs, models of {} ms and {} tokens per call",
        flags.call_ms, flags.tokens
    ));
    let bounds = Bounds::of(&flags);
    // Members' texts are not part of a program's answer.
    let shown = (flags.by != By::V1).then_some(counts.shown_tokens);
    outcomes(&mut report, &seen, shown);
    let ideal = Duration::from_millis(flags.call_ms) * STAGES;
    times(&mut report, &seen, Some(ideal), &bounds);
    #[expect(clippy::cast_precision_loss, reason = "a number of runs")]
    let per_run = usage.server * 1_000.0 / runs as f64;
    report.row("server processor per run", per_run, "ms", bounds.cpu);
    if let Some(postgres) = usage.postgres {
        #[expect(clippy::cast_precision_loss, reason = "a number of runs")]
        report.row("Postgres processor per run", postgres * 1_000.0 / runs as f64, "ms", Target::None);
    }
    report_models(&mut report, counts, bounds.in_flight);
    usage.report(&mut report, &bed, bounds.memory)?;
    bed.clear().await?;
    Ok(report)
}

/// Lets every user ask `each` times.
async fn ask_all(
    bed: &TestBed,
    users: Vec<User>,
    each: usize,
    by: By,
) -> anyhow::Result<(Vec<User>, Vec<Seen>)> {
    // Fresh connections: the server closes those that are silent for a few seconds.
    let mut connected = Vec::new();
    for user in users {
        connected.push((Connection::open(bed.address(user.number), &user.name, None).await?, user));
    }
    let mut tasks = JoinSet::new();
    for (mut connection, mut user) in connected {
        tasks.spawn_local(async move {
            let mut seen = Vec::new();
            for _ in 0..each {
                let conversation = user.conversations.pop().context("more runs than conversations")?;
                let events = Events::ask_by(by, &mut connection, &conversation, Instant::now()).await?;
                seen.push(events.read_all().await);
            }
            anyhow::Ok((user, seen))
        });
    }
    let (mut users, mut all) = (Vec::new(), Vec::new());
    while let Some(ended) = tasks.join_next().await {
        let (user, seen) = ended.context("a user panicked")??;
        users.push(user);
        all.extend(seen);
    }
    Ok((users, all))
}

/// Lets users ask at this rate, each in turn, whether or not earlier runs have ended, until all their conversations are used.
async fn ask_at(bed: &TestBed, mut users: Vec<User>, rate: f64, by: By) -> anyhow::Result<Vec<Seen>> {
    let (begin, mut tasks) = (Instant::now(), JoinSet::new());
    let mut number = 0;
    while let Some((user, name, conversation)) = next(&mut users, number) {
        let due = begin + Duration::from_secs_f64(f64::from(number) / rate);
        number += 1;
        tokio::time::sleep_until(due.into()).await;
        let address = bed.address(user);
        tasks.spawn_local(async move {
            let mut connection = Connection::open(address, &name, None).await?;
            anyhow::Ok(Events::ask_by(by, &mut connection, &conversation, due).await?.read_all().await)
        });
    }
    let mut all = Vec::new();
    while let Some(ended) = tasks.join_next().await {
        all.push(ended.context("a user panicked")??);
    }
    Ok(all)
}

/// Who asks next, and where.
fn next(users: &mut [User], number: u32) -> Option<(usize, String, String)> {
    let at = usize::try_from(number).ok()? % users.len();
    let user = users.get_mut(at)?;
    Some((user.number, user.name.clone(), user.conversations.pop()?))
}

/// The targets for this load, where there are any.
pub struct Bounds {
    first_event: Target,
    overhead_median: Target,
    overhead_p99: Target,
    whole_p99: Target,
    token_p99: Target,
    cpu: Target,
    in_flight: Target,
    memory: Target,
}

impl Bounds {
    /// No targets.
    const NONE: Self = Self {
        first_event: Target::None,
        overhead_median: Target::None,
        overhead_p99: Target::None,
        whole_p99: Target::None,
        token_p99: Target::None,
        cpu: Target::None,
        in_flight: Target::None,
        memory: Target::None,
    };

    /// Those of long runs that stream at the same time.
    pub fn of_live(flags: &LiveFlags) -> Self {
        match flags.runs {
            ..=200 => Self { token_p99: Target::AtMost(100.0), ..Self::NONE },
            _ => Self::NONE,
        }
    }

    fn of(flags: &RunsFlags) -> Self {
        if let Some(rate) = flags.rate {
            let (overhead_median, overhead_p99) = (Target::AtMost(20.0), Target::AtMost(60.0));
            return if rate <= 50.0 && flags.call_ms == 200 {
                Self { overhead_median, overhead_p99, ..Self::NONE }
            } else {
                Self::NONE
            };
        }
        match flags.concurrency {
            1 => Self { overhead_median: Target::AtMost(15.0), cpu: Target::AtMost(5.0), ..Self::NONE },
            100 if flags.call_ms == 200 => Self {
                first_event: Target::AtMost(20.0),
                overhead_median: Target::AtMost(50.0),
                overhead_p99: Target::AtMost(200.0),
                in_flight: Target::AtLeast(380.0),
                ..Self::NONE
            },
            500 => Self { whole_p99: Target::AtMost(2_000.0), memory: Target::AtMost(150.0), ..Self::NONE },
            _ => Self::NONE,
        }
    }
}

/// How the runs ended, and what was missing in them; missing tokens count only where every shown token had a reader.
#[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
pub fn outcomes(report: &mut Report, seen: &[Seen], shown_tokens: Option<u64>) {
    let ended = |end| seen.iter().filter(|seen| seen.end == end).count() as f64;
    report.row("runs complete", ended(End::Complete), "", Target::None);
    report.row("runs refused (429, 503)", ended(End::Refused), "", Target::None);
    report.row("runs failed or cut", ended(End::Failed), "", Target::Zero);
    let lost: u64 = seen.iter().map(|seen| seen.lost).sum();
    report.row("events lost (gaps in the numbers)", lost as f64, "", Target::Zero);
    if let Some(shown) = shown_tokens {
        let tokens: usize = seen.iter().map(|seen| seen.token_us.len()).sum();
        let missing = shown as f64 - tokens as f64;
        report.row("tokens sent by models and not received", missing, "", Target::Zero);
    }
    report.row("events received", seen.iter().map(|seen| seen.events).sum::<u64>() as f64, "", Target::None);
}

/// When events arrived.
pub fn times(report: &mut Report, seen: &[Seen], ideal: Option<Duration>, bounds: &Bounds) {
    let ms = |time: Duration| time.as_secs_f64() * 1_000.0;
    let of_complete = || seen.iter().filter(|seen| seen.end == End::Complete);
    let mut first: Vec<f64> = of_complete().map(|seen| ms(seen.first_event)).collect();
    report.row("first event, median", quantile(&mut first, 0.5), "ms", bounds.first_event);
    report.row("first event, p99", quantile(&mut first, 0.99), "ms", Target::None);
    let mut token: Vec<f64> =
        of_complete().filter_map(|seen| seen.first_token_us).map(|us| f64::from(us) / 1_000.0).collect();
    report.row("first token through the server, median", quantile(&mut token, 0.5), "ms", Target::None);
    report.row("first token through the server, p99", quantile(&mut token, 0.99), "ms", Target::None);
    let mut tokens: Vec<f64> =
        seen.iter().flat_map(|seen| &seen.token_us).map(|us| f64::from(*us) / 1_000.0).collect();
    report.row("token through the server, median", quantile(&mut tokens, 0.5), "ms", Target::None);
    report.row("token through the server, p99", quantile(&mut tokens, 0.99), "ms", bounds.token_p99);
    let mut whole: Vec<f64> = of_complete().map(|seen| ms(seen.whole)).collect();
    report.row("whole run, median", quantile(&mut whole, 0.5), "ms", Target::None);
    report.row("whole run, p99", quantile(&mut whole, 0.99), "ms", bounds.whole_p99);
    if let Some(ideal) = ideal {
        let mut over: Vec<f64> = whole.iter().map(|whole| whole - ms(ideal)).collect();
        report.row(
            "overhead over the critical path, median",
            quantile(&mut over, 0.5),
            "ms",
            bounds.overhead_median,
        );
        report.row(
            "overhead over the critical path, p99",
            quantile(&mut over, 0.99),
            "ms",
            bounds.overhead_p99,
        );
    }
}

/// What the models saw.
#[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
pub fn report_models(report: &mut Report, counts: Counts, in_flight: Target) {
    report.row("calls upstream", counts.calls as f64, "", Target::None);
    report.row("calls upstream in flight, peak", counts.peak_in_flight as f64, "", in_flight);
    let mut late: Vec<f64> = counts.late.into_iter().map(|us| f64::from(us) / 1_000.0).collect();
    report.row("of the overhead: a call late by, median", quantile(&mut late, 0.5), "ms", Target::None);
    report.row("of the overhead: a call late by, p99", quantile(&mut late, 0.99), "ms", Target::None);
}
