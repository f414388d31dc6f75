//! The server is killed, again and again, in the middle of everything it does. What must hold:
//! every run completes, no finished call is made twice by the model server's own count, and whoever
//! watched was told everything once and in order.
//!
//! `LLM_COUNCIL_KILLS` sets the number of kills (50), `LLM_COUNCIL_SEED` repeats a drill's choices.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};
use sqlx::Row as _;
use tokio::sync::broadcast::{self, error::RecvError};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::support::app::User;
use crate::support::db::TestDb;
use crate::support::follower::{Follower, Heard, assert_same_structure, structure};
use crate::support::model_server::{AskedFor, ModelServer, Outcome, RecordedRequest, Script};
use crate::support::process::{Process, Program};

const RUNS_AT_ONCE: usize = 4;
/// A run whose servers died more often than this is given up: that is another test's matter.
const KILLS_PER_RUN: usize = 3;
const CALLS_PER_RUN: usize = 10;

/// When the next kill comes.
#[derive(Debug, Clone, Copy)]
enum Moment {
    /// So long after the server has started.
    After(Duration),
    /// So long after some client was shown an event of this type: just after a commit.
    Shown(&'static str, Duration),
    /// So long after the last byte of an answer was sent: around the commit of its call.
    Answered(AskedFor, Duration),
}

/// The moments of a run in their order; a kill is aimed at one of its third.
const SHOWN: [[&str; 3]; 3] = [
    ["run_started", "stage1_start", "stage1_model_complete"],
    ["stage1_complete", "stage2_model_complete", "stage2_complete"],
    ["stage3_start", "stage3_complete", "costs_complete"],
];
const ANSWERED: [[AskedFor; 2]; 3] = [
    [AskedFor::Title, AskedFor::Answer],
    [AskedFor::Answer, AskedFor::Review],
    [AskedFor::Synthesis, AskedFor::Synthesis],
];

struct Dice(ChaCha8Rng);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.0.next_u64() % bound as u64).unwrap()
    }

    fn pause(&mut self, most: u64) -> Duration {
        Duration::from_micros(self.0.next_u64() % (most * 1000))
    }

    /// The `nth` kill of a wave of runs.
    fn moment(&mut self, nth: usize) -> Moment {
        match self.below(10) {
            // A server that has just started waits for the leases of the one before it.
            0..4 => Moment::After(self.pause(if nth == 0 { 900 } else { 1800 })),
            4..7 => Moment::Shown(SHOWN[nth][self.below(3)], self.pause(4)),
            _ => Moment::Answered(ANSWERED[nth][self.below(2)], self.pause(8)),
        }
    }
}

/// A number from the environment.
fn setting(name: &str) -> Option<u64> {
    std::env::var(name)
        .ok()
        .map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")))
}

/// The case that a request is about: each run's question has a number of its own, which every
/// prompt of the run repeats.
fn case(text: &str) -> usize {
    let digits = text.split("case-").nth(1).unwrap_or_else(|| panic!("a prompt of no case: {text}"));
    digits.chars().take(4).collect::<String>().parse().unwrap()
}

/// A call's place in the deliberation, as the ledger names it.
fn key(request: &RecordedRequest) -> String {
    let model = &request.model;
    match request.asked_for() {
        AskedFor::Answer => format!("stage1/{model}"),
        AskedFor::Review => format!("stage2/{model}"),
        AskedFor::Synthesis => format!("stage3/{model}"),
        AskedFor::Title => "title".to_owned(),
        AskedFor::Routing => "routing".to_owned(),
        AskedFor::Critique => format!("refine/1/critique/{model}"),
        AskedFor::Revision => "refine/1/revision".to_owned(),
        AskedFor::Attack => "adversary/attack".to_owned(),
        AskedFor::Selection => format!("multi_chairman/select/{model}"),
    }
}

fn said(model: &str, case: usize) -> String {
    format!("I, {model}, have looked at case-{case:04} for quite a while and find it good.")
}

