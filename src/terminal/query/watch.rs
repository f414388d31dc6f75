//! Follows a run from the question to its end: what is shown, and the exit code.

use std::io::{self, IsTerminal as _};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use super::deliberation::Deliberation;
use super::offer;
use super::out::Out;
use super::view::{Events, View, Whole};
use crate::terminal::arguments::Output;
use crate::terminal::exit;
use crate::terminal::live::{CallStatus, LiveRun, RunStatus};
use crate::terminal::session::{Following, Question, Session, Step, Trouble};
use crate::terminal::text::one_line;

/// What is said once a run is to be stopped.
pub const STOPPING: &str = "Stopping … (Ctrl-C again leaves at once)";
/// How often what moves is drawn again.
const TICK: Duration = Duration::from_millis(120);
/// The waits between tries to read an answer: about half a minute, in which a server starts again.
const PAUSES: [Duration; 7] = [
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(5),
    Duration::from_secs(5),
    Duration::from_secs(5),
    Duration::from_secs(10),
];

impl Output {
    /// Whether a person watches.
    #[must_use]
    pub fn is_for_people(&self) -> bool {
        !self.json && !self.jsonl && !self.simple && self.output.is_none() && io::stdout().is_terminal()
    }

    /// Whether that person can be asked something: they see what is printed besides the answer.
    #[must_use]
    pub fn can_ask(&self) -> bool {
        self.is_for_people() && !self.quiet && io::stderr().is_terminal()
    }
}

/// A run that was watched.
#[derive(Debug)]
pub struct Watched {
    /// The run as far as it was followed; in its initial state where the question had no effect.
    pub run: LiveRun,
    /// The exit code, or why there is no answer.
    pub ended: Result<u8, Trouble>,
}

impl Watched {
    /// Nothing was asked.
    fn nothing(ended: Result<u8, Trouble>) -> Self {
        Self { run: LiveRun::default(), ended }
    }
}

/// Asks a question, and shows its run.
pub async fn ask(session: Arc<dyn Session>, question: Question, output: &Output) -> Watched {
    let asked = session.clone();
    watch(session, async move { asked.ask(question).await }, output).await
}

/// Shows an existing run, from its beginning.
pub async fn follow(session: Arc<dyn Session>, run: &str, output: &Output) -> Watched {
    let (followed, id) = (session.clone(), run.to_owned());
    let mut watched = watch(session, async move { followed.follow(&id, 0).await }, output).await;
    // It exists, and is paid for, even if none of its events could be read.
    if watched.run.run_id.is_none() {
        watched.run.apply(&json!({ "type": "run_started", "run_id": run }));
    }
    watched
}

async fn watch(
    session: Arc<dyn Session>,
    following: impl Future<Output = Result<Following, Trouble>>,
    output: &Output,
) -> Watched {
    // Opened before anything is paid for, so that a file that cannot be written is reported now; and before interrupts
    // are caught, because opening a pipe waits for its reader.
    let out = match Out::open(output.output.as_deref()) {
        Ok(out) => out,
        Err(trouble) => return Watched::nothing(Err(trouble)),
    };
    let mut interrupts = Interrupts::listen();
    let mut view = view(out, output);
    tokio::pin!(following);
    let mut stopping = false;
    let following = tokio::select! {
        following = &mut following => following,
        () = interrupts.next() => {
            // The question may have arrived: then its run is stopped as soon as its first event shows that it exists.
            stopping = true;
            view.say(STOPPING);
            tokio::select! {
                following = following => following,
                () = interrupts.next() => return Watched::nothing(Ok(exit::CANCELLED)),
            }
        }
    };
    let mut run = LiveRun::default();
    let ended = match following {
        Ok(following) => {
            to_the_end(session, following, (&mut run, stopping), view.as_mut(), &mut interrupts, output).await
        }
        Err(trouble) => Err(trouble),
    };
    Watched { run, ended }
}

