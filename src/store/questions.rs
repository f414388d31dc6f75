//! Everything that a question is checked against, in one statement: the asker waits for it before anything else
//! happens.

use std::collections::BTreeMap;

use sqlx::Row as _;
use sqlx::types::Json;

use super::analytics::leanings::{self, Agreement, ReviewerSums, agreement, reviewer_rows};
use super::analytics::records::{self, Record, record_rows};
use super::conversations::tree::{Stored, Tree, stored_tree};
use super::settings::{Layers, layers_of};
use super::{StoreError, Tx};
use crate::id::ConversationId;

/// What is known of the asker, and of the conversation that they ask in.
#[derive(Debug)]
pub struct Known {
    pub layers: Layers,
    /// Each model's record, by model id.
    pub records: BTreeMap<String, Record>,
    /// Each reviewer's sums, by model id.
    pub reviewers: BTreeMap<String, ReviewerSums>,
    pub agreement: Agreement,
    /// Absent where the user has no such conversation, or has deleted it.
    pub tree: Option<Tree>,
}

/// Reads it for the transaction's user.
///
/// # Errors
/// When the database is unavailable.
pub async fn known(tx: &mut Tx, conversation: Option<ConversationId>) -> Result<Known, StoreError> {
    let user = tx.user()?;
    let row = sqlx::query(concat!(
        "SELECT ",
        layers_of!("$1"),
        ", ",
        rows_as_json!(record_rows!()),
        " AS records, ",
        rows_as_json!(reviewer_rows!()),
        " AS reviewers, (",
        agreement!(),
        ") AS agreement, (SELECT ",
        stored_tree!("$1", "$2"),
        " AND c.deleted_at IS NULL) AS tree"
    ))
    .bind(user.as_str())
    .bind(conversation.map(|id| id.0))
    .fetch_one(&mut **tx)
    .await?;
    let records: Json<Vec<records::Row>> = row.try_get("records")?;
    let reviewers: Json<Vec<leanings::OfModel>> = row.try_get("reviewers")?;
    let agreement: Json<Agreement> = row.try_get("agreement")?;
    let tree: Option<Json<Stored>> = row.try_get("tree")?;
    Ok(Known {
        layers: Layers::read(&row)?,
        records: records::by_model(records.0),
        reviewers: reviewers.0.into_iter().map(|of| (of.model, of.sums)).collect(),
        agreement: agreement.0,
        tree: tree.map(|stored| stored.0.into()),
    })
}
