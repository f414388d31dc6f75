//! The shutdown coordinator: it counts every live stream and task, notifies them when the server shuts down, and logs
//! what it waits for. Handed in, never global. Imports no other room.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::FutureExt as _;
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

/// How often a drain logs what it waits for.
const REPORT_EVERY: Duration = Duration::from_secs(5);
/// How long after a panic work is begun again.
const RESTART_AFTER: Duration = Duration::from_secs(1);

/// Counted tasks, and the only way to start one.
#[derive(Debug, Clone, Default)]
pub struct Tasks {
    /// Tasks that a drain waits for.
    work: TaskTracker,
    /// Tasks that live as long as the server, and end with it.
    background: CancellationToken,
}

impl Tasks {
    /// Starts a task that a drain waits for.
    #[expect(clippy::disallowed_methods, reason = "the one place where tasks are started, counted")]
    pub fn spawn<F>(&self, task: F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        drop(tokio::spawn(self.work.track_future(task)));
    }

    /// Starts a task that goes on for as long as the server lives and is dropped at its end.
    #[expect(clippy::disallowed_methods, reason = "the one place where tasks are started, counted")]
    pub fn spawn_background<F>(&self, task: F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let ended = self.background.clone();
        drop(tokio::spawn(async move {
            tokio::select! {
                () = task => {}
                () = ended.cancelled() => {}
            }
        }));
    }

    /// [`Tasks::spawn_background`] for a task without which the server is of no use: the returned token is cancelled
    /// when the task ends, even by a panic.
    pub fn spawn_needed<F>(&self, task: F) -> CancellationToken
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let ended = CancellationToken::new();
        let guard = ended.clone().drop_guard();
        self.spawn_background(async move {
            let _guard = guard;
            task.await;
        });
        ended
    }

    /// Makes a drain wait until this is dropped, as for a task: for code that is about to start one.
    #[must_use]
    pub fn hold(&self) -> Hold {
        Hold { _counted: self.work.token() }
    }

    /// How many tasks a drain would wait for.
    #[must_use]
    pub fn count(&self) -> usize {
        self.work.len()
    }

    /// Ends the background tasks.
    pub fn end_background(&self) {
        self.background.cancel();
    }
}

/// Does work that lasts as long as the server, and begins it again after a panic: otherwise it would end, with all
/// other work of the same task, while the server went on. `what` is the work's name in the log.
pub async fn restart_after_panic<F>(what: &'static str, begin: impl Fn() -> F)
where
    F: Future<Output = ()>,
{
    // The panic hook has reported the panic itself, with its location.
    while AssertUnwindSafe(begin()).catch_unwind().await.is_err() {
        tracing::error!(what, "a fault of this server ended work in the background, which begins again");
        tokio::time::sleep(RESTART_AFTER).await;
    }
}

/// See [`Tasks::hold`].
#[derive(Debug)]
pub struct Hold {
    _counted: TaskTrackerToken,
}

/// The shutdown coordinator. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Shutdown {
    tasks: Tasks,
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    announced: AtomicBool,
    begun: CancellationToken,
    streams: AtomicUsize,
    stream_ended: Notify,
}

/// What was left when a drain ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Drained {
    pub streams_left: usize,
    pub tasks_left: usize,
}

impl Drained {
    /// Whether everything ended by itself.
    #[must_use]
    pub fn is_clean(self) -> bool {
        self.streams_left == 0 && self.tasks_left == 0
    }
}

impl Shutdown {
    /// A coordinator with nothing to wait for.
    #[must_use]
    pub fn new() -> Self {
        metrics::describe_gauge!("llm_council_streams_live", "Streams that somebody reads here.");
        metrics::gauge!("llm_council_streams_live").increment(0.0);
        Self::default()
    }

    /// The counted tasks.
    #[must_use]
    pub fn tasks(&self) -> Tasks {
        self.tasks.clone()
    }

    /// Counts a live stream until the guard is dropped.
    #[must_use]
    pub fn register_stream(&self) -> StreamGuard {
        self.inner.streams.fetch_add(1, Ordering::SeqCst);
        metrics::gauge!("llm_council_streams_live").increment(1.0);
        StreamGuard { inner: self.inner.clone() }
    }

    /// How many streams are live.
    #[must_use]
    pub fn streams(&self) -> usize {
        self.inner.streams.load(Ordering::SeqCst)
    }

    /// Announces that the server will soon shut down: readiness probes see it, everything else goes on as before.
    pub fn announce(&self) {
        self.inner.announced.store(true, Ordering::SeqCst);
    }

    /// Whether the server shuts down now or soon.
    #[must_use]
    pub fn is_announced(&self) -> bool {
        self.inner.announced.load(Ordering::SeqCst)
    }

