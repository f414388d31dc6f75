//! Brings the database's schema to the version this program was built with. Forward only.
//!
//! Nothing here relies on a session: behind a pooler in transaction mode the next statement may run in another one. So
//! the lock is a transaction's, and so is every statement with parameters.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use sqlx::migrate::{AppliedMigration, Migrate as _, MigrateError, Migration, MigrationType, Migrator};
use sqlx::{
    ConnectOptions as _, Connection as _, PgConnection, Postgres, Row as _, SqlSafeStr as _, Transaction,
};

use super::{ACQUIRE_TIMEOUT, Db, SetupError, error};

/// The migrations that this program was built with, in their order.
pub(super) static MIGRATOR: LazyLock<Migrator> =
    LazyLock::new(|| Migrator::with_migrations(FILES.iter().copied().map(migration).collect()));

/// The version, the name and the text of each file under `migrations/`: build.rs lists them.
static FILES: &[(i64, &str, &str)] = include!(concat!(env!("OUT_DIR"), "/migrations.rs"));

fn migration((version, name, text): (i64, &'static str, &'static str)) -> Migration {
    let outside_of_a_transaction = text.starts_with("-- no-transaction");
    let text = text.into_sql_str();
    Migration::new(
        version,
        name.replace('_', " ").into(),
        MigrationType::Simple,
        text,
        outside_of_a_transaction,
    )
}

/// sqlx's own table of migrations, as earlier versions that left migrating to sqlx have made it.
pub(super) const TABLE: &str = "_sqlx_migrations";

/// "llm-coun" in ASCII: the advisory lock of this program (they are per database).
const LOCK: i64 = 0x6c6c_6d2d_636f_756e;
const LOCK_POLL: Duration = Duration::from_millis(100);
const LOCK_TIMEOUT: Duration = Duration::from_secs(120);

const DEADLOCK_STATE: &str = "40P01";
/// How often a migration is tried. Postgres finds a deadlock after a second (`deadlock_timeout`).
const DEADLOCK_TRIES: u32 = 10;

/// Applies the migrations that the database does not have yet; one process at a time, the others
/// wait (two minutes at most) and find nothing to do.
///
/// # Errors
/// [`SetupError`] saying what to do. A migration that fails is rolled back.
pub async fn migrate(db: &Db) -> Result<(), SetupError> {
    let (mut holder, mut connection) = (connect(db).await?, connect(db).await?);
    let lock = lock(&mut holder).await?;
    let outcome = apply_missing(&mut connection).await;
    let unlocked = lock.rollback().await;
    outcome?;
    unlocked?;
    connection.close().await?;
    Ok(holder.close().await?)
}

async fn connect(db: &Db) -> Result<PgConnection, sqlx::Error> {
    let options = (*db.pool.connect_options()).clone().statement_cache_capacity(0);
    tokio::time::timeout(ACQUIRE_TIMEOUT, options.connect()).await.unwrap_or(Err(sqlx::Error::PoolTimedOut))
}

/// A transaction in which no statement of another client is prepared.
async fn begin(connection: &mut PgConnection) -> Result<Transaction<'_, Postgres>, sqlx::Error> {
    // Without the last part every start logs that the table of migrations "already exists".
    connection.begin_with("BEGIN; DEALLOCATE ALL; SET LOCAL client_min_messages = warning").await
}

/// Holds the lock until the transaction ends. It is polled for instead of waiting inside Postgres: the snapshot of a
/// waiting transaction would block a `CREATE INDEX CONCURRENTLY` of the holder.
async fn lock(connection: &mut PgConnection) -> Result<Transaction<'_, Postgres>, SetupError> {
    let mut lock = begin(connection).await?;
    sqlx::raw_sql("SET LOCAL idle_in_transaction_session_timeout = 0").execute(&mut *lock).await?;
    let began = Instant::now();
    loop {
        let row = sqlx::query("SELECT pg_try_advisory_xact_lock($1) AS locked")
            .bind(LOCK)
            .fetch_one(&mut *lock)
            .await?;
        if row.try_get("locked")? {
            return Ok(lock);
        }
        if began.elapsed() > LOCK_TIMEOUT {
            return Err(SetupError::MigrationLocked { waited_s: began.elapsed().as_secs() });
        }
        tokio::time::sleep(LOCK_POLL).await;
    }
}

async fn apply_missing(connection: &mut PgConnection) -> Result<(), SetupError> {
    match try_to_apply_missing(connection).await {
        Ok(()) => Ok(()),
        Err(MigrateError::VersionMissing(version)) => Err(SetupError::NewerDatabase { version }),
        Err(MigrateError::VersionMismatch(version)) => Err(SetupError::ChangedMigration { version }),
        Err(MigrateError::ExecuteMigration(source, version)) => match error::sql_state(&source).as_deref() {
            Some("LC001") => {
                let row =
                    sqlx::raw_sql("SELECT current_user::text AS name").fetch_one(&mut *connection).await?;
                Err(SetupError::RolesMissing { user: row.try_get("name")?, source })
            }
            Some("LC002") => Err(SetupError::RolesUnsafe(source)),
            Some(_) | None => Err(SetupError::Migration(MigrateError::ExecuteMigration(source, version))),
        },
        Err(other) => Err(SetupError::Migration(other)),
    }
}

async fn try_to_apply_missing(connection: &mut PgConnection) -> Result<(), MigrateError> {
    let mut tx = begin(connection).await?;
    tx.ensure_migrations_table(TABLE).await?;
    if let Some(version) = tx.dirty_version(TABLE).await? {
        return Err(MigrateError::Dirty(version));
    }
    let applied: Vec<AppliedMigration> = tx.list_applied_migrations(TABLE).await?;
    tx.commit().await?;

    if let Some(unknown) = applied.iter().find(|applied| !MIGRATOR.version_exists(applied.version)) {
        return Err(MigrateError::VersionMissing(unknown.version));
    }
    for migration in MIGRATOR.iter() {
        match applied.iter().find(|applied| applied.version == migration.version) {
            Some(applied) if applied.checksum != migration.checksum => {
                return Err(MigrateError::VersionMismatch(migration.version));
            }
            Some(_) => {}
            // For example an index that is built concurrently, which is not possible in a transaction.
            None if migration.no_tx => drop(connection.apply(TABLE, migration).await?),
            None => apply(connection, migration).await?,
        }
    }
    Ok(())
}

/// Applies one in a transaction of its own. A server that runs at the same time may hold what the migration needs and
/// wait for what it holds: Postgres then ends one of the two. Nothing of the migration is done after that, so it is
/// tried again.
async fn apply(connection: &mut PgConnection, migration: &Migration) -> Result<(), MigrateError> {
    let mut tries = 1;
    loop {
        let mut tx = begin(connection).await?;
        match tx.apply(TABLE, migration).await {
            Ok(_) => return Ok(tx.commit().await?),
            Err(error) if tries < DEADLOCK_TRIES && is_deadlock(&error) => {
                let version = migration.version;
                tracing::warn!(
                    version,
                    tries,
                    "a migration and a running server waited for each other: it is tried again"
                );
                tx.rollback().await?;
                tries += 1;
            }
            Err(error) => return Err(error),
        }
    }
}

fn is_deadlock(error: &MigrateError) -> bool {
    let (MigrateError::ExecuteMigration(source, _) | MigrateError::Execute(source)) = error else {
        return false;
    };
    error::sql_state(source).as_deref() == Some(DEADLOCK_STATE)
}
