//! Going on before all members have answered. [`Run::quorum`] waits for enough of several calls;
//! [`Run::with_stragglers`] does the next thing while the others may still come in.
//!
//! Which members made the quorum and which came in time are decisions of the journal, recorded before they are acted
//! on: an execution after a crash goes on with the same members, whichever are faster then.
//!
//! As long as a quorum waits for members, a person may have failed members asked again ([`member_retry`]). They are
//! then waited for by the same rules.

use std::collections::BTreeSet;
use std::future::{Future, poll_fn};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use tokio::sync::watch;

use super::any_event::AnyEvent;
use super::member_retry::{self, MemberRetry};
use super::run::Run;
use super::run_event::RunEvent;
use super::stage::Stage;
use crate::llm::CallFact;

/// The result of one of several calls.
pub trait Contribution {
    /// Whether it counts toward a quorum.
    fn counts(&self) -> bool;
    /// Notes that it came after the quorum.
    fn mark_late(&mut self);
    /// The event that reports it, and the event's key.
    fn event(&self) -> (String, AnyEvent);
    /// The model that was asked.
    fn model(&self) -> &str;
}

/// When to go on.
#[derive(Debug, Clone, Copy)]
pub struct Quorum {
    /// How many contributions that count are enough.
    pub needed: usize,
    /// How long the others are waited for after that.
    pub grace: Duration,
}

/// One of several calls under way.
pub struct PendingCall<'f, T> {
    place: usize,
    member: String,
    /// In a set of its own, so that it is polled when it was woken itself and not for every token of the
    /// others.
    call: FuturesUnordered<BoxFuture<'f, T>>,
}

impl<'f, T> PendingCall<'f, T> {
    /// A member's call, with its place among the others. It must reach models through
    /// [`Run::call`] with the member named, so that it can be stopped.
    pub fn new(place: usize, member: &str, call: impl Future<Output = T> + Send + 'f) -> Self {
        let call: BoxFuture<'f, T> = Box::pin(call);
        Self { place, member: member.to_owned(), call: FuturesUnordered::from_iter([call]) }
    }
}

/// The calls that a quorum did not wait for, and what becomes of them.
pub struct Stragglers<'f, T> {
    pub stage: Stage,
    pub waiting: Vec<PendingCall<'f, T>>,
    /// Whether contributions that come from now on are marked as late.
    pub marked: bool,
    /// The reason given for those that are stopped in the end.
    pub fact: CallFact,
}

/// A contribution, its place and its member.
pub struct Arrival<T> {
    pub place: usize,
    pub member: String,
    pub contribution: T,
}