/// Every run has a pace of its own, and so has every call: kills fall into different places.
fn script(request: &RecordedRequest, seed: u64) -> Script {
    let case = case(request.prompt());
    let name: u64 = key(request).bytes().fold(0, |sum, byte| sum * 31 % 9973 + u64::from(byte));
    let mut dice = Dice(ChaCha8Rng::seed_from_u64(seed ^ ((case as u64) << 32) ^ name));
    let whole = dice.pause(250) + Duration::from_millis(20);
    let script = match request.asked_for() {
        AskedFor::Answer => {
            let text = format!("{}\n\nCONFIDENCE: 8", said(&request.model, case));
            return Script::answer(&text).paced(whole / 10);
        }
        AskedFor::Synthesis
        | AskedFor::Selection
        | AskedFor::Critique
        | AskedFor::Revision
        | AskedFor::Attack => {
            return Script::answer(&said(&request.model, case)).paced(whole / 10);
        }
        AskedFor::Review => {
            let labels = request.labels();
            let lines = labels.iter().enumerate().map(|(at, label)| format!("{}. {label}", at + 1));
            format!("All were read.\n\nFINAL RANKING:\n{}", lines.collect::<Vec<_>>().join("\n"))
        }
        AskedFor::Title => "A Case For You".to_owned(),
        AskedFor::Routing => "CATEGORY: CODING".to_owned(),
    };
    Script::answer("").pause(whole).text(&script)
}

/// The servers of a drill, one after the other on one database.
struct Drill {
    server: Option<Process>,
    program: Program,
    place: watch::Sender<Option<String>>,
    told: broadcast::Sender<String>,
    models: ModelServer,
    /// For each server but the first, the calls that the ledger held when it was started.
    ledgers: Vec<BTreeSet<(String, String)>>,
    stages: BTreeMap<&'static str, usize>,
    committed: BTreeMap<usize, usize>,
    db: TestDb,
}

impl Drill {
    async fn start(seed: u64) -> Self {
        let (db, models) = (TestDb::new().await, ModelServer::start().await);
        models.rule(move |request| Some(script(request, seed)));
        // The next server waits for the leases of the dead one.
        let program = Program::council(&db, &models)
            .set("server.heartbeat_seconds", "1")
            .set("runs.lease_seconds", "1");
        let mut drill = Self {
            server: None,
            program,
            place: watch::Sender::new(None),
            told: broadcast::Sender::new(1024),
            models,
            ledgers: Vec::new(),
            stages: BTreeMap::new(),
            committed: BTreeMap::new(),
            db,
        };
        drill.next_server().await;
        drill
    }

    /// Starts a server that tells the models which one it is.
    async fn next_server(&mut self) {
        let name = format!("sk-server-{}", self.ledgers.len());
        let server = self.program.clone().set("providers.scripted.api_key", &name).serve().await;
        self.place.send_replace(Some(server.base().to_owned()));
        self.server = Some(server);
    }

    fn follow(&self, case: usize) -> Follower {
        let question = format!("What about case-{case:04}?");
        Follower::new(self.place.subscribe(), &format!("user-{case}"), &question).telling(self.told.clone())
    }

    async fn kill(&mut self) {
        self.place.send_replace(None);
        let server = self.server.take().expect("a server");
        is_content(&server);
        server.kill();
        let mut database = self.db.superuser().await;
        let calls =
            sqlx::query("SELECT run_id::text AS run, key FROM calls").fetch_all(&mut database).await.unwrap();
        let calls: BTreeSet<(String, String)> =
            calls.iter().map(|row| (row.get("run"), row.get("key"))).collect();
        let running = sqlx::query("SELECT id::text AS run FROM runs WHERE status = 'running'")
            .fetch_all(&mut database)
            .await
            .unwrap();
        for run in running {
            let run: String = run.get("run");
            let keys: Vec<&str> =
                calls.iter().filter(|(of, _)| *of == run).map(|(_, key)| key.as_str()).collect();
            *self.stages.entry(stage(&keys)).or_default() += 1;
            *self.committed.entry(keys.len()).or_default() += 1;
        }
        self.ledgers.push(calls);
    }

    /// Waits for the moment; false when it never comes, because the runs are over.
    async fn comes(&self, moment: Moment, runs: &mut JoinSet<Heard>, over: &mut Vec<Heard>) -> bool {
        let (mut told, mut ends) = (self.told.subscribe(), self.models.ends());
        let coming = async {
            let pause = match moment {
                Moment::After(pause) => pause,
                Moment::Shown(kind, pause) => {
                    next(&mut told, |shown| shown == kind).await;
                    pause
                }
                Moment::Answered(what, pause) => {
                    next(&mut ends, |(asked, outcome)| *asked == what && *outcome == Outcome::Finished).await;
                    pause
                }
            };
            // A kill falls somewhere: this is not a wait for something to be done.
            tokio::time::sleep(pause).await;
        };
        tokio::pin!(coming);
        loop {
            tokio::select! {
                () = &mut coming => return true,
                heard = runs.join_next() => match heard {
                    Some(heard) => over.push(heard.unwrap()),
                    None => return false,
                },
            }
        }
    }
}

