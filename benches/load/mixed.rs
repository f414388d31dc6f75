//! What a team does in a day, all of it at once.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use tokio::task::JoinSet;
use tokio::time::sleep;
use uuid::Uuid;

use super::cli::{By, Cli, MixedFlags, ModelFlags};
use super::client::{End, Events, Seen, conversation};
use super::http::Connection;
use super::report::{Report, Target, quantile};
use super::test_bed::TestBed;
use super::window::Window;

/// How much a slow reader takes at once, and how often.
const SIP: usize = 2_048;
const SIP_EVERY: Duration = Duration::from_millis(50);
/// How long somebody looks at what came before they do the next thing.
const PAUSE: Duration = Duration::from_millis(100);

/// One thing that somebody does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Act {
    Ask(Way),
    Look(Page),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    FollowUp,
    FirstQuestion,
    Program,
    /// With options that take further rounds and report progress.
    WithOptions,
    Debate,
    /// Leaves in the middle of the answers, comes back and reads all of it.
    ComeAndGo,
    SlowReader,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Page {
    List,
    Conversation,
    Search,
    Analytics,
}

/// What each of them does, one after the other, each starting at a different one.
const DAY: [Act; 20] = [
    Act::Look(Page::List),
    Act::Ask(Way::FirstQuestion),
    Act::Ask(Way::FollowUp),
    Act::Look(Page::Conversation),
    Act::Ask(Way::FollowUp),
    Act::Ask(Way::ComeAndGo),
    Act::Look(Page::List),
    Act::Look(Page::Search),
    Act::Ask(Way::FollowUp),
    Act::Ask(Way::WithOptions),
    Act::Look(Page::Conversation),
    Act::Ask(Way::Program),
    Act::Ask(Way::FollowUp),
    Act::Look(Page::Analytics),
    Act::Ask(Way::FirstQuestion),
    Act::Ask(Way::SlowReader),
    Act::Look(Page::List),
    Act::Ask(Way::Debate),
    Act::Look(Page::Conversation),
    Act::Ask(Way::FollowUp),
];
/// How far from each other neighbours begin.
const STEP: usize = 7;

impl Act {
    fn name(self) -> &'static str {
        match self {
            Self::Ask(Way::FollowUp) => "a follow-up",
            Self::Ask(Way::FirstQuestion) => "a first question",
            Self::Ask(Way::Program) => "a program's question",
            Self::Ask(Way::WithOptions) => "a question with options",
            Self::Ask(Way::Debate) => "a debate",
            Self::Ask(Way::ComeAndGo) => "a reader who comes back",
            Self::Ask(Way::SlowReader) => "a slow reader",
            Self::Look(Page::List) => "the list",
            Self::Look(Page::Conversation) => "an old conversation",
            Self::Look(Page::Search) => "a search",
            Self::Look(Page::Analytics) => "analytics",
        }
    }
}

/// How long something took, and what was seen of a run.
struct Done {
    act: Act,
    took: Duration,
    seen: Option<Seen>,
}

/// Runs the scenario.
pub async fn measure(cli: &Cli, server: &Path, flags: MixedFlags) -> anyhow::Result<Report> {
    let models = ModelFlags::new(flags.call_ms, flags.tokens);
    let mut bed = TestBed::prepare(cli, server, models).await?;
    let window = Window::open(&mut bed, cli.perf.as_deref()).await?;
    let until = Instant::now() + Duration::from_secs(flags.seconds);
    let mut tasks = JoinSet::new();
    for number in 0..flags.users {
        let address = bed.address(number);
        tasks.spawn_local(async move {
            let name = format!("user{number}");
            let mut connection = Connection::open(address, &name, None).await?;
            let mut person = Person { conversation: conversation(&mut connection).await?, connection };
            let mut done = Vec::new();
            for act in DAY.into_iter().cycle().skip(number * STEP % DAY.len()) {
                if Instant::now() >= until {
                    break;
                }
                done.push(person.act(act).await.with_context(|| format!("{name}: {}", act.name()))?);
                sleep(PAUSE).await;
                // The server closes connections that were silent for a while.
                person.connection = Connection::open(address, &name, None).await?;
            }
            anyhow::Ok(done)
        });
    }
    let mut all = Vec::new();
    while let Some(ended) = tasks.join_next().await {
        all.extend(ended.context("a user panicked")??);
    }
    let usage = window.close(&mut bed).await?;

    let mut report = Report::new(format!(
        "{} people for {} s, models of {} ms and {} tokens per call",
        flags.users, flags.seconds, flags.call_ms, flags.tokens
    ));
    report_outcomes(&mut report, &all);
    let mut taken: BTreeMap<Act, Vec<f64>> = BTreeMap::new();
    for Done { act, took, .. } in &all {
        taken.entry(*act).or_default().push(took.as_secs_f64() * 1_000.0);
    }
    for (act, mut taken) in taken {
        let name = act.name();
        #[expect(clippy::cast_precision_loss, reason = "a count far below 2^52")]
        report.row(&format!("{name}: how often"), taken.len() as f64, "", Target::None);
        report.row(&format!("{name}, median"), quantile(&mut taken, 0.5), "ms", Target::None);
        report.row(&format!("{name}, p99"), quantile(&mut taken, 0.99), "ms", Target::None);
    }
    usage.report(&mut report, &bed, Target::None)?;
    bed.clear().await?;
    Ok(report)
}

