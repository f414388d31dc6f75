//! The server is killed, again and again, in the middle of everything it does. What must hold:
//! every run completes, no finished call is made twice by the model server's own count, and whoever
//! watched was told everything once and in order.
//!
//! Two fifths of the kills fall into runs with every option on, as far as options go together.
//!
//! `LLM_COUNCIL_KILLS` sets the number of kills (50), `LLM_COUNCIL_SEED` repeats a drill's choices. Debates, arenas and
//! decompositions have a drill of their own, of `LLM_COUNCIL_DEBATE_KILLS` kills (8), and so have runs that search, of
//! `LLM_COUNCIL_SEARCH_KILLS` kills (6).

mod checks;
mod kinds;
mod moments;
mod script;
mod searching;
mod servers;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use checks::{Uninterrupted, check, check_payments};
use kinds::{Course, EVERY_OPTION, FORMATS, PLAIN, SEARCHING};
use moments::SeededRng;
use servers::{Drill, is_content};

const RUNS_AT_ONCE: usize = 4;
/// A run whose servers died more often than this is given up: that is another test's matter.
const KILLS_PER_RUN: usize = 3;

/// A number from the environment.
fn setting(name: &str) -> Option<u64> {
    std::env::var(name)
        .ok()
        .map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")))
}

/// What a drill has done.
struct Report {
    kills: usize,
    runs: usize,
    /// The runs whose reviewers' ballots had weights of their own.
    weighted: usize,
    connections: usize,
    /// The calls that its runs would have made without kills.
    calls: usize,
    requests: usize,
    /// The requests that were answered to their end.
    finished: usize,
    took: Duration,
    /// The runs that were under way when a server was killed, by how far they had come.
    stages: BTreeMap<&'static str, usize>,
    /// The stages that there are.
    all_stages: BTreeSet<&'static str>,
    /// As `stages`, by the number of calls in the ledger.
    committed: BTreeMap<usize, usize>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kills, runs, weighted, connections, took, .. } = self;
        let Self { calls, requests, finished, stages, committed, .. } = self;
        writeln!(f, "{kills} kills in {took:.1?}, {runs} runs ({weighted} weighted)")?;
        writeln!(f, "{connections} connections of their readers")?;
        writeln!(f, "{requests} requests for {calls} calls, {finished} answered to the end")?;
        writeln!(f, "runs under way at a kill, by stage: {stages:?}")?;
        write!(f, "and by the number of calls in the ledger: {committed:?}")
    }
}

/// Kills so many servers, one after the other, in the middle of waves of runs.
async fn drill(course: &'static Course, seed: u64, kills: usize) -> Report {
    let begun = Instant::now();
    let mut rng = SeededRng::new(seed);
    let mut drill = Drill::start(seed, course).await;
    let (mut cases, mut connections, mut weighted) = (BTreeMap::new(), 0, 0);
    let mut over = Vec::new();
    for case in 0..course.kinds.len() {
        let alone = drill.follow(case).follow().await;
        drill.uninterrupted.push(Uninterrupted::of(&drill, case, &alone));
        over.push((case, alone));
    }
    for wave in 0.. {
        for (case, transcript) in over.drain(..) {
            let stored = check(&drill, &transcript, case).await;
            let rows = stored["metadata"]["aggregate_rankings"].as_array().unwrap();
            weighted += usize::from(rows.iter().any(|row| row["weights_applied"] == true));
            connections += transcript.connections;
            cases.insert(transcript.run, case);
        }
        if drill.ledgers.len() == kills {
            break;
        }
        let first = cases.len();
        let mut runs = JoinSet::new();
        for case in first..first + RUNS_AT_ONCE {
            let following = drill.follow(case).follow();
            runs.spawn(async move { (case, following.await) });
        }
        for nth in 0..KILLS_PER_RUN.min(kills - drill.ledgers.len()) {
            let moment = rng.moment(course, wave, nth);
            if !drill.comes(moment, &mut runs, &mut over).await {
                break;
            }
            drill.kill().await;
            drill.next_server().await;
        }
        over.extend(runs.join_all().await);
    }
    is_content(drill.server.as_ref().unwrap());
    let (requests, finished) = check_payments(&drill, &cases).await;
    let calls = cases.values().map(|case| course.kind(*case).calls()).sum();
    let all_stages = drill.uninterrupted.iter().flat_map(Uninterrupted::stages).collect();
    let Drill { stages, committed, .. } = drill;
    Report {
        kills,
        runs: cases.len(),
        weighted,
        connections,
        calls,
        requests,
        finished,
        took: begun.elapsed(),
        stages,
        all_stages,
        committed,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn runs_survive_kills_at_any_moment_and_nothing_finished_is_paid_twice() {
    let kills = setting("LLM_COUNCIL_KILLS").map_or(50, |kills| usize::try_from(kills).unwrap());
    let seed = setting("LLM_COUNCIL_SEED").unwrap_or_else(|| uuid::Uuid::new_v4().as_u64_pair().1);
    eprintln!("LLM_COUNCIL_SEED={seed}");
    // At once, for much of each is waiting for leases.
    let (plain, all) = (kills * 3 / 5, kills - kills * 3 / 5);
    let (plain, all) =
        tokio::join!(drill(&PLAIN, seed, plain), drill(&EVERY_OPTION, seed.wrapping_add(1), all));
    eprintln!("plain: {plain}\nwith every option: {all}");
    for (report, enough) in [(&plain, 10), (&all, 200)] {
        let missed: Vec<_> =
            report.all_stages.iter().filter(|stage| !report.stages.contains_key(*stage)).collect();
        assert!(missed.is_empty() || report.kills < enough, "no kill in {missed:?}");
    }
    let of_options = all.stages.keys().filter(|stage| !plain.all_stages.contains(*stage)).count();
    assert!(of_options > 0 || all.kills < 10, "no kill in a stage that only options have");
    assert!(all.weighted > 0 || all.runs < 20, "no ballot had a weight of its own");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn formats_survive_kills_at_any_moment_and_nothing_finished_is_paid_twice() {
    let kills = setting("LLM_COUNCIL_DEBATE_KILLS").map_or(8, |kills| usize::try_from(kills).unwrap());
    let seed = setting("LLM_COUNCIL_SEED").unwrap_or_else(|| uuid::Uuid::new_v4().as_u64_pair().1);
    eprintln!("LLM_COUNCIL_SEED={seed}");
    let report = drill(&FORMATS, seed, kills).await;
    eprintln!("formats: {report}");
    let missed: Vec<_> =
        report.all_stages.iter().filter(|stage| !report.stages.contains_key(*stage)).collect();
    assert!(missed.is_empty() || kills < 60, "no kill in {missed:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn searches_survive_kills_at_any_moment_and_nothing_finished_is_paid_twice() {
    let kills = setting("LLM_COUNCIL_SEARCH_KILLS").map_or(6, |kills| usize::try_from(kills).unwrap());
    let seed = setting("LLM_COUNCIL_SEED").unwrap_or_else(|| uuid::Uuid::new_v4().as_u64_pair().1);
    eprintln!("LLM_COUNCIL_SEED={seed}");
    let report = drill(&SEARCHING, seed, kills).await;
    eprintln!("searching: {report}");
    let missed: Vec<_> =
        report.all_stages.iter().filter(|stage| !report.stages.contains_key(*stage)).collect();
    assert!(missed.is_empty() || kills < 60, "no kill in {missed:?}");
}