/// Folds and shows events until the last one.
async fn to_the_end(
    session: Arc<dyn Session>,
    mut following: Following,
    (run, mut stopping): (&mut LiveRun, bool),
    view: &mut dyn View,
    interrupts: &mut Interrupts,
    output: &Output,
) -> Result<u8, Trouble> {
    let mut gone = None;
    let mut stopped = false;
    let mut ticks = interval_at(Instant::now() + TICK, TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    loop {
        let shown = tokio::select! {
            biased;
            () = interrupts.next() => {
                if stopping {
                    view.clear();
                    return Ok(exit::CANCELLED);
                }
                stopping = true;
                view.say(STOPPING);
                Ok(())
            }
            step = following.next() => match step {
                None => break,
                Some(Step::Event { event, .. }) => {
                    let is_known = run.options.offer().is_some();
                    run.apply(&event);
                    let shown = view.event(run, &event);
                    if let Some(earlier) = run.options.offer().filter(|_| !is_known) {
                        if output.can_ask() {
                            stopping |= offer::ask(session.as_ref(), run, earlier, view).await.is_err();
                        } else {
                            offer::take(session.as_ref(), run, view).await;
                        }
                    }
                    shown
                }
                Some(Step::Lost(why)) => {
                    view.say(&format!("{}; trying again …", one_line(&why)));
                    Ok(())
                }
                Some(Step::Back) => {
                    view.say("Connected again.");
                    // The request to stop may not have arrived.
                    stopped = false;
                    Ok(())
                }
                Some(Step::Gone(trouble)) => {
                    gone = Some(trouble);
                    break;
                }
            },
            _ = ticks.tick() => view.tick(run),
        };
        if stopping && !stopped && run.run_id.is_some() {
            stopped = true;
            // A server that does not answer must not keep the program running.
            tokio::select! {
                () = stop(session.as_ref(), run, view) => {}
                () = interrupts.next() => return Ok(exit::CANCELLED),
            }
        }
        if let Err(error) = shown {
            // Nobody reads it any more, so the run is stopped before it costs more.
            stop(session.as_ref(), run, view).await;
            return Out::broken(&error);
        }
    }
    if let Some(trouble) = gone {
        view.clear();
        if let Some(id) = &run.run_id {
            eprintln!("llm-council: the run {} goes on without this terminal", one_line(id));
        }
        return Err(trouble);
    }
    let message = if output.json {
        let read = tokio::select! {
            read = stored(session.as_ref(), run, view) => read,
            () = interrupts.next() => Ok(Read::Left),
        };
        match read {
            Ok(Read::Message(message)) => Some(message),
            Ok(Read::Nothing) => None,
            unread => {
                eprintln!("llm-council: {}", unread_answer(run));
                return unread.map(|_| exit::CANCELLED);
            }
        }
    } else {
        None
    };
    if let Err(error) = view.end(run, message.as_ref()) {
        return Out::broken(&error);
    }
    code(run, output)
}

/// What came of reading the stored message.
enum Read {
    Message(Value),
    /// The run has none.
    Nothing,
    /// Nobody waits for it any more.
    Left,
}

/// The stored message of a run that is over. It is paid for, so a server that cannot be reached is tried again.
async fn stored(session: &dyn Session, run: &LiveRun, view: &mut dyn View) -> Result<Read, Trouble> {
    let (Some(conversation), Some(message)) = (&run.conversation_id, &run.message_id) else {
        return Ok(Read::Nothing);
    };
    let mut pauses = PAUSES.iter();
    loop {
        match (session.message(conversation, message).await, pauses.next()) {
            (Err(Trouble::NotReachable(why)), Some(pause)) => {
                view.say(&format!("{}; trying again …", one_line(&why)));
                tokio::time::sleep(*pause).await;
            }
            (read, _) => return read.map(Read::Message),
        }
    }
}

/// Where to find an answer that could not be printed.
fn unread_answer(run: &LiveRun) -> String {
    let id = |id: Option<&str>| one_line(id.unwrap_or("?")).into_owned();
    let conversation = id(run.conversation_id.as_deref());
    format!(
        "the run {} is over, but its answer could not be read; `llm-council export --json {conversation}` prints its \
         conversation",
        id(run.run_id.as_deref())
    )
}

async fn stop(session: &dyn Session, run: &LiveRun, view: &mut dyn View) {
    let Some(id) = &run.run_id else { return };
    if let Err(trouble) = session.cancel(id).await {
        view.say(&format!("It could not be stopped: {trouble}"));
    }
}

fn code(run: &LiveRun, output: &Output) -> Result<u8, Trouble> {
    match run.status {
        RunStatus::Complete if output.strict && some_failed(run) => Ok(exit::PARTIAL),
        RunStatus::Complete => Ok(exit::ANSWERED),
        RunStatus::Cancelled => {
            // The person who stopped it here knows.
            if let Some(why) = &run.error {
                eprintln!("llm-council: {}", one_line(why));
            }
            Ok(exit::CANCELLED)
        }
        RunStatus::Queued | RunStatus::Running | RunStatus::Failed => {
            let why = run.error.as_deref().unwrap_or("the run ended without an answer");
            let why = one_line(why).into_owned();
            match run.error_kind.as_deref() {
                Some("budget") => Err(Trouble::OverBudget(why)),
                _ => Err(Trouble::Failed(why)),
            }
        }
    }
}

fn some_failed(run: &LiveRun) -> bool {
    let answers = run.answers.iter().map(|answer| &answer.piece);
    let reviews = run.reviews.iter().map(|review| review.piece.status);
    let mut all = answers.map(|piece| piece.status).chain(reviews).chain([run.final_answer.piece.status]);
    all.any(|status| status == CallStatus::Failed) || !run.final_answer.failures.is_empty()
}

/// Ctrl-C, as often as it is pressed, and SIGTERM, by which a shell or a supervisor asks for the end.
pub struct Interrupts(Option<(tokio::signal::unix::Signal, tokio::signal::unix::Signal)>);

impl Interrupts {
    /// Listens for them from now on.
    #[must_use]
    pub fn listen() -> Self {
        use tokio::signal::unix::{SignalKind, signal};
        let both =
            signal(SignalKind::interrupt()).and_then(|one| Ok((one, signal(SignalKind::terminate())?)));
        if let Err(error) = &both {
            tracing::error!(%error, "signals cannot be received: Ctrl-C ends the program without stopping the run");
        }
        Self(both.ok())
    }

    /// Waits for the next of them.
    pub async fn next(&mut self) {
        match &mut self.0 {
            Some((interrupt, terminate)) => tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            },
            None => std::future::pending().await,
        }
    }
}

