//! Examines the state of a database, before a server is started or while one runs. Changes nothing in it.

use std::time::Duration;

use jiff::Timestamp;
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, PgConnection, Row as _};

use super::connect::{check, with_our_options};
use super::migrate::{MIGRATOR, TABLE};
use super::{ACQUIRE_TIMEOUT, SetupError};

/// The roles that the server works in, as the first migration makes them.
const ROLES: &str = "ARRAY['llm_council_app', 'llm_council_engine', 'llm_council_admin']";

/// What is there.
#[derive(Debug, Clone, PartialEq)]
pub struct Inspection {
    /// `server_version`, as the server says it.
    pub version: String,
    pub schema: Schema,
    /// Roles of the server that are not there, or that the configured user may not take.
    pub missing_roles: Vec<String>,
    /// Whether the configured user may make those roles itself.
    pub can_make_roles: bool,
    /// Roles of the server with rights that would take row level security away.
    pub unsafe_roles: Vec<String>,
    /// Tables with a user's rows that row level security does not bind.
    pub unprotected_tables: Vec<String>,
    /// The database's clock less this machine's, in milliseconds.
    pub clock_offset_ms: i64,
}

/// How the schema compares to the one that this program was built with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Schema {
    /// There is none yet.
    Empty,
    /// It is the same.
    Current { version: i64 },
    /// This many migrations are missing.
    Older { version: i64, missing: usize },
    /// It has a migration that this program does not know.
    Newer { version: i64 },
    /// A migration differs from the one that was applied.
    Changed { version: i64 },
    /// A migration has begun and not ended.
    Broken { version: i64 },
}

/// Inspects a database, with time limits.
///
/// # Errors
/// [`SetupError`] where it cannot be connected to, is too old or read-only.
pub async fn inspect(options: &PgConnectOptions) -> Result<Inspection, SetupError> {
    check(options).await?;
    let look = async {
        let mut connection = with_our_options(options.clone()).statement_cache_capacity(0).connect().await?;
        let inspection = look(&mut connection).await?;
        connection.close().await?;
        Ok(inspection)
    };
    let in_time = tokio::time::timeout(ACQUIRE_TIMEOUT.saturating_mul(2), look).await;
    in_time.unwrap_or(Err(SetupError::from(sqlx::Error::PoolTimedOut)))
}

/// Plain statements only: behind a pooler each of them may run in another session.
async fn look(connection: &mut PgConnection) -> Result<Inspection, SetupError> {
    let row = sqlx::raw_sql(
        "SELECT current_setting('server_version') AS version,
                (SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user) AS can_make_roles",
    )
    .fetch_one(&mut *connection)
    .await?;
    let (version, can_make_roles) = (row.try_get("version")?, row.try_get("can_make_roles")?);
    let (missing_roles, unsafe_roles) = roles(connection).await?;
    Ok(Inspection {
        version,
        schema: schema(connection).await?,
        missing_roles,
        can_make_roles,
        unsafe_roles,
        unprotected_tables: unprotected_tables(connection).await?,
        clock_offset_ms: clock_offset_ms(connection).await?,
    })
}

async fn roles(connection: &mut PgConnection) -> Result<(Vec<String>, Vec<String>), sqlx::Error> {
    // From version 16 on, membership and the right to SET ROLE are two things.
    let rows = sqlx::raw_sql(sqlx::AssertSqlSafe(format!(
        "SELECT wanted.name,
                coalesce(role.rolsuper OR role.rolbypassrls OR role.rolcanlogin, false) AS is_unsafe,
                coalesce(pg_has_role(current_user, role.oid,
                    CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END), false)
                    AS may_take
         FROM unnest({ROLES}) AS wanted (name) LEFT JOIN pg_roles role ON role.rolname = wanted.name
         ORDER BY wanted.name"
    )))
    .fetch_all(connection)
    .await?;
    let (mut missing, mut too_mighty) = (Vec::new(), Vec::new());
    for row in rows {
        let name: String = row.try_get("name")?;
        if row.try_get("is_unsafe")? {
            too_mighty.push(name.clone());
        }
        if !row.try_get::<bool, _>("may_take")? {
            missing.push(name);
        }
    }
    Ok((missing, too_mighty))
}

