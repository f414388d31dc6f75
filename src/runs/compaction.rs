//! Shrinking the logs of runs that are over: tokens are of no more use once the answer that they built is
//! complete; structural events stay for replay.

use std::time::Duration;

use super::frame::{self, Frame, from_log};
use super::state::Runs;
use crate::store::journal::{self, LogRow};
use crate::store::{Db, StoreError};

/// How long a run's tokens stay after its end, for readers that reconnect.
const AFTER: Duration = Duration::from_secs(5 * 60);
const EVERY: Duration = Duration::from_secs(60);
const AT_ONCE: usize = 100;
/// How much of a compacted log one row holds, so that a reader never has to load it all at once.
const ROW_BYTES: usize = 64 * 1024;

impl Runs {
    /// Shrinks the logs of runs that ended longer ago than `after` to their structural events; returns how many. The
    /// background work does this every minute.
    ///
    /// # Errors
    /// When the database cannot be asked; logs compacted before that stay so.
    pub async fn compact_logs(&self, after: Duration) -> Result<usize, StoreError> {
        compact_ended(&self.shared.db, after).await
    }
}

/// Compacts until it is dropped. Any number of processes may do so at the same time.
pub(super) async fn compact_periodically(db: &Db) {
    let mut ticks = tokio::time::interval(EVERY);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        if let Err(error) = compact_ended(db, AFTER).await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "the logs of ended runs could not be compacted; trying again in a minute"
            );
        }
    }
}

/// Compacts the runs that ended longer ago than `after`; returns how many.
async fn compact_ended(db: &Db, after: Duration) -> Result<usize, StoreError> {
    let mut done = 0;
    loop {
        let ended = journal::to_compact(db, after, AT_ONCE).await?;
        for run in &ended {
            journal::compact(db, *run, shorten).await?;
        }
        done += ended.len();
        if ended.len() < AT_ONCE {
            return Ok(done);
        }
    }
}

/// A log's rows without tokens.
fn shorten(rows: &[String]) -> Vec<LogRow> {
    let kept = rows.iter().flat_map(|text| from_log(text)).flatten().filter(|frame| !frame.is_token());
    let mut short = Vec::new();
    let mut row: Vec<Frame> = Vec::new();
    let mut bytes = 0;
    for frame in kept {
        if bytes > 0 && bytes + frame.json.len() > ROW_BYTES {
            short.extend(frame::to_row(&std::mem::take(&mut row)));
            bytes = 0;
        }
        bytes += frame.json.len();
        row.push(frame);
    }
    short.extend(frame::to_row(&row));
    short
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    fn frame(seq: u64, key: &str, size: usize) -> Frame {
        Frame::encoded(seq, key, Bytes::from(vec![b'x'; size]), false)
    }

    #[test]
    fn tokens_go_and_structural_events_stay_with_their_numbers() {
        let log = [
            frame::to_log(&[frame(1, "start", 2), frame(2, "", 2)]),
            frame::to_log(&[frame(3, "", 2), frame(100_004, "stage1", 2)]),
        ];
        let short = shorten(&log);
        assert_eq!(short.len(), 1);
        assert_eq!((short[0].first_seq, short[0].last_seq), (1, 100_004));
        let kept: Vec<u64> = from_log(&short[0].frames).map(|frame| frame.unwrap().seq).collect();
        assert_eq!(kept, [1, 100_004]);
    }

    #[test]
    fn a_long_log_is_cut_into_rows() {
        let frames: Vec<Frame> = (1..=5).map(|seq| frame(seq, "a", ROW_BYTES / 2)).collect();
        let short = shorten(&[frame::to_log(&frames)]);
        assert_eq!(
            short.iter().map(|row| (row.first_seq, row.last_seq)).collect::<Vec<_>>(),
            [(1, 2), (3, 4), (5, 5)]
        );
        assert_eq!(shorten(&[]), []);
    }
}
