//! The past results of models, from which a run's weights are computed: read when the run is asked for, and
//! frozen with its plan.

use std::collections::BTreeMap;

use crate::council::ranking::weights::Record;
use crate::store::analytics;
use crate::store::{Db, Scope, StoreError};

/// The records of this user's models, by model, in one short query.
///
/// # Errors
/// When the database cannot be asked; [`StoreError::WrongScope`] if the scope is not a user's.
pub async fn records(db: &Db, scope: &Scope) -> Result<BTreeMap<String, Record>, StoreError> {
    let records = analytics::records(&mut db.begin(scope).await?).await?;
    Ok(records.into_iter().map(|(model, record)| (model, record.into())).collect())
}

impl From<analytics::Record> for Record {
    fn from(record: analytics::Record) -> Self {
        let analytics::Record { runs, win_rate, average_rank, average_confidence } = record;
        Self { runs, win_rate, average_rank, average_confidence }
    }
}
