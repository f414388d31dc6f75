//! Brings the database's schema to the version this program was built with. Forward only.

use std::time::{Duration, Instant};

use sqlx::migrate::{MigrateError, Migrator};
use sqlx::{PgConnection, Row as _};

use super::{Db, SetupError, error};

static MIGRATOR: Migrator = {
    let mut migrator = sqlx::migrate!("./migrations");
    // sqlx would wait in pg_advisory_lock without a limit, and its waiting snapshot blocks a
    // CREATE INDEX CONCURRENTLY of the process that holds the lock.
    migrator.locking = false;
    migrator
};

/// "llm-coun" in ASCII: the advisory lock of this program (they are per database).
const LOCK: i64 = 0x6c6c_6d2d_636f_756e;
const LOCK_POLL: Duration = Duration::from_millis(100);
const LOCK_PATIENCE: Duration = Duration::from_secs(120);

/// Applies the migrations that the database does not have yet; one process at a time, the others
/// wait (two minutes at most) and find nothing to do.
///
/// # Errors
/// [`SetupError`] saying what to do. A migration that fails is rolled back.
pub async fn migrate(db: &Db) -> Result<(), SetupError> {
    let mut connection = db.pool.acquire().await?.detach();
    let outcome = migrate_on(&mut connection).await;
    // The lock goes with the connection, whatever happened.
    let closed = sqlx::Connection::close(connection).await;
    outcome?;
    Ok(closed?)
}

async fn migrate_on(connection: &mut PgConnection) -> Result<(), SetupError> {
    let began = Instant::now();
    loop {
        let row = sqlx::query("SELECT pg_try_advisory_lock($1) AS locked")
            .bind(LOCK)
            .fetch_one(&mut *connection)
            .await?;
        if row.try_get("locked")? {
            break;
        }
        if began.elapsed() > LOCK_PATIENCE {
            return Err(SetupError::MigrationLocked { waited_s: began.elapsed().as_secs() });
        }
        tokio::time::sleep(LOCK_POLL).await;
    }
    // Otherwise every start logs that the table of migrations "already exists".
    sqlx::query("SET client_min_messages = warning").execute(&mut *connection).await?;
    match MIGRATOR.run_direct(None, &mut *connection, false).await {
        Ok(()) => Ok(()),
        Err(MigrateError::VersionMissing(version)) => Err(SetupError::NewerDatabase { version }),
        Err(MigrateError::VersionMismatch(version)) => Err(SetupError::ChangedMigration { version }),
        Err(MigrateError::ExecuteMigration(source, version)) => match error::sql_state(&source).as_deref() {
            Some("LC001") => {
                let row =
                    sqlx::query("SELECT current_user::text AS name").fetch_one(&mut *connection).await?;
                Err(SetupError::RolesMissing { user: row.try_get("name")?, source })
            }
            Some("LC002") => Err(SetupError::RolesUnsafe(source)),
            Some(_) | None => Err(SetupError::Migration(MigrateError::ExecuteMigration(source, version))),
        },
        Err(other) => Err(SetupError::Migration(other)),
    }
}
