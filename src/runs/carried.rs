//! The calls that a run takes over from the runs it replaces: see [`rerun`](crate::council::rerun).

use std::collections::HashMap;

use super::live::LiveRun;
use super::store_retry::until_answered;
use crate::council::member_retry::first_key;
use crate::council::rerun::Rerun;
use crate::council::run::FinishedCall;
use crate::store::{Db, StoreError, versions};

/// Finished calls by key, the latest first, since earlier runs may have asked different things under the same key. A
/// member's retry within a run is listed under the key of its first call.
pub(super) type CarriedCalls = HashMap<String, Vec<FinishedCall>>;

/// Reads what a run takes over. A call that cannot be read is made again.
pub(super) async fn load(db: &Db, live: &LiveRun, rerun: &Rerun) -> Result<CarriedCalls, StoreError> {
    let calls = until_answered("what it goes on from", || {
        versions::calls_before(db, live.conversation, live.message, live.id)
    })
    .await?;
    let mut carried = CarriedCalls::new();
    for value in calls {
        match serde_json::from_value::<FinishedCall>(value) {
            Ok(call) if rerun.scope.keeps(&call) => {
                carried.entry(first_key(&call.key).to_owned()).or_default().push(call);
            }
            Ok(_) => {}
            Err(error) => tracing::error!(%error, "a journaled call cannot be read"),
        }
    }
    Ok(carried)
}