/// Nothing is wrong with a server that goes on with what others left.
fn is_content(server: &Process) {
    let wrong: Vec<_> = server.log_lines().into_iter().filter(|line| line["level"] == "ERROR").collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// How far a run has come whose calls these are.
fn stage(committed: &[&str]) -> &'static str {
    let count = |stage: &str| committed.iter().filter(|key| key.starts_with(stage)).count();
    match (count("stage1/"), count("stage2/"), count("stage3/")) {
        (0..4, _, _) => "stage 1",
        (_, 0..4, _) => "stage 2",
        (_, _, 0) => "stage 3",
        (_, _, _) => "ending",
    }
}

async fn next<T: Clone>(heard: &mut broadcast::Receiver<T>, wanted: impl Fn(&T) -> bool) {
    loop {
        match heard.recv().await {
            Ok(one) if wanted(&one) => return,
            Ok(_) | Err(RecvError::Lagged(_)) => {}
            // Nobody says any more: the runs are over, which is seen elsewhere.
            Err(RecvError::Closed) => std::future::pending().await,
        }
    }
}

/// What a run's structural events are, whichever run it is: members that work side by side may end
/// in any order.
fn shape(heard: &Heard) -> Vec<String> {
    let structure = structure(&heard.events);
    let kinds = structure.iter().filter(|event| event["type"] != "call_restarted");
    let mut shape: Vec<String> = kinds
        .map(|event| {
            format!("{} {}", event["type"].as_str().unwrap(), event["model"].as_str().unwrap_or_default())
        })
        .collect();
    for same in shape.chunk_by_mut(|one, other| one.split(' ').next() == other.split(' ').next()) {
        same.sort();
    }
    shape
}

/// Checks one client's stream against the log, the stored answer and an uninterrupted run.
async fn check(heard: &Heard, case: usize, server: &Process, uninterrupted: &[String]) {
    let run = &heard.run;
    assert_eq!(heard.events.last().unwrap().kind(), "complete", "{run}: {:?}", heard.events.last());
    assert!(
        heard.events.windows(2).all(|two| two[0].id < two[1].id),
        "{run}: numbers ascend: {:?}",
        heard.events.iter().map(|event| event.id).collect::<Vec<_>>()
    );
    assert_eq!(shape(heard), uninterrupted, "{run}: what an uninterrupted stream tells");
    let user = User::at(server.base(), &heard.user);
    let log = user.events(run, 0).await.rest().await;
    assert_same_structure(&heard.events, &log, &format!("{run}: the stream, and the log"));

    let stored = user.get(&format!("/api/conversations/{}", heard.conversation)).await.ok();
    let answer = &stored["messages"][1];
    assert_eq!(answer["status"], "complete", "{run}");
    assert_eq!(answer["stage3"]["response"], said("m/chair", case), "{run}");
    assert_eq!(answer["stage2"].as_array().unwrap().len(), 4, "{run}");
    let mut expected = BTreeMap::from([("stage3/m/chair".to_owned(), said("m/chair", case))]);
    for answer in answer["stage1"].as_array().unwrap() {
        let model = answer["model"].as_str().unwrap();
        assert_eq!(answer["response"], said(model, case), "{run}");
        expected.insert(format!("stage1/{model}"), said(model, case));
    }
    let texts = heard.texts().into_iter().map(|(call, text)| (call, text.trim_end().to_owned()));
    assert_eq!(texts.collect::<BTreeMap<_, _>>(), expected, "{run}: the text that a reader has joined");
}

