//! File descriptors: every connection to a client, a model and the database takes one, and the system gives
//! a process only so many. When none are left, runs fail in the middle, so new work is refused before that.

use std::collections::VecDeque;
use std::fs::ReadDir;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The descriptors that a server needs, apart from its connections to the database, to do anything useful at all.
const MIN_DESCRIPTORS: u64 = 240;
/// The most that macOS lets a process set for itself where its hard limit is none.
const WITHOUT_A_LIMIT: u64 = 10_240;
/// A quarter of all is kept for work that has begun, but not more than this.
const MAX_RESERVED: u64 = 256;
/// What a question may take: its reader, seven members and a few more.
const QUESTION: u64 = 16;
/// How long a count stays valid.
const COUNTED: Duration = Duration::from_millis(250);
/// After this time a question that was admitted has opened what it needs, so that the count includes it. On an
/// overloaded machine that takes seconds; until then it is counted in addition to what is open.
const SETTLED: Duration = Duration::from_secs(5);
/// Half of all are for clients, but not more than this.
const MAX_CLIENTS: usize = 25_600;

/// Why a server is not started.
#[derive(Debug, thiserror::Error)]
pub enum DescriptorError {
    /// The hard limit is below the floor.
    #[error(
        "this process may open {limit} files and connections at most, and needs {needed}: raise its limit (ulimit -n, \
         LimitNOFILE= of systemd, --ulimit nofile= of Docker)"
    )]
    TooFew {
        /// The hard limit.
        limit: u64,
        /// What this configuration needs.
        needed: u64,
    },
    /// The system refuses.
    #[error("the limit of open files cannot be raised")]
    Refused(#[source] rustix::io::Errno),
}

/// Raises the limit of this process as far as it may, and says what it is now.
///
/// # Errors
/// [`DescriptorError::TooFew`] where that is too little for a server with so many database connections.
pub fn raise(database_connections: u32) -> Result<u64, DescriptorError> {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let limit = within_reach(current, maximum);
    let needed = MIN_DESCRIPTORS + u64::from(database_connections);
    if limit < needed {
        return Err(DescriptorError::TooFew { limit, needed });
    }
    if current.is_some_and(|current| current < limit) {
        setrlimit(Resource::Nofile, Rlimit { current: Some(limit), maximum })
            .map_err(DescriptorError::Refused)?;
    }
    Ok(limit)
}

/// How far the soft limit can be raised. Macs have no hard limit, and refuse a soft one that is none.
fn within_reach(current: Option<u64>, maximum: Option<u64>) -> u64 {
    match (current, maximum) {
        (_, Some(maximum)) => maximum,
        (Some(current), None) => current.max(WITHOUT_A_LIMIT),
        (None, None) => u64::MAX,
    }
}

/// The descriptors of this process.
#[derive(Debug)]
pub struct Descriptors {
    limit: u64,
    open: Mutex<Count>,
}

#[derive(Debug, Default)]
struct Count {
    at: Option<Instant>,
    open: u64,
    /// When questions were let in, the latest last.
    admitted: VecDeque<Instant>,
}

impl Count {
    /// Lets one more question in if there are enough left of so many descriptors; `open` counts those that are open.
    fn admit(&mut self, limit: u64, now: Instant, open: impl FnOnce() -> u64) -> bool {
        if self.at.is_none_or(|at| now.duration_since(at) > COUNTED) {
            (self.at, self.open) = (Some(now), open());
            self.admitted.retain(|at| now.duration_since(*at) <= SETTLED);
        }
        let kept = (limit / 4).min(MAX_RESERVED);
        let opening = QUESTION.saturating_mul(self.admitted.len() as u64);
        let suffice = self.open.saturating_add(opening).saturating_add(kept) <= limit;
        if suffice {
            self.admitted.push_back(now);
        }
        suffice
    }
}

impl Default for Descriptors {
    fn default() -> Self {
        let limit = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
        Self { limit, open: Mutex::default() }
    }
}

impl Descriptors {
    /// How many clients may be connected at once; more wait until they are taken.
    #[must_use]
    pub fn clients(&self) -> usize {
        usize::try_from(self.limit / 2).unwrap_or(usize::MAX).min(MAX_CLIENTS)
    }

    /// Whether there are enough left for one more question.
    #[must_use]
    pub fn suffice(&self) -> bool {
        let mut count = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        count.admit(self.limit, Instant::now(), || open(self.limit))
    }
}

/// How many are open now. Where they cannot even be counted, none are left.
fn open(limit: u64) -> u64 {
    let listed = std::fs::read_dir("/proc/self/fd").or_else(|error| {
        if error.kind() == std::io::ErrorKind::NotFound { std::fs::read_dir("/dev/fd") } else { Err(error) }
    });
    listed.map_or(limit, |listed: ReadDir| listed.count().try_into().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_soft_limit_is_raised_to_the_hard_one_or_as_far_as_a_mac_allows() {
        assert_eq!(within_reach(Some(1024), Some(524_288)), 524_288);
        assert_eq!(within_reach(Some(256), None), 10_240);
        assert_eq!(within_reach(Some(65_536), None), 65_536);
        assert_eq!(within_reach(None, None), u64::MAX);
    }

    #[test]
    fn questions_that_have_not_opened_what_they_need_are_counted_until_they_have() {
        let mut count = Count::default();
        let begin = Instant::now();
        let mut admit = |after_ms, open| count.admit(300, begin + Duration::from_millis(after_ms), || open);
        let let_in = (0..15).filter(|turn| admit(turn * 300, 60)).count();
        assert_eq!(
            let_in, 11,
            "the eleventh passes the 225 that are not kept back, and no other begins there"
        );
        assert!(!admit(12_000, 230), "nothing is left");
        assert!(admit(20_000, 60), "all have settled");
    }
}
