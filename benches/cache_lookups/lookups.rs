//! How long a look takes: the same text, one as near as can be, and one that is near none; often enough for a median,
//! and just after a restart.

use std::time::Instant;

use llm_council::cache::vector::{Needle, encode};
use llm_council::council::earlier::{EarlierLookup, EarlierQuery};
use llm_council::store::{Db, Scope};

use super::bed::Bed;
use super::people::{ENTRIES, People, Person, THRESHOLD};
use super::random::Random;
use super::statistics::quantile;

/// Looks before measuring, until Postgres has chosen its plans (after five executions on each connection) and
/// everything is in memory.
const BEFORE: u32 = 50;

/// A kind of look, and its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// By the text, which is there.
    Exact,
    /// By a vector that is there: all are compared, and the answer is read.
    Near,
    /// By a vector that is near none: all are compared.
    Nothing,
}

impl Kind {
    const ALL: [Self; 3] = [Self::Exact, Self::Near, Self::Nothing];

    fn name(self) -> &'static str {
        match self {
            Self::Exact => "same text",
            Self::Near => "near, found",
            Self::Nothing => "near, nothing found",
        }
    }
}

/// Times in microseconds.
pub struct Warm {
    bare: Vec<f64>,
    looks: Vec<(Kind, Vec<f64>)>,
    /// The part of it that compares with all vectors.
    comparing: Vec<f64>,
}

/// What was asked of Postgres between its restart and a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Since {
    /// Only the query for who asks.
    Restart,
    /// The run that looks was stored, as it always is.
    RunBegan,
}

impl Since {
    const ALL: [Self; 2] = [Self::RunBegan, Self::Restart];

    fn name(self) -> &'static str {
        match self {
            Self::Restart => "nothing before it",
            Self::RunBegan => "its run stored",
        }
    }
}

/// The first look after a restart.
pub struct Cold {
    person: Person,
    since: Since,
    kind: Kind,
    micros: Vec<f64>,
    /// What the system had to fetch from the disk for it, in bytes; absent where it does not say.
    fetched: Vec<Option<u64>>,
    /// How the caches were emptied.
    done: String,
}

/// Measures every kind of look `count` times, each beside a bare round trip.
pub async fn warm(bed: &Bed, people: &People, person: &Person, count: u32) -> anyhow::Result<Warm> {
    let mut warm = Warm { bare: Vec::new(), looks: Vec::new(), comparing: Vec::new() };
    for kind in Kind::ALL {
        let mut micros = Vec::new();
        for round in 0..BEFORE + count {
            let bare = bare(&bed.db, person).await?;
            let taken = look(bed, people, person, kind, round).await?;
            if round >= BEFORE {
                warm.bare.push(bare);
                micros.push(taken);
            }
        }
        warm.looks.push((kind, micros));
    }
    let stored: Vec<Vec<u8>> =
        (1..=ENTRIES).filter_map(|entry| encode(people.vector(person, entry))).collect();
    for entry in (1..=ENTRIES).cycle().take(count as usize) {
        let began = Instant::now();
        let needle = Needle::new(people.vector(person, entry)).expect("it has been stored");
        let nearest = stored.iter().filter_map(|it| needle.cosine(it)).fold(-1.0, f32::max);
        warm.comparing.push(began.elapsed().as_secs_f64() * 1e6);
        anyhow::ensure!(nearest > 0.99, "a vector is near itself");
    }
    Ok(warm)
}

/// Measures every kind of look of each person just after a restart, `restarts` times.
pub async fn cold(mut bed: Bed, people: &People, restarts: u32) -> anyhow::Result<(Bed, Vec<Cold>)> {
    let mut all = Vec::new();
    for person in people.measured() {
        for (since, kind) in Since::ALL.into_iter().flat_map(|since| Kind::ALL.map(|kind| (since, kind))) {
            let mut cold = Cold {
                person: person.clone(),
                since,
                kind,
                micros: Vec::new(),
                fetched: Vec::new(),
                done: String::new(),
            };
            for round in 0..restarts {
                let (restarted, dropped) = bed.restart_cold().await?;
                bed = restarted;
                cold.done = match dropped {
                    Ok(bytes) => format!(
                        "Postgres restarted, and {} MiB of its files dropped from the page cache",
                        bytes / 1_048_576
                    ),
                    Err(error) => format!(
                        "Postgres restarted; the page cache keeps its files, which cannot be dropped: {error}"
                    ),
                };
                if since == Since::RunBegan {
                    bed.begin_run(&person.user).await?;
                }
                let backend = backend(&bed.db, &person).await?;
                let before = fetched_by(backend);
                cold.micros.push(look(&bed, people, &person, kind, round).await?);
                cold.fetched.push(fetched_by(backend).zip(before).map(|(after, before)| after - before));
            }
            all.push(cold);
        }
    }
    Ok((bed.restart().await?, all))
}