/// Checks the model server's own count. One server makes a call at most once, and never one that was
/// in the ledger when that server began; so a call is made at most once more for each kill that
/// came before its commit.
fn check_payments(drill: &Drill, cases: &BTreeMap<String, usize>) -> (usize, usize) {
    let mut made: BTreeMap<(usize, usize, String), usize> = BTreeMap::new();
    let records = drill.models.records();
    for record in &records {
        let server = record.request.header("authorization").unwrap().rsplit('-').next().unwrap();
        let call = (server.parse().unwrap(), case(record.request.prompt()), key(&record.request));
        *made.entry(call).or_default() += 1;
    }
    for ((server, case, key), times) in &made {
        assert_eq!(*times, 1, "server {server} made {key} of case {case} {times} times");
    }
    for (before, ledger) in drill.ledgers.iter().enumerate() {
        for (run, key) in ledger {
            let paid = (before + 1, cases[run], key.clone());
            assert!(!made.contains_key(&paid), "server {} paid {key} of run {run} again", before + 1);
        }
    }
    for call in cases.values() {
        let of_it = made.keys().filter(|(_, case, _)| case == call);
        let keys: BTreeSet<&String> = of_it.map(|(_, _, key)| key).collect();
        assert_eq!(keys.len(), CALLS_PER_RUN, "case {call}: {keys:?}");
    }
    let finished = records.iter().filter(|record| record.outcome == Outcome::Finished).count();
    (records.len(), finished)
}

/// What a drill has done.
struct Report {
    kills: usize,
    runs: usize,
    connections: usize,
    requests: usize,
    /// The requests that were answered to their end.
    finished: usize,
    /// The runs that were under way when a server was killed, by how far they had come.
    stages: BTreeMap<&'static str, usize>,
    /// The same by the number of calls in the ledger.
    committed: BTreeMap<usize, usize>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kills, runs, connections, requests, finished, stages, committed } = self;
        let needed = runs * CALLS_PER_RUN;
        writeln!(f, "{kills} kills, {runs} runs, {connections} connections of their readers")?;
        writeln!(f, "{requests} requests for {needed} calls, {finished} answered to the end")?;
        writeln!(f, "runs under way at a kill, by stage: {stages:?}")?;
        write!(f, "and by the number of calls in the ledger: {committed:?}")
    }
}

/// Kills so many servers, one after the other, in the middle of waves of runs.
async fn drill(seed: u64, kills: usize) -> Report {
    let mut dice = Dice(ChaCha8Rng::seed_from_u64(seed));
    let mut drill = Drill::start(seed).await;
    let alone = drill.follow(0).hear().await;
    let uninterrupted = shape(&alone);
    check(&alone, 0, drill.server.as_ref().unwrap(), &uninterrupted).await;
    let mut cases = BTreeMap::from([(alone.run, 0)]);
    let mut connections = alone.connections;
    while drill.ledgers.len() < kills {
        let first = cases.len();
        let mut runs = JoinSet::new();
        for case in first..first + RUNS_AT_ONCE {
            runs.spawn(drill.follow(case).hear());
        }
        let mut over = Vec::new();
        for nth in 0..KILLS_PER_RUN.min(kills - drill.ledgers.len()) {
            let moment = dice.moment(nth);
            if !drill.comes(moment, &mut runs, &mut over).await {
                break;
            }
            drill.kill().await;
            drill.next_server().await;
        }
        over.extend(runs.join_all().await);
        for heard in over {
            let case: usize = heard.user.trim_start_matches("user-").parse().unwrap();
            check(&heard, case, drill.server.as_ref().unwrap(), &uninterrupted).await;
            connections += heard.connections;
            cases.insert(heard.run, case);
        }
    }
    is_content(drill.server.as_ref().unwrap());
    let (requests, finished) = check_payments(&drill, &cases);
    let Drill { stages, committed, .. } = drill;
    Report { kills, runs: cases.len(), connections, requests, finished, stages, committed }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn runs_survive_kills_at_any_moment_and_nothing_finished_is_paid_twice() {
    let kills = setting("LLM_COUNCIL_KILLS").map_or(50, |kills| usize::try_from(kills).unwrap());
    let seed = setting("LLM_COUNCIL_SEED").unwrap_or_else(|| uuid::Uuid::new_v4().as_u64_pair().1);
    eprintln!("LLM_COUNCIL_SEED={seed}");
    let begun = std::time::Instant::now();
    // Two at once, for much of each is waiting for leases.
    let half = kills / 2;
    let (one, other) = tokio::join!(drill(seed, half), drill(seed.wrapping_add(1), kills - half));
    eprintln!("in {:?}:\n{one}\n{other}", begun.elapsed());
    for stage in ["stage 1", "stage 2", "stage 3"] {
        let hit = [&one, &other].iter().any(|report| report.stages.contains_key(stage));
        assert!(hit || kills < 20, "no kill in {stage}");
    }
}