#[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
fn report_outcomes(report: &mut Report, all: &[Done]) {
    let seen = || all.iter().filter_map(|done| done.seen.as_ref());
    for (what, end, target) in [
        ("runs complete", End::Complete, Target::None),
        ("runs refused (429, 503)", End::Refused, Target::Zero),
        ("runs failed or cut", End::Failed, Target::Zero),
    ] {
        report.row(what, seen().filter(|seen| seen.end == end).count() as f64, "", target);
    }
    let lost: u64 = seen().map(|seen| seen.lost).sum();
    report.row("events lost (gaps in the numbers)", lost as f64, "", Target::Zero);
}

/// One person, with the conversation that they are in.
struct Person {
    connection: Connection,
    conversation: String,
}

impl Person {
    async fn act(&mut self, act: Act) -> anyhow::Result<Done> {
        let began = Instant::now();
        let seen = match act {
            Act::Ask(way) => Some(self.ask(way, began).await?),
            Act::Look(page) => self.look(page).await.map(|()| None)?,
        };
        Ok(Done { act, took: began.elapsed(), seen })
    }

    async fn look(&mut self, page: Page) -> anyhow::Result<()> {
        let path = match page {
            Page::List => "/api/conversations?limit=50".to_owned(),
            Page::Conversation => format!("/api/conversations/{}", self.conversation),
            Page::Search => "/api/search?q=queue".to_owned(),
            Page::Analytics => "/api/analytics".to_owned(),
        };
        self.connection.send("GET", &path, "").await?;
        let mut head = self.connection.head().await?;
        self.connection.body(&mut head).await?;
        anyhow::ensure!(head.status == 200, "HTTP {} to GET {path}", head.status);
        Ok(())
    }

    async fn ask(&mut self, way: Way, began: Instant) -> anyhow::Result<Seen> {
        if matches!(way, Way::FirstQuestion | Way::Debate) {
            self.conversation = Uuid::now_v7().to_string();
        }
        let (connection, conversation) = (&mut self.connection, &self.conversation);
        match way {
            Way::FirstQuestion => {
                Ok(Events::ask_by(By::FirstQuestion, connection, conversation, began).await?.read_all().await)
            }
            Way::Program => {
                let id = Uuid::now_v7().to_string();
                Ok(Events::ask_by(By::V1, connection, &id, began).await?.read_all().await)
            }
            Way::WithOptions => {
                let options = r#""use_refinement":true,"verbosity":3"#;
                Ok(Events::ask_with(connection, conversation, options).await?.read_all().await)
            }
            Way::Debate => {
                let options = r#""mode":"debate","new_conversation":true"#;
                Ok(Events::ask_with(connection, conversation, options).await?.read_all().await)
            }
            Way::ComeAndGo => {
                let run = Events::ask(connection, conversation).await?.run().await?;
                *connection = connection.again().await?;
                Ok(Events::watch(connection, &run).await?.read_all().await)
            }
            Way::SlowReader => {
                let mut events = Events::ask(connection, conversation).await?;
                while events.more(SIP).await? {
                    sleep(SIP_EVERY).await;
                }
                Ok(events.into_seen())
            }
            Way::FollowUp => Ok(Events::ask(connection, conversation).await?.read_all().await),
        }
    }
}
