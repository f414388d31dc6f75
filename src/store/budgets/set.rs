//! Setting budgets: admins for everybody, people for themselves.

use sqlx::Row as _;

use super::{Budget, BudgetOwner, Period, SetBy};
use crate::id::UserId;
use crate::store::{StoreError, Tx, refuse_nul};

/// A page of the budgets that admins have set, the instance's first. Needs the admins' scope.
pub async fn list(tx: &mut Tx, limit: u32, offset: u32) -> Result<Vec<Budget>, StoreError> {
    tx.require_admin()?;
    let rows = sqlx::query(
        "SELECT scope, name, period, limit_usd FROM budgets
         ORDER BY array_position(ARRAY['instance', 'group', 'user'], scope), name,
                  array_position(ARRAY['run', 'day', 'month'], period)
         LIMIT $1 OFFSET $2",
    )
    .bind(i64::from(limit))
    .bind(i64::from(offset))
    .fetch_all(&mut **tx)
    .await?;
    let read = |row: &sqlx::postgres::PgRow| {
        Ok(Budget {
            owner: BudgetOwner::read(row.try_get("scope")?, row.try_get("name")?)?,
            period: Period::read(row.try_get("period")?)?,
            limit_usd: row.try_get("limit_usd")?,
            set_by: SetBy::Admin,
        })
    };
    rows.iter().map(read).collect()
}

/// Sets one budget, or takes it away with `None`, in the name of the admin `by`; returns the limit there
/// was. Needs the admins' scope.
pub async fn set(
    tx: &mut Tx,
    owner: &BudgetOwner,
    period: Period,
    limit_usd: Option<f64>,
    by: &UserId,
) -> Result<Option<f64>, StoreError> {
    tx.require_admin()?;
    refuse_nul("the budget's name", owner.name())?;
    let before = sqlx::query_scalar(
        "SELECT limit_usd FROM budgets WHERE scope = $1 AND name = $2 AND period = $3 FOR UPDATE",
    )
    .bind(owner.scope())
    .bind(owner.name())
    .bind(period.as_str())
    .fetch_optional(&mut **tx)
    .await?;
    match limit_usd {
        Some(limit) => {
            sqlx::query(
                "INSERT INTO budgets (scope, name, period, limit_usd, updated_by) VALUES ($1, $2, $3, $4, $5)
                 ON CONFLICT (scope, name, period) DO UPDATE
                 SET limit_usd = excluded.limit_usd, updated_by = excluded.updated_by, updated_at = now()",
            )
            .bind(owner.scope())
            .bind(owner.name())
            .bind(period.as_str())
            .bind(limit)
            .bind(by.as_str())
            .execute(&mut **tx)
            .await?;
        }
        None => {
            sqlx::query("DELETE FROM budgets WHERE scope = $1 AND name = $2 AND period = $3")
                .bind(owner.scope())
                .bind(owner.name())
                .bind(period.as_str())
                .execute(&mut **tx)
                .await?;
        }
    }
    Ok(before)
}

/// Sets a cap that the transaction's user puts on themselves, or takes it away with `None`.
pub async fn set_cap(tx: &mut Tx, period: Period, limit_usd: Option<f64>) -> Result<(), StoreError> {
    let user = tx.user()?;
    let query = match limit_usd {
        Some(limit) => sqlx::query(
            "INSERT INTO user_caps (user_id, period, limit_usd) VALUES ($1, $2, $3)
             ON CONFLICT (user_id, period) DO UPDATE SET limit_usd = excluded.limit_usd, updated_at = now()",
        )
        .bind(user.as_str())
        .bind(period.as_str())
        .bind(limit),
        None => sqlx::query("DELETE FROM user_caps WHERE user_id = $1 AND period = $2")
            .bind(user.as_str())
            .bind(period.as_str()),
    };
    query.execute(&mut **tx).await?;
    Ok(())
}
