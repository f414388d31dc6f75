//! Presets: a user's own, and those that admins give to everybody. Their contents are the server's business; here they
//! are JSON.

use jiff::Timestamp;
use serde_json::Value;
use sqlx::Row as _;
use sqlx::postgres::PgRow;
use sqlx::types::Json;

use crate::id::PresetId;

use super::{StoreError, Tx, refuse_nul, refuse_nul_in_json, settings, time};

/// A named council with its options.
#[derive(Debug, Clone, PartialEq)]
pub struct Preset {
    pub id: PresetId,
    /// Everybody's, not the user's own.
    pub shared: bool,
    pub name: String,
    pub value: Value,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

fn preset(row: &PgRow) -> Result<Preset, sqlx::Error> {
    Ok(Preset {
        id: PresetId(row.try_get("id")?),
        shared: row.try_get("shared")?,
        name: row.try_get("name")?,
        value: row.try_get("value")?,
        created_at: time(row, "created_at")?,
        updated_at: time(row, "updated_at")?,
    })
}

macro_rules! columns {
    () => {
        "id, user_id IS NULL AS shared, name, value, created_at, updated_at"
    };
}

/// A page of the presets of the transaction's user, and of everybody's, by name; in the admins' scope everybody's alone.
pub async fn list(tx: &mut Tx, limit: u32, offset: u32) -> Result<Vec<Preset>, StoreError> {
    let owner = tx.owner()?;
    let rows = sqlx::query(concat!(
        "SELECT ",
        columns!(),
        " FROM presets WHERE user_id = $1 OR user_id IS NULL ORDER BY lower(name), name, id LIMIT $2 OFFSET $3"
    ))
    .bind(owner)
    .bind(i64::from(limit))
    .bind(i64::from(offset))
    .fetch_all(&mut **tx)
    .await?;
    Ok(rows.iter().map(preset).collect::<Result<_, _>>()?)
}

/// How many [`list`] has on all its pages.
pub async fn count(tx: &mut Tx) -> Result<u64, StoreError> {
    let owner = tx.owner()?;
    let count: i64 = sqlx::query_scalar("SELECT count(*) FROM presets WHERE user_id = $1 OR user_id IS NULL")
        .bind(owner)
        .fetch_one(&mut **tx)
        .await?;
    Ok(count.unsigned_abs())
}

/// One of the presets that [`list`] returns.
pub async fn find(tx: &mut Tx, id: PresetId) -> Result<Preset, StoreError> {
    let owner = tx.owner()?;
    let row = sqlx::query(concat!(
        "SELECT ",
        columns!(),
        " FROM presets WHERE id = $1 AND (user_id = $2 OR user_id IS NULL)"
    ))
    .bind(id.0)
    .bind(owner)
    .fetch_one(&mut **tx)
    .await?;
    Ok(preset(&row)?)
}

/// Saves a preset under its name, over one of the same name: the user's own, or everybody's in the
/// admins' scope. Says whether it replaced one; `None` when there are `most` under other names.
pub async fn save(
    tx: &mut Tx,
    name: &str,
    value: &Value,
    most: i64,
) -> Result<Option<(Preset, bool)>, StoreError> {
    refuse_nul("the name", name)?;
    refuse_nul_in_json("the preset", value)?;
    let owner = tx.owner()?;
    // Two at once with new names would both find room for one.
    settings::wait_for_others(tx, &format!("presets/{}", owner.as_deref().unwrap_or_default())).await?;
    let query = if owner.is_some() {
        concat!(
            "INSERT INTO presets (id, user_id, name, value)
             SELECT $1, $2, $3, $4
             WHERE (SELECT count(*) FROM presets WHERE user_id = $2 AND name <> $3) < $5
             ON CONFLICT (user_id, name) WHERE user_id IS NOT NULL
             DO UPDATE SET value = excluded.value, updated_at = now()
             RETURNING xmax <> 0 AS replaced, ",
            columns!()
        )
    } else {
        concat!(
            "INSERT INTO presets (id, user_id, name, value)
             SELECT $1, $2, $3, $4
             WHERE (SELECT count(*) FROM presets WHERE user_id IS NULL AND name <> $3) < $5
             ON CONFLICT (name) WHERE user_id IS NULL
             DO UPDATE SET value = excluded.value, updated_at = now()
             RETURNING xmax <> 0 AS replaced, ",
            columns!()
        )
    };
    let row = sqlx::query(query)
        .bind(PresetId::generate().0)
        .bind(owner)
        .bind(name)
        .bind(Json(value))
        .bind(most)
        .fetch_optional(&mut **tx)
        .await?;
    Ok(row.map(|row| Ok::<_, sqlx::Error>((preset(&row)?, row.try_get("replaced")?))).transpose()?)
}

/// Deletes one: the user's own, or everybody's in the admins' scope.
pub async fn delete(tx: &mut Tx, id: PresetId) -> Result<(), StoreError> {
    let owner = tx.owner()?;
    let done = sqlx::query("DELETE FROM presets WHERE id = $1 AND user_id IS NOT DISTINCT FROM $2")
        .bind(id.0)
        .bind(owner)
        .execute(&mut **tx)
        .await?;
    if done.rows_affected() == 1 { Ok(()) } else { Err(StoreError::NotFound) }
}