async fn schema(connection: &mut PgConnection) -> Result<Schema, sqlx::Error> {
    let there =
        sqlx::raw_sql(sqlx::AssertSqlSafe(format!("SELECT to_regclass('{TABLE}') IS NOT NULL AS there")));
    if !there.fetch_one(&mut *connection).await?.try_get::<bool, _>("there")? {
        return Ok(Schema::Empty);
    }
    let rows = sqlx::raw_sql(sqlx::AssertSqlSafe(format!(
        "SELECT version, success, checksum FROM {TABLE} ORDER BY version"
    )))
    .fetch_all(connection)
    .await?;
    let mut applied: Vec<(i64, Vec<u8>)> = Vec::new();
    for row in rows {
        let version = row.try_get("version")?;
        if !row.try_get::<bool, _>("success")? {
            return Ok(Schema::Broken { version });
        }
        applied.push((version, row.try_get("checksum")?));
    }
    Ok(compare(&applied))
}

/// `applied` is in the order of the versions.
fn compare(applied: &[(i64, Vec<u8>)]) -> Schema {
    let Some((version, _)) = applied.last() else { return Schema::Empty };
    if let Some((unknown, _)) = applied.iter().find(|(version, _)| !MIGRATOR.version_exists(*version)) {
        return Schema::Newer { version: *unknown };
    }
    let mut missing = 0;
    for migration in MIGRATOR.iter() {
        match applied.iter().find(|(version, _)| *version == migration.version) {
            Some((version, checksum)) if *checksum != *migration.checksum => {
                return Schema::Changed { version: *version };
            }
            Some(_) => {}
            None => missing += 1,
        }
    }
    if missing == 0 {
        Schema::Current { version: *version }
    } else {
        Schema::Older { version: *version, missing }
    }
}

async fn unprotected_tables(connection: &mut PgConnection) -> Result<Vec<String>, sqlx::Error> {
    let rows = sqlx::raw_sql(
        "SELECT class.relname::text AS name FROM pg_class class
         WHERE class.relkind IN ('r', 'p') AND class.relnamespace = current_schema()::regnamespace
           AND NOT (class.relrowsecurity AND class.relforcerowsecurity)
           AND EXISTS (SELECT FROM pg_attribute of
                       WHERE of.attrelid = class.oid AND of.attname = 'user_id' AND NOT of.attisdropped)
         ORDER BY 1",
    )
    .fetch_all(connection)
    .await?;
    rows.iter().map(|row| row.try_get("name")).collect()
}

/// Compared with the middle of the time that the query took.
async fn clock_offset_ms(connection: &mut PgConnection) -> Result<i64, sqlx::Error> {
    let asked = Timestamp::now();
    let row = sqlx::raw_sql("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8 AS now_ms")
        .fetch_one(connection)
        .await?;
    let half = Duration::try_from(Timestamp::now().duration_since(asked)).unwrap_or_default() / 2;
    let here = asked.as_millisecond() + i64::try_from(half.as_millis()).unwrap_or_default();
    Ok(row.try_get::<i64, _>("now_ms")? - here)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ours() -> Vec<(i64, Vec<u8>)> {
        MIGRATOR.iter().map(|migration| (migration.version, migration.checksum.to_vec())).collect()
    }

    #[test]
    fn a_schema_is_compared_with_this_programs() {
        let all = ours();
        let newest = all.last().expect("there are migrations").0;
        assert_eq!(compare(&[]), Schema::Empty);
        assert_eq!(compare(&all), Schema::Current { version: newest });
        assert_eq!(compare(&all[..1]), Schema::Older { version: all[0].0, missing: all.len() - 1 });
        let mut newer = all.clone();
        newer.push((newest + 1000, Vec::new()));
        assert_eq!(compare(&newer), Schema::Newer { version: newest + 1000 });
        let mut changed = all;
        changed[0].1 = vec![0];
        assert_eq!(compare(&changed), Schema::Changed { version: changed[0].0 });
    }
}
