//! A user's request to begin anew.

use crate::store::{StoreError, Tx};

/// Removes the transaction's user's placings, leanings, ballots and feedback, and hides the calls made so far
/// from their analytics. The ledger itself stays: budgets and administrators count by it.
pub async fn clear(tx: &mut Tx) -> Result<(), StoreError> {
    let user = tx.user()?;
    for sql in [
        "DELETE FROM feedback WHERE user_id = $1",
        "DELETE FROM placings WHERE user_id = $1",
        "DELETE FROM leanings WHERE user_id = $1",
        "DELETE FROM run_figures WHERE user_id = $1",
        "INSERT INTO analytics_cleared (user_id) VALUES ($1)
         ON CONFLICT (user_id) DO UPDATE SET cleared_at = now()",
    ] {
        sqlx::query(sql).bind(user.as_str()).execute(&mut **tx).await?;
    }
    Ok(())
}