impl Run {
    /// Asks `count` members, each by its place and the number of its retry (0 at first), and waits until
    /// `needed` of the calls have results that count and the grace has passed, or all are over. Reports each
    /// result as it comes. Returns the results, and the calls that are still under way.
    ///
    /// Where members speak one after another, none is left behind before it was asked: the grace begins with the
    /// last one's turn.
    pub async fn quorum<'f, T: Contribution>(
        &self,
        (stage, key): (&Stage, &str),
        count: usize,
        quorum: Quorum,
        ask: impl Fn(usize, u32) -> PendingCall<'f, T>,
    ) -> (Vec<Arrival<T>>, Vec<PendingCall<'f, T>>) {
        let calls: Vec<PendingCall<'f, T>> = (0..count).map(|place| ask(place, 0)).collect();
        let may_be_partial = quorum.needed < calls.len();
        let mut arrivals = Vec::new();
        if may_be_partial && let Some(members) = self.decided::<Vec<String>>(key) {
            let (mut there, others) =
                calls.into_iter().partition::<Vec<_>, _>(|one| members.contains(&one.member));
            self.all(&mut there, &mut arrivals).await;
            return (arrivals, others);
        }
        let mut waiting = calls;
        let mut wanted = self.wanted_retries();
        let mut grace: Option<BoxFuture<'_, ()>> = None;
        while !waiting.is_empty() {
            // A round polls every call before it ends, so that whatever an earlier execution has
            // finished is in before anything is decided.
            tokio::select! {
                biased;
                round = next_arrivals(&mut waiting) => self.accept(round, &mut arrivals).await,
                () = passed(&mut grace) => break,
                // The sender lives in `self`.
                Ok(()) = wanted.changed() => {}
            }
            let enough = arrivals.iter().filter(|one| one.contribution.counts()).count() >= quorum.needed;
            if may_be_partial && enough && grace.is_none() {
                if quorum.grace.is_zero() && !self.has_waiting_turns() {
                    break;
                }
                grace = Some(Box::pin(async {
                    self.last_turn().await;
                    tokio::time::sleep(quorum.grace).await;
                }));
            }
            // Once nobody is waited for, nobody is asked again: an execution after a crash, which finds all results at
            // once, must not take in a request that came too late for the one before.
            if !waiting.is_empty() {
                self.retry_failed(stage, &mut wanted, &mut arrivals, &mut waiting, &ask).await;
            }
        }
        if may_be_partial {
            self.decide(key, async { members_of(&arrivals) }).await;
        }
        (arrivals, waiting)
    }

    /// Does `main` while stragglers may still come in. Those that are not done when `main` ends are stopped; all of
    /// them are returned.
    pub async fn with_stragglers<M, T: Contribution>(
        &self,
        key: &str,
        stragglers: Stragglers<'_, T>,
        main: impl Future<Output = M>,
    ) -> (M, Vec<Arrival<T>>) {
        let Stragglers { stage, mut waiting, marked, fact } = stragglers;
        if waiting.is_empty() {
            return (main.await, Vec::new());
        }
        let known = self.decided::<Vec<String>>(key);
        let mut given_up = Vec::new();
        if let Some(in_time) = &known {
            (waiting, given_up) = waiting.into_iter().partition(|one| in_time.contains(&one.member));
        }
        let mut arrivals = Vec::new();
        let main = {
            let mut main = std::pin::pin!(main);
            loop {
                tokio::select! {
                    biased;
                    round = next_arrivals(&mut waiting), if !waiting.is_empty() => {
                        self.accept_late(round, marked, &mut arrivals).await;
                    }
                    result = &mut main => break result,
                }
            }
        };
        if known.is_some() {
            while !waiting.is_empty() {
                let round = next_arrivals(&mut waiting).await;
                self.accept_late(round, marked, &mut arrivals).await;
            }
        } else {
            // A result that only waits for its commit counts as there.
            loop {
                let round = self.take_answered(&stage, &mut waiting).await;
                if round.is_empty() {
                    break;
                }
                self.accept_late(round, marked, &mut arrivals).await;
            }
            self.decide(key, async { members_of(&arrivals) }).await;
            given_up = waiting;
        }
        for one in &given_up {
            self.stop(&stage, &one.member, fact.clone());
        }
        self.all(&mut given_up, &mut arrivals).await;
        (main, arrivals)
    }

    /// Asks those failed members again that a person wants asked again.
    async fn retry_failed<'f, T: Contribution>(
        &self,
        stage: &Stage,
        wanted: &mut watch::Receiver<BTreeSet<MemberRetry>>,
        arrivals: &mut Vec<Arrival<T>>,
        waiting: &mut Vec<PendingCall<'f, T>>,
        ask: &impl Fn(usize, u32) -> PendingCall<'f, T>,
    ) {
        let wanted = wanted.borrow_and_update().clone();
        for retry in wanted.into_iter().filter(|retry| retry.stage == *stage) {
            let failed =
                arrivals.iter().position(|one| one.member == retry.member && !one.contribution.counts());
            let Some(at) = failed else { continue };
            if !self.begin_retry(&retry) {
                continue;
            }
            let failed = arrivals.remove(at);
            let number = retry.number;
            self.report_retry(retry, failed.contribution.model()).await;
            waiting.push(ask(failed.place, number));
        }
    }

    /// Publishes the event that a member is asked again. An execution after a crash does so once more: if the one
    /// before has published it, that stays as it is.
    pub(super) async fn report_retry(&self, retry: MemberRetry, model: &str) {
        let MemberRetry { stage, member, number } = retry;
        let key = member_retry::key(number, &format!("{}/{member}", stage.as_str()));
        let started_at = Some(self.now());
        let event =
            RunEvent::MemberRetried { member, model: model.to_owned(), stage, retry: number, started_at };
        self.emit(&key, event).await;
    }

    async fn all<T: Contribution>(
        &self,
        waiting: &mut Vec<PendingCall<'_, T>>,
        arrivals: &mut Vec<Arrival<T>>,
    ) {
        while !waiting.is_empty() {
            let round = next_arrivals(waiting).await;
            self.accept(round, arrivals).await;
        }
    }

    async fn accept<T: Contribution>(&self, round: Vec<Arrival<T>>, arrivals: &mut Vec<Arrival<T>>) {
        for one in round {
            let (key, event) = one.contribution.event();
            self.emit(&key, event).await;
            arrivals.push(one);
        }
    }

    async fn accept_late<T: Contribution>(
        &self,
        mut round: Vec<Arrival<T>>,
        marked: bool,
        arrivals: &mut Vec<Arrival<T>>,
    ) {
        if marked {
            round.iter_mut().for_each(|one| one.contribution.mark_late());
        }
        self.accept(round, arrivals).await;
    }

    /// Takes results of calls whose models have answered already; empty when there are none.
    async fn take_answered<T>(
        &self,
        stage: &Stage,
        waiting: &mut Vec<PendingCall<'_, T>>,
    ) -> Vec<Arrival<T>> {
        poll_fn(|cx| {
            if !waiting.iter().any(|one| self.has_result(stage, &one.member)) {
                return Poll::Ready(Vec::new());
            }
            let round = poll_all(waiting, cx);
            let none_left = !waiting.iter().any(|one| self.has_result(stage, &one.member));
            if round.is_empty() && !none_left { Poll::Pending } else { Poll::Ready(round) }
        })
        .await
    }
}

/// Waits for the timer; for ever where there is none.
async fn passed(timer: &mut Option<BoxFuture<'_, ()>>) {
    match timer {
        Some(timer) => timer.await,
        None => std::future::pending().await,
    }
}

fn members_of<T>(arrivals: &[Arrival<T>]) -> Vec<String> {
    arrivals.iter().map(|one| one.member.clone()).collect()
}

/// Polls every call once, in their order, and takes out those that are over.
fn poll_all<T>(waiting: &mut Vec<PendingCall<'_, T>>, cx: &mut Context<'_>) -> Vec<Arrival<T>> {
    let mut arrivals = Vec::new();
    waiting.retain_mut(|one| match one.call.poll_next_unpin(cx) {
        Poll::Ready(contribution) => {
            // The set held one call, which is over only once.
            arrivals.extend(contribution.map(|contribution| Arrival {
                place: one.place,
                member: one.member.clone(),
                contribution,
            }));
            false
        }
        Poll::Pending => true,
    });
    arrivals
}

/// Waits until at least one is over.
async fn next_arrivals<T>(waiting: &mut Vec<PendingCall<'_, T>>) -> Vec<Arrival<T>> {
    poll_fn(|cx| {
        let arrivals = poll_all(waiting, cx);
        if arrivals.is_empty() && !waiting.is_empty() { Poll::Pending } else { Poll::Ready(arrivals) }
    })
    .await
}