    /// Whether the server is shutting down.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        self.inner.begun.is_cancelled()
    }

    /// Completes when the server begins to shut down: every stream waits for this too.
    pub async fn stopping(&self) {
        self.inner.begun.cancelled().await;
    }

    /// Begins the shutdown.
    pub fn begin(&self) {
        self.announce();
        self.inner.begun.cancel();
    }

    /// Waits until every stream and every task has ended, for at most `limit`, and logs every few seconds what it waits
    /// for.
    pub async fn drain(&self, limit: Duration) -> Drained {
        self.begin();
        self.tasks.work.close();
        let deadline = Instant::now() + limit;
        loop {
            let report = Instant::now() + REPORT_EVERY;
            match tokio::time::timeout_at(report.min(deadline), self.ended()).await {
                Ok(()) => return Drained { streams_left: 0, tasks_left: 0 },
                Err(_) if Instant::now() >= deadline => {
                    let left = Drained { streams_left: self.streams(), tasks_left: self.tasks.count() };
                    tracing::warn!(
                        streams = left.streams_left,
                        runs = left.tasks_left,
                        "the drain time is over"
                    );
                    return left;
                }
                Err(_) => {
                    tracing::info!(
                        streams = self.streams(),
                        runs = self.tasks.count(),
                        "shutting down, waiting"
                    );
                }
            }
        }
    }

    async fn ended(&self) {
        self.tasks.work.wait().await;
        loop {
            let ended = self.inner.stream_ended.notified();
            if self.streams() == 0 {
                return;
            }
            ended.await;
        }
    }
}

/// A live stream, counted.
#[derive(Debug)]
pub struct StreamGuard {
    inner: Arc<Inner>,
}

impl Drop for StreamGuard {
    fn drop(&mut self) {
        self.inner.streams.fetch_sub(1, Ordering::SeqCst);
        metrics::gauge!("llm_council_streams_live").decrement(1.0);
        self.inner.stream_ended.notify_waiters();
    }
}

/// The signals that stop the server.
pub struct Signals {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
}

impl Signals {
    /// Listens for SIGTERM and SIGINT from now on.
    pub fn listen() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    /// The next SIGTERM or SIGINT, by name.
    pub async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.interrupt.recv() => "SIGINT",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_drain_ends_with_the_last_task_and_stream() {
        let shutdown = Shutdown::new();
        let stream = shutdown.register_stream();
        let stopping = shutdown.clone();
        shutdown.tasks().spawn(async move {
            stopping.stopping().await;
            tokio::time::sleep(Duration::from_secs(20)).await;
            drop(stream);
        });
        let begun = Instant::now();
        assert!(shutdown.drain(Duration::from_secs(90)).await.is_clean());
        assert_eq!(begun.elapsed().as_secs(), 20);
    }

    #[tokio::test(start_paused = true)]
    async fn a_drain_gives_up_at_its_limit_and_says_on_what() {
        let shutdown = Shutdown::new();
        let _stream = shutdown.register_stream();
        shutdown.tasks().spawn(std::future::pending());
        let left = shutdown.drain(Duration::from_secs(7)).await;
        assert_eq!(left, Drained { streams_left: 1, tasks_left: 1 });
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_about_to_start_a_task_is_waited_for() {
        let shutdown = Shutdown::new();
        let hold = shutdown.tasks().hold();
        let begun = Instant::now();
        let later = async {
            tokio::time::sleep(Duration::from_secs(5)).await;
            drop(hold);
        };
        let (drained, ()) = tokio::join!(shutdown.drain(Duration::from_secs(90)), later);
        assert!(drained.is_clean() && begun.elapsed().as_secs() == 5);
    }

    #[tokio::test(start_paused = true)]
    async fn work_begins_again_after_a_panic_and_what_is_beside_it_goes_on() {
        let (begun, beside) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let faulty = restart_after_panic("a test", || async {
            assert_eq!(begun.fetch_add(1, Ordering::SeqCst), 2, "a fault of the work");
        });
        let other = async {
            tokio::time::sleep(RESTART_AFTER).await;
            beside.fetch_add(1, Ordering::SeqCst);
        };
        tokio::join!(faulty, other);
        assert_eq!((begun.into_inner(), beside.into_inner()), (3, 1));
    }

    #[tokio::test]
    async fn the_end_of_a_task_that_is_needed_is_heard_also_where_it_is_a_panic() {
        let tasks = Shutdown::new().tasks();
        let faulty = tasks.spawn_needed(async {
            assert!(Tasks::default().count() > 0, "a fault of the work");
        });
        let other = tasks.spawn_needed(std::future::pending());
        tokio::time::timeout(Duration::from_secs(60), faulty.cancelled()).await.expect("nobody hears of it");
        assert!(!other.is_cancelled(), "this one goes on");
    }

    #[tokio::test]
    async fn background_tasks_are_dropped_at_the_end_and_never_waited_for() {
        let shutdown = Shutdown::new();
        let guard = shutdown.register_stream();
        shutdown.tasks().spawn_background(async move {
            let _held = guard;
            std::future::pending::<()>().await;
        });
        assert_eq!(shutdown.tasks().count(), 0);
        shutdown.tasks().end_background();
        assert!(shutdown.drain(Duration::from_secs(60)).await.is_clean());
    }
}
