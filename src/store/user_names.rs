//! The names of users as a whole: for an upgrade that reads names more strictly than the version before.

use std::collections::BTreeSet;

use serde_json::json;
use sqlx::types::Json;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

use super::erasure::IN_THE_LOG;
use super::{Db, SetupError};

/// Tables apart from those with a `user_id` whose rows name a person.
const OTHERS: [&str; 6] =
    ["users", "budgets", "project_members", "instance_settings", "retention", "projects"];

/// Every user that the database knows, whatever version it is of; a new database knows none.
pub async fn all(db: &Db) -> Result<BTreeSet<String>, SetupError> {
    let mut tx = db.pool.begin_with(db.sessions().begin()).await?;
    let mut names = BTreeSet::new();
    if !has_table(&mut tx, "users").await? {
        return Ok(names);
    }
    for (role, sql) in [
        (
            "SET LOCAL ROLE llm_council_admin",
            "SELECT id FROM users UNION SELECT user_id FROM runs UNION SELECT user_id FROM audit_log",
        ),
        (
            "SET LOCAL ROLE llm_council_engine",
            "SELECT user_id FROM conversations UNION SELECT user_id FROM tokens",
        ),
    ] {
        sqlx::raw_sql(role).execute(&mut *tx).await?;
        names.extend(sqlx::query_scalar::<_, String>(sql).fetch_all(&mut *tx).await?);
    }
    Ok(names)
}

/// The users whose names are not accepted, and about whom no administrator has decided.
pub async fn undecided(db: &Db, is_taken: fn(&str) -> bool) -> Result<Vec<String>, SetupError> {
    let kept = kept(db).await?;
    Ok(all(db).await?.into_iter().filter(|name| !is_taken(name) && !kept.contains(name)).collect())
}

async fn kept(db: &Db) -> Result<BTreeSet<String>, SetupError> {
    let mut tx = db.pool.begin_with(db.sessions().begin()).await?;
    if !has_table(&mut tx, "kept_users").await? {
        return Ok(BTreeSet::new());
    }
    sqlx::raw_sql("SET LOCAL ROLE llm_council_admin").execute(&mut *tx).await?;
    let kept: Vec<String> = sqlx::query_scalar("SELECT id FROM kept_users").fetch_all(&mut *tx).await?;
    Ok(kept.into_iter().collect())
}

/// Keeps these names as they are.
pub async fn keep(db: &Db, names: &[String]) -> Result<(), SetupError> {
    let mut tx = db.pool.begin_with(db.sessions().begin()).await?;
    sqlx::raw_sql("SET LOCAL ROLE llm_council_admin").execute(&mut *tx).await?;
    sqlx::query("INSERT INTO kept_users (id) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING")
        .bind(names)
        .execute(&mut *tx)
        .await?;
    Ok(tx.commit().await?)
}

/// Gives everything of one user another name, which nobody may have. Only the tables' owner can: rows of all tables are
/// changed, bypassing the policies, while nobody else can read them.
///
/// # Errors
/// [`SetupError::Sql`]; nothing is changed then.
pub async fn rename(db: &Db, from: &str, to: &str) -> Result<(), SetupError> {
    let mut connection = db.pool.acquire().await?.detach();
    let renamed = rename_on(&mut connection, from, to).await;
    // Uncommitted changes are rolled back when the connection closes.
    connection.close().await?;
    Ok(renamed?)
}

async fn rename_on(connection: &mut PgConnection, from: &str, to: &str) -> Result<(), sqlx::Error> {
    let mut tx = connection.begin_with("BEGIN; DEALLOCATE ALL").await?;
    let tables: Vec<String> = sqlx::query_scalar(
        "SELECT c.oid::regclass::text FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
         WHERE a.attname = 'user_id' AND NOT a.attisdropped AND c.relkind = 'r'
           AND c.relnamespace = current_schema()::regnamespace
         ORDER BY 1",
    )
    .fetch_all(&mut *tx)
    .await?;
    // Names of tables, as the database itself quotes them.
    let of_each = |statement: fn(&str) -> String| {
        let all = tables.iter().map(String::as_str).chain(OTHERS);
        AssertSqlSafe(all.map(statement).collect::<String>())
    };
    sqlx::raw_sql(of_each(|table| format!("ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY;")))
        .execute(&mut *tx)
        .await?;
    // A row and the one that it refers to change their owner together. References stay deferrable, which changes
    // nothing for transactions that do not defer them.
    let deferrable: Option<String> = sqlx::query_scalar(
        "SELECT string_agg(format('ALTER TABLE %s ALTER CONSTRAINT %I DEFERRABLE INITIALLY IMMEDIATE;',
                                  c.conrelid::regclass, c.conname), '')
         FROM pg_constraint c
         WHERE c.contype = 'f' AND NOT c.condeferrable AND c.connamespace = current_schema()::regnamespace
           AND EXISTS (SELECT FROM pg_attribute a
                       WHERE a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey) AND a.attname = 'user_id')",
    )
    .fetch_one(&mut *tx)
    .await?;
    if let Some(deferrable) = deferrable {
        sqlx::raw_sql(AssertSqlSafe(deferrable)).execute(&mut *tx).await?;
    }
    sqlx::raw_sql("SET CONSTRAINTS ALL DEFERRED").execute(&mut *tx).await?;
    for table in &tables {
        let sql = AssertSqlSafe(format!("UPDATE {table} SET user_id = $2 WHERE user_id = $1"));
        sqlx::query(sql).bind(from).bind(to).execute(&mut *tx).await?;
    }
    for sql in [
        "UPDATE users SET id = $2 WHERE id = $1",
        "UPDATE budgets SET name = $2 WHERE scope = 'user' AND name = $1",
        // A person who has not been here yet may be a member already: they get the higher of the two roles.
        "UPDATE project_members m SET role = other.role FROM project_members other
         WHERE (m.kind, m.name) = ('user', $1) AND (other.kind, other.name) = ('user', $2)
           AND other.project_id = m.project_id
           AND array_position(ARRAY['owner', 'writer', 'viewer'], other.role)
               < array_position(ARRAY['owner', 'writer', 'viewer'], m.role)",
        "DELETE FROM project_members other USING project_members m
         WHERE (other.kind, other.name) = ('user', $2) AND (m.kind, m.name) = ('user', $1)
           AND m.project_id = other.project_id",
        "UPDATE project_members SET name = $2 WHERE kind = 'user' AND name = $1",
    ] {
        sqlx::query(sql).bind(from).bind(to).execute(&mut *tx).await?;
    }
    for sql in IN_THE_LOG {
        sqlx::query(sql).bind(from).bind(to).bind(i64::MAX).execute(&mut *tx).await?;
    }
    sqlx::query(
        "INSERT INTO audit_log (user_id, action, target, details) VALUES ($1, 'user.rename', $1, $2)",
    )
    .bind(to)
    .bind(Json(json!({ "from": from })))
    .execute(&mut *tx)
    .await?;
    sqlx::raw_sql("SET CONSTRAINTS ALL IMMEDIATE").execute(&mut *tx).await?;
    sqlx::raw_sql(of_each(|table| format!("ALTER TABLE {table} FORCE ROW LEVEL SECURITY;")))
        .execute(&mut *tx)
        .await?;
    tx.commit().await
}

async fn has_table(connection: &mut PgConnection, name: &str) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar("SELECT to_regclass($1) IS NOT NULL").bind(name).fetch_one(connection).await
}
