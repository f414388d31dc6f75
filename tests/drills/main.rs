//! A rolling upgrade: servers of an older version and of this one on one database, under load, the migrations among
//! them. Started by `make drill-upgrade`, which builds the older one; prints what it saw, and fails on a request
//! that was answered with an error, a run that was lost, or a call that was paid twice.
#![expect(clippy::unwrap_used, reason = "a drill ends at the first surprise")]

#[allow(dead_code, unused_imports, reason = "a kit: each test binary uses a part of it")]
#[path = "../it/support/mod.rs"]
mod support;

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::Timestamp;
use serde_json::json;
use sqlx::{Connection as _, PgConnection, Row as _};
use tokio::sync::watch;
use tokio::task::JoinSet;

use support::db::TestDb;
use support::follower::{Follower, Transcript};
use support::model_server::{ModelServer, plausible};
use support::process::{Process, Program};

/// People who ask one question after the other.
const PEOPLE: usize = 8;
/// Between two pieces of an answer: a run takes about two seconds.
const PACE: Duration = Duration::from_millis(60);
/// How long each part of the upgrade is watched.
const WHILE: Duration = Duration::from_secs(6);

/// A request as it reached the models: question, purpose in the ledger, model.
type Call = (String, &'static str, String);

#[derive(Default)]
struct Seen {
    calls: Mutex<Vec<(Call, Timestamp)>>,
    statuses: Mutex<BTreeMap<u16, usize>>,
    stop: AtomicBool,
}

fn purpose(request: &support::model_server::RecordedRequest) -> &'static str {
    use support::model_server::AskedFor;
    match request.asked_for() {
        AskedFor::Answer => "answer",
        AskedFor::Review => "review",
        AskedFor::Synthesis => "synthesis",
        AskedFor::Title => "title",
        AskedFor::Attack | AskedFor::Severity => "adversary",
        AskedFor::Revision => "revision",
        AskedFor::Selection => "selection",
        AskedFor::Routing => "routing",
        AskedFor::Critique => "critique",
    }
}

/// `Question 3 of p1`, wherever a prompt holds it.
fn question_in(prompt: &str) -> String {
    let words: Vec<&str> = prompt.split("Question ").filter_map(|after| after.split('?').next()).collect();
    let found = words.into_iter().find(|words| words.contains(" of p") && words.len() < 20);
    format!("Question {}?", found.unwrap_or_default())
}

/// One person: asks, reads to the end, asks again.
async fn person(nth: usize, place: watch::Receiver<Option<String>>, seen: Arc<Seen>) -> Vec<Transcript> {
    let mut transcripts = Vec::new();
    for number in 0.. {
        if seen.stop.load(Ordering::Relaxed) {
            break;
        }
        let question = format!("Question {number} of p{nth}?");
        let options = json!({"use_adversary": number % 2 == 1});
        transcripts
            .push(Follower::new(place.clone(), &format!("p{nth}"), &question).asking(options).follow().await);
    }
    transcripts
}

