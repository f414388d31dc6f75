//! The background work of this process's runs, and handing the runs over when it ends.

use super::driver::WRITE_OUT;
use super::state::Runs;
use super::{compaction, notices, recovery};
use crate::shutdown::restart_after_panic;
use crate::store::{Db, StoreError, leases};

impl Runs {
    /// Commits the records and events of all runs until it is dropped. `db` should be a pool of its own, so that a
    /// commit never waits for another query's connection.
    pub async fn write(self, db: Db) {
        self.shared.log.clone().write(db).await;
    }

    /// Does the other background work (heartbeats, recovery, the queue, compaction, notices of other servers) until
    /// it is dropped.
    pub async fn work(self) {
        tokio::join!(
            restart_after_panic("leases", || recovery::keep_leases(&self)),
            restart_after_panic("recovery", || recovery::find_work(&self)),
            restart_after_panic("compaction", || compaction::compact_periodically(&self.shared.db)),
            restart_after_panic("notices", || notices::listen(&self)),
        );
    }

    /// Refuses new runs, drops those still under way and releases their leases, so that another process, or the next
    /// start of this one, takes them over. Returns how many leases were released.
    ///
    /// # Errors
    /// When the leases could not be released; they then expire by themselves.
    pub async fn hand_over(&self) -> Result<u64, StoreError> {
        self.close();
        self.shared.handed_over.cancel();
        // The runs' tasks write what they have; after that the database accepts none of their records.
        drop(tokio::time::timeout(2 * WRITE_OUT, self.idle()).await);
        // A run that is just being claimed would keep its lease, and nobody would execute it.
        let _claiming = self.shared.claiming.lock().await;
        leases::release(&self.shared.db, &self.shared.owner).await
    }
}
