//! What can go wrong between the program and its database, by what the caller can do about it.

use std::error::Error as StdError;

use sqlx::migrate::MigrateError;
use sqlx::postgres::PgDatabaseError;

use crate::invisible::holds_nul;

/// Why the database cannot be used, in words that anybody may read.
pub(super) const UNREACHABLE: &str = "the database cannot be reached";
pub(super) const READ_ONLY: &str = "the database is read-only";
const MISSING: &str = "there is no such database yet";
const LOCKED: &str = "another process is migrating the database";

/// What Postgres answers to a write where it takes none.
const READ_ONLY_STATE: &str = "25006";

/// Why a store function did not do what it was asked.
///
/// `Display` never shows the database's own text, which may quote values; that is in `source()`,
/// for the log.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database cannot be used now: no free connection in time, connection lost or refused, server
    /// starting or stopping, statement cut off, schema changed under it. Nothing was changed, or (a lost `COMMIT`) it is unknown whether it was.
    #[error("the database is not available")]
    Unavailable(#[source] sqlx::Error),
    /// No such row, or it is another user's: the two are not distinguished.
    #[error("not found")]
    NotFound,
    /// The conversation already has a run that is queued or running.
    #[error("the conversation already has a live run")]
    ConversationBusy,
    /// The user already used this idempotency key.
    #[error("the idempotency key is already used")]
    IdempotencyKeyUsed,
    /// A row with this id or name is already there.
    #[error("it already exists")]
    AlreadyExists,
    /// Text from outside holds U+0000, which Postgres cannot store.
    #[error("{field} contains the character U+0000, which cannot be stored")]
    NulCharacter {
        /// What the caller named the text.
        field: &'static str,
    },
    /// All data of the transaction's user is being erased: nothing is read or written in their name until that is over.
    #[error("all data of this user is being erased")]
    Erasing,
    /// An administrator has blocked the transaction's user: nothing is read or written in their name.
    #[error("this user is blocked")]
    Blocked,
    /// A conversation was to come into a project in which the transaction's user may not write, or no longer.
    #[error("this user may not write in this project")]
    NotAWriter,
    /// The function needs another scope than the transaction has: a programming error, refused.
    #[error("this needs the scope {needed}")]
    WrongScope {
        /// The scope it needs: `user`, `engine` or `admin`.
        needed: &'static str,
    },
    /// A stored value is not what this program wrote.
    #[error("stored data cannot be read: {what}")]
    Corrupt {
        /// Which table and column.
        what: &'static str,
        /// What the decoder said.
        #[source]
        source: Box<dyn StdError + Send + Sync>,
    },
    /// Any other answer of the database.
    #[error("a database query failed")]
    Sql(#[source] sqlx::Error),
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        if is_unavailable(&error) {
            return Self::Unavailable(error);
        }
        if matches!(error, sqlx::Error::RowNotFound) {
            return Self::NotFound;
        }
        if matches!(error, sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_)) {
            return Self::Corrupt { what: "a column of a row", source: Box::new(error) };
        }
        // The trigger of migration 35. `enter_as` has the same code, and its refusals end at `Db::begin` (see `refusal`).
        if sql_state(&error).as_deref() == Some("LC004") {
            return Self::NotAWriter;
        }
        let constraint = error.as_database_error().and_then(sqlx::error::DatabaseError::constraint);
        match constraint {
            // The project is deleted at this moment.
            Some("conversations_project_id_fkey") => Self::NotAWriter,
            Some("project_members_project_id_fkey" | "project_files_project_id_fkey") => Self::NotFound,
            Some("runs_one_live_per_conversation") => Self::ConversationBusy,
            Some("runs_idempotency_key") => Self::IdempotencyKeyUsed,
            Some(_)
                if error.as_database_error().is_some_and(sqlx::error::DatabaseError::is_unique_violation) =>
            {
                Self::AlreadyExists
            }
            Some(_) | None => Self::Sql(error),
        }
    }
}

impl StoreError {
    /// The database answers, but not in time: the statement took too long, or waited too long for a lock.
    #[must_use]
    pub fn is_too_slow(&self) -> bool {
        self.is_cut_off() || self.has_state("55P03")
    }

    /// The statement itself took too long.
    #[must_use]
    pub fn is_cut_off(&self) -> bool {
        self.has_state("57014")
    }

    fn has_state(&self, state: &str) -> bool {
        matches!(self, Self::Unavailable(error) if sql_state(error).as_deref() == Some(state))
    }
}

/// The refusal to act in the name of a transaction's user (`enter_as` in migration 40), if that is why it did not
/// begin.
pub(super) fn refusal(error: &sqlx::Error) -> Option<StoreError> {
    match sql_state(error).as_deref() {
        Some("LC003") => Some(StoreError::Erasing),
        Some("LC004") => Some(StoreError::Blocked),
        _ => None,
    }
}