/// Looks around on a server as long as there is one, and notes how it was answered.
async fn look_around(mut place: watch::Receiver<Option<String>>, seen: Arc<Seen>) {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    while !seen.stop.load(Ordering::Relaxed) {
        let base = place.wait_for(Option::is_some).await.unwrap().clone().unwrap();
        for path in
            ["/api/conversations", "/api/config", "/api/user", "/api/analytics", "/api/settings/presets"]
        {
            let sent = client.get(format!("{base}{path}")).header("remote-user", "p0").send().await;
            // Without an answer the server is gone: somebody takes it out of `place` right now.
            if let Ok(response) = sent {
                *seen.statuses.lock().unwrap().entry(response.status().as_u16()).or_default() += 1;
            }
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

struct Upgrade {
    places: [watch::Sender<Option<String>>; 2],
    program: Program,
    old: String,
    started: usize,
}

impl Upgrade {
    async fn serve(&mut self, old: bool) -> Process {
        self.started += 1;
        // The models know by the key who asks.
        let mut program =
            self.program.clone().set("providers.scripted.api_key", &format!("sk-{}", self.started));
        if old {
            program = program.built_at(&self.old);
        }
        program.serve().await
    }

    fn send_to(&self, place: usize, server: Option<&Process>) {
        self.places[place].send_replace(server.map(|server| server.base().to_owned()));
    }
}

/// Prints what a server has logged as an error.
fn complaints(server: &Process) {
    let log = server.log();
    log.lines().filter(|line| line.contains("ERROR")).for_each(|line| println!("  {line}"));
}

fn say(what: &str) {
    println!("{}  {what}", Timestamp::now().strftime("%H:%M:%S"));
}

async fn rows(connection: &mut PgConnection, sql: &'static str) -> Vec<(String, i64)> {
    let rows = sqlx::query(sql).fetch_all(connection).await.unwrap();
    rows.iter().map(|row| (row.get("what"), row.get("count"))).collect()
}

async fn drill(old: String) -> bool {
    let (cluster, models) = (TestDb::new().await, ModelServer::start().await);
    // The older version makes its schema itself.
    sqlx::raw_sql("CREATE DATABASE upgrade").execute(&mut cluster.superuser().await).await.unwrap();
    let options = cluster.options().database("upgrade");
    let database = cluster.url_of("upgrade");
    let seen = Arc::new(Seen::default());
    let noted = seen.clone();
    models.rule(move |request| {
        let call = (question_in(request.prompt()), purpose(request), request.model.clone());
        noted.calls.lock().unwrap().push((call, Timestamp::now()));
        Some(plausible(request).paced(PACE))
    });
    let program = Program::council_on(&database, &models)
        .set("runs.lease_seconds", "2")
        .set("server.heartbeat_seconds", "1")
        .set("server.drain_seconds", "1");
    let places = [watch::Sender::new(None), watch::Sender::new(None)];
    let mut upgrade = Upgrade { places, program, old, started: 0 };

    let (one, two) = (upgrade.serve(true).await, upgrade.serve(true).await);
    upgrade.send_to(0, Some(&one));
    upgrade.send_to(1, Some(&two));
    let mut people = JoinSet::new();
    for nth in 0..PEOPLE {
        people.spawn(person(nth, upgrade.places[nth % 2].subscribe(), seen.clone()));
    }
    let mut lookers = JoinSet::new();
    for place in &upgrade.places {
        lookers.spawn(look_around(place.subscribe(), seen.clone()));
    }
    say("two servers of the old version serve");
    tokio::time::sleep(WHILE).await;

    let three = upgrade.serve(false).await;
    say("a server of this version has migrated the database; the old ones go on");
    tokio::time::sleep(WHILE).await;
    for server in [&one, &two, &three] {
        complaints(server);
    }
    upgrade.send_to(0, Some(&three));
    one.kill();
    say("the first old server is killed; this version goes on with its runs");
    tokio::time::sleep(WHILE).await;
    let four = upgrade.serve(false).await;
    upgrade.send_to(0, Some(&four));
    three.kill();
    say("the first of this version is killed, beside an old one; the second goes on with its runs");
    tokio::time::sleep(WHILE).await;
    upgrade.send_to(1, Some(&four));
    // As behind a load balancer: what is on its way to it arrives first.
    tokio::time::sleep(Duration::from_secs(1)).await;
    two.signal("SIGTERM");
    let (code, _) = two.ended().await;
    say(&format!("the last old server was asked to end, and did (exit code {code:?})"));
    tokio::time::sleep(WHILE).await;
    seen.stop.store(true, Ordering::Relaxed);
    let mut transcripts = Vec::new();
    let mut is_good = code == Some(0);
    while let Some(person) = people.join_next().await {
        match person {
            Ok(of_one) => transcripts.extend(of_one),
            Err(error) => {
                is_good = false;
                println!("a person gave up: {error}");
            }
        }
    }
    lookers.join_all().await;

    let mut connection = PgConnection::connect_with(&options).await.unwrap();
    let refused: usize = transcripts.iter().map(|transcript| transcript.refusals.len()).sum();
    let statuses = seen.statuses.lock().unwrap().clone();
    println!(
        "requests of those who look around, by status: {statuses:?}; questions refused with 503: {refused}"
    );
    is_good &= refused == 0 && statuses.keys().all(|status| *status == 200);
    let ends = transcripts.iter().fold(BTreeMap::<&str, usize>::new(), |mut ends, transcript| {
        *ends.entry(transcript.events.last().unwrap().kind()).or_default() += 1;
        ends
    });
    let connections: usize = transcripts.iter().map(|transcript| transcript.connections).sum();
    println!("{} questions over {connections} connections, by their last event: {ends:?}", transcripts.len());
    let versions = rows(
        &mut connection,
        "SELECT format('version %s, %s', plan_version, status) AS what, count(*) FROM runs GROUP BY 1 ORDER BY 1",
    )
    .await;
    let taken = rows(
        &mut connection,
        "SELECT format('version %s', plan_version) AS what, count(*) FROM runs WHERE attempt > 1 GROUP BY 1 ORDER BY 1",
    )
    .await;
    println!("runs: {versions:?}; taken over: {taken:?}");
    let lost =
        versions.iter().filter(|(what, _)| !what.ends_with("complete")).map(|(_, count)| count).sum::<i64>();
    println!("runs lost: {lost}");
    is_good &= lost == 0 && ends.keys().eq(["complete"].iter());

    // A call that is asked for after it is in the ledger is paid twice.
    let ledger = sqlx::query(
        "SELECT q.content AS question, c.purpose, c.model, c.finished_at::text AS finished_at
         FROM calls c JOIN runs r ON r.id = c.run_id JOIN messages a ON a.id = r.message_id
         JOIN messages q ON q.conversation_id = a.conversation_id AND q.position = a.position - 1",
    )
    .fetch_all(&mut connection)
    .await
    .unwrap();
    let finished: BTreeMap<(String, String, String), Timestamp> = ledger
        .iter()
        .map(|row| {
            let at: String = row.get("finished_at");
            let at: Timestamp = at.replace(' ', "T").parse().unwrap();
            ((row.get("question"), row.get("purpose"), row.get("model")), at)
        })
        .collect();
    let calls = seen.calls.lock().unwrap();
    let twice: Vec<_> = calls
        .iter()
        .filter(|((question, purpose, model), asked)| {
            let key = (question.clone(), (*purpose).to_owned(), model.clone());
            finished.get(&key).is_some_and(|finished| finished < asked)
        })
        .collect();
    println!("{} calls in the ledger, {} requests; paid twice: {}", finished.len(), calls.len(), twice.len());
    twice.iter().for_each(|call| println!("  {call:?}"));
    is_good && twice.is_empty()
}

fn main() -> ExitCode {
    let Ok(old) = std::env::var("LLM_COUNCIL_OLD_PROGRAM") else {
        eprintln!("LLM_COUNCIL_OLD_PROGRAM names the program of the older version: see make drill-upgrade");
        return ExitCode::FAILURE;
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    if runtime.block_on(drill(old)) {
        println!("passed");
        ExitCode::SUCCESS
    } else {
        println!("FAILED");
        ExitCode::FAILURE
    }
}