/// One look, as a run takes it; in microseconds.
async fn look(bed: &Bed, people: &People, person: &Person, kind: Kind, round: u32) -> anyhow::Result<f64> {
    let entry = 1 + round * 37 % ENTRIES;
    let question = person.question(entry);
    let vector = match kind {
        Kind::Exact | Kind::Near => people.vector(person, entry).to_vec(),
        Kind::Nothing => Random::new(1_000 + u64::from(round)).vector(person.dimension()),
    };
    let embedded = person.embedded(vector);
    let near = (kind != Kind::Exact).then_some((&embedded, THRESHOLD));
    let query = EarlierQuery { scope: people.scope, question: &question, near };
    let began = Instant::now();
    let looked = bed.runs.look_for_earlier(&person.user, &query).await;
    let taken = began.elapsed().as_secs_f64() * 1e6;
    let is_right = match (&looked, kind) {
        (EarlierLookup::Answer(answer), Kind::Exact) => answer.exact,
        (EarlierLookup::Answer(answer), Kind::Near) => {
            !answer.exact && answer.question.as_deref() == Some(question.as_str())
        }
        (EarlierLookup::Nothing { best, .. }, Kind::Nothing) => best.is_some(),
        (EarlierLookup::Answer(_) | EarlierLookup::Nothing { .. } | EarlierLookup::Unavailable, _) => false,
    };
    anyhow::ensure!(is_right, "{}, {question}: {looked:?}", kind.name());
    Ok(taken)
}

/// What any statement takes in this scope, in microseconds.
async fn bare(db: &Db, person: &Person) -> anyhow::Result<f64> {
    let began = Instant::now();
    let mut tx = db.begin(&Scope::User(person.user.clone())).await?;
    let one: i32 = sqlx::query_scalar("SELECT 1").fetch_one(&mut *tx).await?;
    drop(tx);
    anyhow::ensure!(one == 1, "one is one");
    Ok(began.elapsed().as_secs_f64() * 1e6)
}

/// The process behind the connection that is used next: there is only one.
async fn backend(db: &Db, person: &Person) -> anyhow::Result<i32> {
    let mut tx = db.begin(&Scope::User(person.user.clone())).await?;
    let pid = sqlx::query_scalar("SELECT pg_backend_pid()").fetch_one(&mut *tx).await?;
    tx.commit().await?;
    Ok(pid)
}

/// How many bytes the system has fetched from the disk for a process; absent where it does not say.
fn fetched_by(pid: i32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/io")).ok()?;
    text.lines().find_map(|line| line.strip_prefix("read_bytes: "))?.trim().parse().ok()
}

pub fn print(warm: &[(Person, Warm)], cold: &[Cold]) {
    println!(
        "\n{:<38} {:>12} {:>12} {:>14}",
        "a look, everything in memory", "median, ms", "p95, ms", "× bare"
    );
    for (person, warm) in warm {
        let name = person.user.as_str();
        let base = quantile(&warm.bare, 0.5);
        let row = |what: &str, micros: &[f64]| {
            let (median, p95) = (quantile(micros, 0.5), quantile(micros, 0.95));
            let what = format!("{name}: {what}");
            println!("{what:<38} {:>12.3} {:>12.3} {:>14.1}", median / 1e3, p95 / 1e3, median / base);
        };
        row("bare round trip", &warm.bare);
        for (kind, micros) in &warm.looks {
            row(kind.name(), micros);
        }
        row("of it comparing 1,000 vectors", &warm.comparing);
    }
    println!(
        "\n{:<58} {:>12} {:>12} {:>14}",
        "the first look after a restart", "median, ms", "most, ms", "from disk, KiB"
    );
    for cold in cold {
        let what = format!("{}: {}, {}", cold.person.user.as_str(), cold.kind.name(), cold.since.name());
        let fetched = cold.fetched.iter().flatten().max();
        println!(
            "{what:<58} {:>12.1} {:>12.1} {:>14}",
            quantile(&cold.micros, 0.5) / 1e3,
            quantile(&cold.micros, 1.0) / 1e3,
            fetched.map_or("unknown".to_owned(), |bytes| (bytes / 1_024).to_string())
        );
    }
    if let Some(cold) = cold.last() {
        println!("before each: {}", cold.done);
    }
}