/// Whether a prepared statement was refused because the columns of its answer have changed.
pub(super) fn is_stale(error: &sqlx::Error) -> bool {
    let database = error.as_database_error().and_then(|error| error.try_downcast_ref::<PgDatabaseError>());
    database.is_some_and(|error| error.code() == "0A000" && error.routine() == Some("RevalidateCachedQuery"))
}

/// Whether a write was refused because the database, or this session of it, takes none.
pub(super) fn is_read_only(error: &sqlx::Error) -> bool {
    sql_state(error).as_deref() == Some(READ_ONLY_STATE)
}

/// Whether trying again later, unchanged, may succeed.
pub(super) fn is_unavailable(error: &sqlx::Error) -> bool {
    if is_stale(error) {
        return true;
    }
    match sql_state(error).as_deref() {
        Some(state) => {
            // 08: connection; 53: resources (too many connections, disk, memory); 57: operator
            // (shutdown, starting up, statement cut off); 40: deadlock, serialisation; 28 and 3D: a new
            // connection was refused, as while a password, the rules of access or the database itself is replaced;
            // 25P03: an idle transaction was ended; 55P03: a lock did not come in time.
            ["08", "53", "57", "40", "28", "3D"].iter().any(|class| state.starts_with(class))
                || state == "25P03"
                || state == "55P03"
                // 25006: the database is read-only, a standby or one under maintenance.
                || state == READ_ONLY_STATE
        }
        None => matches!(
            error,
            sqlx::Error::Io(_)
                | sqlx::Error::Tls(_)
                | sqlx::Error::Protocol(_)
                | sqlx::Error::PoolTimedOut
                | sqlx::Error::PoolClosed
                | sqlx::Error::WorkerCrashed
                | sqlx::Error::BeginFailed
        ),
    }
}

/// The five-character SQLSTATE, when the database itself answered.
pub(super) fn sql_state(error: &sqlx::Error) -> Option<String> {
    error.as_database_error().and_then(|e| e.code().map(std::borrow::Cow::into_owned))
}

/// Refuses text that Postgres cannot hold.
///
/// # Errors
/// [`StoreError::NulCharacter`] naming `field`.
pub fn refuse_nul(field: &'static str, text: &str) -> Result<(), StoreError> {
    if text.contains('\0') { Err(StoreError::NulCharacter { field }) } else { Ok(()) }
}

/// Refuses NUL in every string and key of a JSON value.
///
/// # Errors
/// [`StoreError::NulCharacter`] naming `field`.
pub fn refuse_nul_in_json(field: &'static str, value: &serde_json::Value) -> Result<(), StoreError> {
    if holds_nul(value) { Err(StoreError::NulCharacter { field }) } else { Ok(()) }
}

/// Replaces U+0000 by U+FFFD: for the words of a model, which must never be lost over one character.
#[must_use]
pub fn clean(text: &str) -> std::borrow::Cow<'_, str> {
    if text.contains('\0') { text.replace('\0', "\u{FFFD}").into() } else { text.into() }
}

/// [`clean`] for every string and key of a JSON value.
pub fn clean_json(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::String(text) => {
            if text.contains('\0') {
                *text = text.replace('\0', "\u{FFFD}");
            }
        }
        serde_json::Value::Array(items) => items.iter_mut().for_each(clean_json),
        serde_json::Value::Object(map) => {
            map.values_mut().for_each(clean_json);
            if map.keys().any(|key| key.contains('\0')) {
                *map = std::mem::take(map)
                    .into_iter()
                    .map(|(key, item)| (clean(&key).into_owned(), item))
                    .collect();
            }
        }
        serde_json::Value::Null | serde_json::Value::Bool(_) | serde_json::Value::Number(_) => {}
    }
}

