//! What people thought of their runs: one opinion for each, which they may change.

use jiff::Timestamp;
use sqlx::Row as _;

use super::{StoreError, Tx, time};
use crate::id::RunId;

/// A user's opinion of the final answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Thumb {
    Up,
    Down,
}

impl Thumb {
    /// The name in JSON and in the store.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Up => "up",
            Self::Down => "down",
        }
    }

    /// Reads a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Up, Self::Down].into_iter().find(|thumb| thumb.as_str() == name)
    }
}

/// Which answer was the best of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BetterAnswer {
    /// The council's final answer.
    Council,
    /// The answer at this place of the run's list of answers, from 0.
    Seat(i16),
}

/// An opinion: a thumb, the better answer, or both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opinion {
    pub thumb: Option<Thumb>,
    pub better: Option<BetterAnswer>,
    /// What was wrong; only with a thumb down.
    pub comment: Option<String>,
}

/// An opinion as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feedback {
    pub opinion: Opinion,
    pub updated_at: Timestamp,
}

/// Stores an opinion on one of this user's runs, in the place of an earlier one. The caller must know that the run is
/// the user's, since they have just read it.
pub async fn put(tx: &mut Tx, run: RunId, opinion: Opinion) -> Result<Feedback, StoreError> {
    let user = tx.user()?;
    let (better, seat) = match opinion.better {
        None => (None, None),
        Some(BetterAnswer::Council) => (Some("council"), None),
        Some(BetterAnswer::Seat(seat)) => (Some("member"), Some(seat)),
    };
    let row = sqlx::query(
        "INSERT INTO feedback (run_id, user_id, thumb, better, better_seat, comment)
         SELECT id, user_id, $3, $4, $5, $6 FROM runs WHERE id = $1 AND user_id = $2
         ON CONFLICT (run_id) DO UPDATE SET thumb = excluded.thumb, better = excluded.better,
             better_seat = excluded.better_seat, comment = excluded.comment, updated_at = now()
         RETURNING updated_at",
    )
    .bind(run.0)
    .bind(user.as_str())
    .bind(opinion.thumb.map(Thumb::as_str))
    .bind(better)
    .bind(seat)
    .bind(&opinion.comment)
    .fetch_optional(&mut **tx)
    .await?
    .ok_or(StoreError::NotFound)?;
    Ok(Feedback { opinion, updated_at: time(&row, "updated_at")? })
}

/// The user's opinion on one of their runs, if they have said one.
pub async fn find(tx: &mut Tx, run: RunId) -> Result<Option<Feedback>, StoreError> {
    let user = tx.user()?;
    let row = sqlx::query(
        // A version that does not know comments leaves an old one in place when it stores a thumb up.
        "SELECT thumb, better, better_seat, CASE WHEN thumb = 'down' THEN comment END AS comment, updated_at
         FROM feedback WHERE run_id = $1 AND user_id = $2",
    )
    .bind(run.0)
    .bind(user.as_str())
    .fetch_optional(&mut **tx)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let better: Option<String> = row.try_get("better")?;
    let seat: Option<i16> = row.try_get("better_seat")?;
    let opinion = Opinion {
        thumb: row.try_get::<Option<String>, _>("thumb")?.as_deref().and_then(Thumb::parse),
        better: better.map(|_| seat.map_or(BetterAnswer::Council, BetterAnswer::Seat)),
        comment: row.try_get("comment")?,
    };
    Ok(Some(Feedback { opinion, updated_at: time(&row, "updated_at")? }))
}

/// Deletes the opinion; returns whether there was one.
pub async fn remove(tx: &mut Tx, run: RunId) -> Result<bool, StoreError> {
    let user = tx.user()?;
    let done = sqlx::query("DELETE FROM feedback WHERE run_id = $1 AND user_id = $2")
        .bind(run.0)
        .bind(user.as_str())
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected() > 0)
}