/// The view that was asked for.
fn view(out: Out, output: &Output) -> Box<dyn View> {
    let quiet = output.quiet || !io::stderr().is_terminal();
    if output.jsonl {
        Box::new(Events { out, quiet })
    } else if output.json || output.simple {
        Box::new(Whole { out, quiet, json: output.json })
    } else {
        Box::new(Deliberation::new(out, output))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use async_trait::async_trait;
    use futures_util::stream;
    use serde_json::Map;

    use super::*;
    use crate::terminal::session::{Method, Place};

    /// Answers every question, but cannot be reached the first `times` times that the answer is read.
    struct Away {
        times: usize,
        read: AtomicUsize,
    }

    #[async_trait]
    impl Session for Away {
        fn place(&self) -> &Place {
            &Place::Here
        }

        async fn request(&self, _: Method, _: &str, _: Option<&Value>) -> Result<Value, Trouble> {
            if self.read.fetch_add(1, Ordering::Relaxed) < self.times {
                return Err(Trouble::NotReachable("it is away".to_owned()));
            }
            Ok(json!({"messages": [{"id": "m", "role": "assistant", "status": "complete"}]}))
        }

        async fn text(&self, path: &str) -> Result<String, Trouble> {
            Err(Trouble::NotFound(path.to_owned()))
        }

        async fn upload(&self, name: &str, _: Vec<u8>) -> Result<Value, Trouble> {
            Err(Trouble::NotFound(name.to_owned()))
        }

        async fn ask(&self, _: Question) -> Result<Following, Trouble> {
            let events = vec![
                json!({"type": "run_started", "run_id": "r", "conversation_id": "c", "message_id": "m"}),
                json!({"type": "complete"}),
            ];
            Ok(Following::new(stream::iter(events.into_iter().map(|event| Step::Event { seq: None, event }))))
        }

        async fn follow(&self, run: &str, _: u64) -> Result<Following, Trouble> {
            Err(Trouble::NotFound(run.to_owned()))
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_is_paid_for_is_read_again_while_its_server_is_away() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("answer.json");
        let output = Output { json: true, output: Some(file.clone()), ..Output::default() };
        let asked = async |times| {
            let away = Arc::new(Away { times, read: AtomicUsize::new(0) });
            ask(away, Question::first(Map::new()), &output).await
        };
        assert_eq!(asked(2).await.ended, Ok(exit::ANSWERED));
        let printed: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        assert_eq!(printed["id"], "m");

        let lost = asked(usize::MAX).await;
        assert_eq!(lost.ended, Err(Trouble::NotReachable("it is away".to_owned())));
        let told = unread_answer(&lost.run);
        assert!(told.contains("the run r ") && told.contains("export --json c`"), "{told}");
    }
}
