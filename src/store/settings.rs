//! The two layers of settings above the configuration file: the instance's, changed by admins, and
//! each user's own. Their contents are the business of `config` and the server; here they are JSON.

use serde_json::Value;
use sqlx::Row as _;
use sqlx::postgres::PgRow;
use sqlx::types::Json;

use crate::id::UserId;

use super::{StoreError, Tx, refuse_nul_in_json};

/// The layers in force for one user, `None` where nothing was ever saved.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Layers {
    /// What admins changed for everyone.
    pub instance: Option<Value>,
    /// What the user changed for themselves.
    pub user: Option<Value>,
}

/// The columns that [`Layers::read`] reads. The parameter is the user.
macro_rules! layers_of {
    ($user:literal) => {
        concat!(
            "(SELECT value FROM instance_settings) AS instance,
             (SELECT value FROM user_settings WHERE user_id = ",
            $user,
            ") AS own"
        )
    };
}
pub(super) use layers_of;

impl Layers {
    pub(super) fn read(row: &PgRow) -> Result<Self, sqlx::Error> {
        Ok(Self { instance: row.try_get("instance")?, user: row.try_get("own")? })
    }
}

/// The instance's layer and the transaction's user's own, in one query.
pub async fn layers(tx: &mut Tx) -> Result<Layers, StoreError> {
    let user = tx.user()?;
    let sql = concat!("SELECT ", layers_of!("$1"));
    let row = sqlx::query(sql).bind(user.as_str()).fetch_one(&mut **tx).await?;
    Ok(Layers::read(&row)?)
}

/// Like [`layers`], before the user's own layer is replaced: a concurrent transaction waits.
pub async fn layers_to_change(tx: &mut Tx) -> Result<Layers, StoreError> {
    let of = format!("user_settings/{}", tx.user()?);
    wait_for_others(tx, &of).await?;
    layers(tx).await
}

/// Lets one transaction at a time change this, from here to its end. A row lock would not stop two that both find no
/// row.
pub(super) async fn wait_for_others(tx: &mut Tx, what: &str) -> Result<(), StoreError> {
    sqlx::query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))")
        .bind(what)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Replaces the user's own layer.
pub async fn save_user(tx: &mut Tx, value: &Value) -> Result<(), StoreError> {
    let user = tx.user()?;
    refuse_nul_in_json("the settings", value)?;
    sqlx::query(
        "INSERT INTO user_settings (user_id, value) VALUES ($1, $2)
         ON CONFLICT (user_id) DO UPDATE SET value = excluded.value, updated_at = now()",
    )
    .bind(user.as_str())
    .bind(Json(value))
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Drops the user's own layer; says whether there was one.
pub async fn reset_user(tx: &mut Tx) -> Result<bool, StoreError> {
    let user = tx.user()?;
    let done = sqlx::query("DELETE FROM user_settings WHERE user_id = $1")
        .bind(user.as_str())
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected() > 0)
}

/// The instance's layer alone, in any scope.
pub async fn instance(tx: &mut Tx) -> Result<Option<Value>, StoreError> {
    let row = sqlx::query("SELECT value FROM instance_settings").fetch_optional(&mut **tx).await?;
    Ok(row.map(|row| row.try_get("value")).transpose()?)
}

/// The instance's layer, before replacing it: a second admin waits. Needs the
/// admins' scope.
pub async fn instance_to_change(tx: &mut Tx) -> Result<Option<Value>, StoreError> {
    tx.require_admin()?;
    wait_for_others(tx, "instance_settings").await?;
    instance(tx).await
}

/// Replaces the instance's layer, in the name of the admin `by`. Needs the admins' scope.
pub async fn save_instance(tx: &mut Tx, value: &Value, by: &UserId) -> Result<(), StoreError> {
    tx.require_admin()?;
    refuse_nul_in_json("the settings", value)?;
    sqlx::query(
        "INSERT INTO instance_settings (value, updated_by) VALUES ($1, $2)
         ON CONFLICT (singleton) DO UPDATE
         SET value = excluded.value, updated_by = excluded.updated_by, updated_at = now()",
    )
    .bind(Json(value))
    .bind(by.as_str())
    .execute(&mut **tx)
    .await?;
    Ok(())
}
