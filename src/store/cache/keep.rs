//! Keeping an answer to be given again.

use uuid::Uuid;

use super::{Candidate, LIMITS, Method};
use crate::id::{MessageId, RunId, UserId};
use crate::store::{Db, Scope, StoreError, Tx};

/// An answer that may be given again.
#[derive(Debug)]
pub struct NewEntry<'e> {
    pub user: &'e UserId,
    pub run: RunId,
    pub message: MessageId,
    pub scope: &'e [u8; 32],
    /// The hash of the normalised question.
    pub digest: &'e [u8; 32],
    pub query: &'e str,
    pub method: Method<'e>,
    pub dimension: usize,
    /// A scale and a signed byte per component.
    pub vector: &'e [u8],
    /// A bit per component, `0` or `1`.
    pub signature: &'e str,
    pub sharing: Sharing,
    /// In USD, where it is known.
    pub cost_usd: Option<f64>,
}

/// Whose questions an answer may be given to besides its owner's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Sharing {
    #[default]
    Off,
    /// Of members of a group that its owner is in.
    Groups,
    Everyone,
}

impl Sharing {
    /// The name in JSON and in the configuration.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Groups => "groups",
            Self::Everyone => "everyone",
        }
    }
}

/// What was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kept {
    pub id: Uuid,
    /// How many entries the user has now.
    pub size: u64,
}

/// Keeps an answer, in the place of an earlier one to the same question in the same scope; beyond `most` entries the
/// least recently used ones are deleted. Doing it twice for one run changes nothing.
pub async fn keep(db: &Db, entry: &NewEntry<'_>, most: u32) -> Result<Kept, StoreError> {
    let mut tx = db.begin_within(&Scope::Engine, LIMITS).await?;
    // One at a time for each user: two that count at the same time would both find room.
    sqlx::query("SELECT pg_advisory_xact_lock(hashtextextended('llm_council.cache:' || $1, 0))")
        .bind(entry.user.as_str())
        .execute(&mut *tx)
        .await?;
    sqlx::query(
        "DELETE FROM cache_entries WHERE user_id = $1 AND scope = $2 AND digest = $3 AND run_id <> $4",
    )
    .bind(entry.user.as_str())
    .bind(&entry.scope[..])
    .bind(&entry.digest[..])
    .bind(entry.run.0)
    .execute(&mut *tx)
    .await?;
    sqlx::query(
        "INSERT INTO cache_entries (id, user_id, message_id, run_id, scope, digest, query, method, model, dimension,
                                    vector, signature, shared_with, cost_usd, took_ms)
         SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11,
                $14::text::bit varying, CASE $12 WHEN 'everyone' THEN ARRAY['*'] WHEN 'groups' THEN r.groups ELSE '{}' END, $13,
                greatest(0, extract(epoch FROM now() - coalesce(r.started_at, r.created_at)) * 1000)::bigint
         FROM runs r WHERE r.id = $4
         ON CONFLICT (run_id) DO NOTHING",
    )
    .bind(Uuid::new_v4())
    .bind(entry.user.as_str())
    .bind(entry.message.0)
    .bind(entry.run.0)
    .bind(&entry.scope[..])
    .bind(&entry.digest[..])
    .bind(entry.query)
    .bind(entry.method.name())
    .bind(entry.method.model())
    .bind(i32::try_from(entry.dimension).unwrap_or(i32::MAX))
    .bind(entry.vector)
    .bind(entry.sharing.name())
    .bind(entry.cost_usd)
    .bind(entry.signature)
    .execute(&mut *tx)
    .await?;
    let id: Uuid = sqlx::query_scalar("SELECT id FROM cache_entries WHERE run_id = $1")
        .bind(entry.run.0)
        .fetch_one(&mut *tx)
        .await?;
    let size = evict(&mut tx, entry.user, most).await?;
    tx.commit().await?;
    Ok(Kept { id, size })
}

/// The most entries that are signed at once.
const MOST_SIGNED: i64 = 100;

/// The vectors of a user's entries in a scope that have no signature, as earlier versions kept them; not all at once.
pub async fn unsigned(db: &Db, user: &UserId, scope: &[u8; 32]) -> Result<Vec<Candidate>, StoreError> {
    let mut tx = db.begin_within(&Scope::User(user.clone()), LIMITS).await?;
    let rows = sqlx::query(
        "SELECT id, vector FROM cache_entries WHERE user_id = $1 AND scope = $2 AND signature IS NULL LIMIT $3",
    )
    .bind(user.as_str())
    .bind(&scope[..])
    .bind(MOST_SIGNED)
    .fetch_all(&mut *tx)
    .await?;
    rows.iter().map(Candidate::read).collect()
}

/// Gives entries their signatures, which are a bit per component, `0` or `1`.
pub async fn sign(db: &Db, signatures: &[(Uuid, String)]) -> Result<(), StoreError> {
    let (ids, texts): (Vec<Uuid>, Vec<&str>) =
        signatures.iter().map(|(id, text)| (*id, text.as_str())).unzip();
    let mut tx = db.begin_within(&Scope::Engine, LIMITS).await?;
    sqlx::query(
        "UPDATE cache_entries e SET signature = s.signature::bit varying
         FROM unnest($1::uuid[], $2::text[]) AS s (id, signature)
         WHERE e.id = s.id AND e.signature IS NULL",
    )
    .bind(&ids)
    .bind(&texts)
    .execute(&mut *tx)
    .await?;
    tx.commit().await
}

/// How often shrinking to the limit is tried. A try fails when an entry was used just as it was to be deleted.
const TRIES: usize = 5;

/// Deletes the least recently used entries beyond `most`; returns how many there are then.
async fn evict(tx: &mut Tx, user: &UserId, most: u32) -> Result<u64, StoreError> {
    let mut size = 0;
    for _ in 0..TRIES {
        // An entry whose answer is given in this very moment has another `used_at` by the time its row is locked, and
        // stays. The inner part reads nothing but the index.
        sqlx::query(
            "DELETE FROM cache_entries e
             USING (SELECT id, used_at FROM cache_entries WHERE user_id = $1
                    ORDER BY used_at DESC, id DESC OFFSET $2) AS last
             WHERE e.id = last.id AND e.used_at = last.used_at",
        )
        .bind(user.as_str())
        .bind(i64::from(most))
        .execute(&mut **tx)
        .await?;
        let left: i64 = sqlx::query_scalar("SELECT count(*) FROM cache_entries WHERE user_id = $1")
            .bind(user.as_str())
            .fetch_one(&mut **tx)
            .await?;
        size = left.unsigned_abs();
        if size <= u64::from(most) {
            break;
        }
    }
    Ok(size)
}
