//! The servers of a drill, and their deaths.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use sqlx::Row as _;
use tokio::sync::broadcast::{self, error::RecvError};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::checks::Uninterrupted;
use super::kinds::{Course, with_models};
use super::moments::Moment;
use super::script::{case, key, script};
use super::searching;
use crate::support::db::TestDb;
use crate::support::follower::{Follower, Transcript};
use crate::support::model_server::{ModelServer, Outcome, Record};
use crate::support::process::{Process, Program};
use crate::support::search_server::SearchServer;

/// The servers of a drill, one after the other on one database.
pub struct Drill {
    pub course: &'static Course,
    /// A run of each of the course's kinds that no death has interrupted.
    pub uninterrupted: Vec<Uninterrupted>,
    pub server: Option<Process>,
    program: Program,
    place: watch::Sender<Option<String>>,
    told: broadcast::Sender<String>,
    pub models: ModelServer,
    pub searches: SearchServer,
    /// For each server but the first, the calls that the ledger held when it was started.
    pub ledgers: Vec<BTreeSet<(String, String)>>,
    pub stages: BTreeMap<&'static str, usize>,
    pub committed: BTreeMap<usize, usize>,
    db: TestDb,
}

/// A call as a model server or the search engine was asked for it.
pub struct Asked {
    /// The server that asked, from 0.
    pub server: usize,
    pub case: usize,
    pub key: String,
    pub outcome: Outcome,
}

impl Drill {
    pub async fn start(seed: u64, course: &'static Course) -> Self {
        let (db, models) = (TestDb::new().await, ModelServer::start().await);
        models.rule(move |request| Some(script(request, seed, course)));
        let searches = SearchServer::start().await;
        searches.rule(move |query| Some(searching::found(query, seed, course)));
        // The next server waits for the leases of the dead one.
        let mut program = with_models(Program::council(&db, &models))
            .set("server.heartbeat_seconds", "1")
            .set("runs.lease_seconds", "1");
        if course.searches {
            program =
                program.set("search.backend", "tavily").set("search.tavily.base_url", &searches.base_url());
        }
        let mut drill = Self {
            course,
            uninterrupted: Vec::new(),
            server: None,
            program,
            place: watch::Sender::new(None),
            told: broadcast::Sender::new(1024),
            models,
            searches,
            ledgers: Vec::new(),
            stages: BTreeMap::new(),
            committed: BTreeMap::new(),
            db,
        };
        drill.next_server().await;
        drill
    }

    /// Starts a server that tells the models and the search engine which one it is.
    pub async fn next_server(&mut self) {
        let name = format!("sk-server-{}", self.ledgers.len());
        let mut program = self.program.clone().set("providers.scripted.api_key", &name);
        if self.course.searches {
            program = program.set("search.tavily.api_key", &name);
        }
        let server = program.serve().await;
        self.place.send_replace(Some(server.base().to_owned()));
        self.server = Some(server);
    }

    /// Somebody with the question of this case. All are one person, whose reviewers have a record.
    pub fn follow(&self, case: usize) -> Follower {
        let question = format!("What about case-{case:04}?");
        Follower::new(self.place.subscribe(), "ann", &question)
            .asking(self.course.kind(case).options())
            .reporting_to(self.told.clone())
    }

    /// What no death has interrupted, of this case's kind.
    pub fn uninterrupted(&self, case: usize) -> &Uninterrupted {
        &self.uninterrupted[case % self.uninterrupted.len()]
    }

    /// The calls that the ledger holds, each with its run. Searches are named as in `asked`.
    pub async fn ledger(&self) -> BTreeSet<(String, String)> {
        let calls = sqlx::query("SELECT run_id::text AS run, key FROM calls");
        let calls = calls.fetch_all(&mut self.db.superuser().await).await.unwrap();
        let searches = self.searches.queries().into_iter();
        let searches: BTreeMap<String, String> =
            searches.map(|query| (searching::ledger_key(&query), searching::name(&query))).collect();
        let named = |key: String| searches.get(&key).cloned().unwrap_or(key);
        calls.iter().map(|row| (row.get("run"), named(row.get("key")))).collect()
    }

    /// Everything that models and the search engine were asked so far.
    pub fn asked(&self) -> Vec<Asked> {
        let server = |record: &Record| {
            let name = record.request.header("authorization").unwrap().rsplit('-').next().unwrap();
            name.parse().unwrap()
        };
        let calls = self.models.records().into_iter().map(|record| {
            let case = case(record.request.prompt());
            let key = key(&record.request, self.course.kind(case));
            Asked { server: server(&record), case, key, outcome: record.outcome }
        });
        let searches = self.searches.records().into_iter().map(|record| {
            let query = record.request.body["query"].as_str().expect("a query");
            let (case, key) = (case(query), searching::name(query));
            Asked { server: server(&record), case, key, outcome: record.outcome }
        });
        calls.chain(searches).collect()
    }

    pub async fn kill(&mut self) {
        self.place.send_replace(None);
        let server = self.server.take().expect("a server");
        is_content(&server);
        server.kill();
        let calls = self.ledger().await;
        let running = sqlx::query(
            "SELECT id::text AS run, plan->>'question' AS question FROM runs WHERE status = 'running'",
        );
        for run in running.fetch_all(&mut self.db.superuser().await).await.unwrap() {
            let (run, question): (String, String) = (run.get("run"), run.get("question"));
            let keys: BTreeSet<&str> =
                calls.iter().filter(|(of, _)| *of == run).map(|(_, key)| key.as_str()).collect();
            let stage = self.uninterrupted(case(&question)).stage(&keys);
            *self.stages.entry(stage).or_default() += 1;
            *self.committed.entry(keys.len()).or_default() += 1;
        }
        self.ledgers.push(calls);
    }

    /// Waits for the moment; false when it never comes, because the runs are over.
    pub async fn comes(
        &self,
        moment: Moment,
        runs: &mut JoinSet<(usize, Transcript)>,
        over: &mut Vec<(usize, Transcript)>,
    ) -> bool {
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
                Moment::Found(pause) => {
                    self.searches.next_found().await;
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
                transcript = runs.join_next() => match transcript {
                    Some(transcript) => over.push(transcript.unwrap()),
                    None => return false,
                },
            }
        }
    }
}

/// Nothing is wrong with a server that goes on with what others left.
pub fn is_content(server: &Process) {
    let is_wrong = |line: &Value| {
        let message = line["message"].as_str().unwrap_or_default();
        line["level"] == "ERROR" || message.contains("asks something else")
    };
    let wrong: Vec<_> = server.log_lines().into_iter().filter(is_wrong).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

async fn next<T: Clone>(events: &mut broadcast::Receiver<T>, wanted: impl Fn(&T) -> bool) {
    loop {
        match events.recv().await {
            Ok(one) if wanted(&one) => return,
            Ok(_) | Err(RecvError::Lagged(_)) => {}
            // Nobody says any more: the runs are over, which is seen elsewhere.
            Err(RecvError::Closed) => std::future::pending().await,
        }
    }
}
