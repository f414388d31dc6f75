//! What can stand between the server and a local database, in words that say what to do.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Why there is no local database.
#[derive(Debug, thiserror::Error)]
pub enum LocalError {
    /// Neither `initdb` nor `postgres` (15 or newer) was found.
    #[error(
        "no PostgreSQL {needed} was found on this machine. Install it (apt-get install postgresql), or start with \
         `make run`, which does; or set database.url to use a database elsewhere. LLM_COUNCIL_PG_BIN may name \
         the directory of initdb and postgres. Looked in: {looked_in}"
    )]
    NoBinaries {
        /// "15 or newer", or the version of the cluster that is there.
        needed: String,
        /// Every directory that was tried.
        looked_in: String,
    },
    /// Another live process uses this data directory.
    #[error(
        "another server is using the data directory {data_dir}: stop it, or give this one another data_dir"
    )]
    InUse {
        /// The directory.
        data_dir: PathBuf,
    },
    /// Started by root, and no way to run Postgres unprivileged works here.
    #[error(
        "PostgreSQL does not run as root, and no other way works here: {tried}. Start the server as an ordinary \
         user, move data_dir to where the user postgres can reach it, or set database.url"
    )]
    NoUser {
        /// What was tried, and what came of it.
        tried: String,
    },
    /// The cluster belongs to another user.
    #[error("{path} belongs to user id {owner}: start the server as that user or as root")]
    NotOurs {
        /// The path that belongs to another user.
        path: PathBuf,
        /// Its owner.
        owner: u32,
    },
    /// A Postgres that is not ours to stop runs on the cluster.
    #[error("process {pid} runs PostgreSQL on {path} and did not stop: stop it by hand, then start again")]
    StillRunning {
        /// The postmaster.
        pid: u32,
        /// The cluster.
        path: PathBuf,
    },
    /// `initdb` or `postgres` gave up.
    #[error("{program} failed ({status}). Its last words:\n{output}")]
    Failed {
        /// Which one.
        program: &'static str,
        /// How it ended.
        status: String,
        /// The end of its output.
        output: String,
    },
    /// Postgres did not answer in time.
    #[error("PostgreSQL did not answer within {} s; see {log}", waited.as_secs())]
    Silent {
        /// How long it had.
        waited: Duration,
        /// Its log.
        log: PathBuf,
        /// The last connection attempt.
        #[source]
        source: sqlx::Error,
    },
    /// A file or a process could not be handled.
    #[error("{what}: {source}")]
    Io {
        /// What was being done, to what.
        what: String,
        /// The system's answer.
        #[source]
        source: io::Error,
    },
    /// The new cluster's database could not be made.
    #[error("the local database could not be prepared")]
    Sql(#[from] sqlx::Error),
}

/// Says what an I/O error was about.
pub(super) fn about<T>(result: io::Result<T>, what: impl FnOnce() -> String) -> Result<T, LocalError> {
    result.map_err(|source| LocalError::Io { what: what(), source })
}
