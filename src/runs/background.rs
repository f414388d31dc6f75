//! The work that goes on as long as the process lives, and its end.

use super::driver::WRITE_OUT;
use super::state::Runs;
use super::{compaction, notices, recovery};
use crate::shutdown::restart_after_panic;
use crate::store::{Db, StoreError, leases};

impl Runs {
    /// Makes durable what the runs do, through a database connection of its own, until it is dropped.
    /// On a thread of its own, so that a commit never waits for tokens to be handled.
    pub async fn write(self, db: Db) {
        self.shared.log.clone().write(db).await;
    }

    /// Does the other background work (heartbeats, recovery, the queue, notices of other servers) until it
    /// is dropped.
    pub async fn work(self) {
        tokio::join!(
            restart_after_panic("leases", || recovery::keep_leases(&self)),
            restart_after_panic("recovery", || recovery::find_work(&self)),
            restart_after_panic("compaction", || compaction::compact_periodically(&self.shared.db)),
            restart_after_panic("notices", || notices::listen(&self)),
        );
    }

    /// Takes no more runs, drops what is still under way and gives up its leases: another process, or
    /// the next start, goes on with it.
    ///
    /// # Errors
    /// When the leases could not be given up; they run out by themselves then.
    pub async fn hand_over(&self) -> Result<u64, StoreError> {
        self.close();
        self.shared.handed_over.cancel();
        // They write what they have; after that no more records of theirs are accepted.
        drop(tokio::time::timeout(2 * WRITE_OUT, self.idle()).await);
        // What is being claimed right now would keep its lease, and nobody would execute it.
        let _claiming = self.shared.claiming.lock().await;
        leases::release(&self.shared.db, &self.shared.owner).await
    }
}