/// Why the database cannot be used at all: said at start, to the person who runs the server.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The configured URL is not one.
    #[error("database.url is not a Postgres URL: write it as postgres://user:password@host:5432/name")]
    BadUrl(#[source] sqlx::Error),
    /// Nobody answers there, or not with Postgres.
    #[error(
        "cannot reach the database at {place}: check that Postgres runs there and that database.url names it"
    )]
    Unreachable {
        /// Host and port or socket, database and user: no password.
        place: String,
        /// What the connection attempt said.
        #[source]
        source: sqlx::Error,
    },
    /// Postgres refused user or password.
    #[error(
        "the database at {place} refused the login: check user and password, and the server's pg_hba.conf"
    )]
    Refused {
        /// Host and port or socket, database and user: no password.
        place: String,
        /// What Postgres said.
        #[source]
        source: sqlx::Error,
    },
    /// Postgres answers, but has no database of this name.
    #[error("the database at {place} refused the login: there is no such database; create it first")]
    NoDatabase {
        /// Host and port or socket, database and user: no password.
        place: String,
        /// What Postgres said.
        #[source]
        source: sqlx::Error,
    },
    /// A standby, or a database that was made read-only.
    #[error("the database at {place} is read-only")]
    ReadOnly {
        /// Host and port or socket, database and user: no password.
        place: String,
    },
    /// Views with the caller's rights and other things the schema is built on came with 15.
    #[error("the database is PostgreSQL {found}; version 15 or newer is needed")]
    TooOld {
        /// `server_version` as the server says it.
        found: String,
    },
    /// The roles that row level security binds cannot be made by this user.
    #[error(
        "the database user {user} may not create and take the roles the server works in. Run this once as a \
         superuser of the database, then start again:\n{}",
        roles_by_hand(user)
    )]
    RolesMissing {
        /// The configured database user.
        user: String,
        /// What Postgres said.
        #[source]
        source: sqlx::Error,
    },
    /// A role of ours has rights that would defeat row level security.
    #[error(
        "one of the roles llm_council_app, llm_council_engine and llm_council_admin may log in, is a superuser or \
         bypasses row level security. Run, as a superuser: ALTER ROLE <role> NOLOGIN NOSUPERUSER NOBYPASSRLS"
    )]
    RolesUnsafe(#[source] sqlx::Error),
    /// Another process holds the lock.
    #[error(
        "another process has been migrating this database for {waited_s} s; if none is, look for a session that \
         holds an advisory lock in pg_locks"
    )]
    MigrationLocked {
        /// How long this process waited, in seconds.
        waited_s: u64,
    },
    /// The database has a migration that this program does not know.
    #[error(
        "the database was migrated by a newer version (migration {version}): run that version, or restore a backup"
    )]
    NewerDatabase {
        /// The unknown migration.
        version: i64,
    },
    /// A migration that was applied differs from the one in this program.
    #[error("migration {version} of this program differs from the one the database was migrated with")]
    ChangedMigration {
        /// Which one.
        version: i64,
    },
    /// A migration did not go through. It was rolled back.
    #[error("the database could not be migrated; nothing was changed")]
    Migration(#[source] MigrateError),
    /// There are users whose names are no longer valid as they are, and nobody has decided about them.
    #[error("there are users whose names are no longer valid: run llm-council migrate --check")]
    UserNames(Vec<String>),
    /// Any other answer of the database.
    #[error("the database could not be prepared")]
    Sql(#[from] sqlx::Error),
}

impl SetupError {
    /// Why it may be worth waiting, in words that anybody may read; `None` where only a person can fix it.
    #[must_use]
    pub fn passes(&self) -> Option<&'static str> {
        match self {
            Self::Unreachable { source, .. } => (!is_misconfigured(source)).then_some(UNREACHABLE),
            // Compose files and operators may create it after the database server is up.
            Self::NoDatabase { .. } => Some(MISSING),
            Self::ReadOnly { .. } => Some(READ_ONLY),
            Self::MigrationLocked { .. } => Some(LOCKED),
            Self::Sql(source)
            | Self::Migration(MigrateError::Execute(source) | MigrateError::ExecuteMigration(source, _)) => {
                reason(source)
            }
            Self::BadUrl(_)
            | Self::Refused { .. }
            | Self::TooOld { .. }
            | Self::RolesMissing { .. }
            | Self::RolesUnsafe(_)
            | Self::NewerDatabase { .. }
            | Self::ChangedMigration { .. }
            | Self::Migration(_)
            | Self::UserNames(_) => None,
        }
    }
}

fn reason(source: &sqlx::Error) -> Option<&'static str> {
    match sql_state(source).as_deref() {
        Some(READ_ONLY_STATE) => Some(READ_ONLY),
        Some("3D000") => Some(MISSING),
        Some(_) | None => is_unavailable(source).then_some(UNREACHABLE),
    }
}

/// A certificate that is missing or does not fit, or options that contradict each other.
fn is_misconfigured(source: &sqlx::Error) -> bool {
    matches!(source, sqlx::Error::Configuration(_) | sqlx::Error::Tls(_))
}

fn roles_by_hand(user: &str) -> String {
    let user = user.replace('"', "\"\"");
    ["llm_council_app", "llm_council_engine", "llm_council_admin"]
        .map(|role| format!("  CREATE ROLE {role} NOLOGIN;\n  GRANT {role} TO \"{user}\";"))
        .join("\n")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn nul_is_found_and_cleaned_in_keys_and_values() {
        let mut value = json!({"a\u{0}": ["x", {"b": "y\u{0}z"}], "c": 1});
        assert!(refuse_nul_in_json("body", &value).is_err());
        clean_json(&mut value);
        assert_eq!(value, json!({"a\u{FFFD}": ["x", {"b": "y\u{FFFD}z"}], "c": 1}));
    }

    proptest! {
        #[test]
        fn cleaned_text_can_be_stored_and_keeps_its_length(text in ".*") {
            let cleaned = clean(&text);
            prop_assert!(refuse_nul("text", &cleaned).is_ok());
            prop_assert_eq!(cleaned.chars().count(), text.chars().count());
        }
    }
}
