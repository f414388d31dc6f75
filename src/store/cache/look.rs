//! Looking for an earlier answer.

use jiff::Timestamp;
use sqlx::Row as _;
use sqlx::postgres::PgRow;
use uuid::Uuid;

use super::{LIMITS, Method};
use crate::id::{RunId, UserId};
use crate::store::{Db, Scope, StoreError, time};

/// Who looks, and where.
#[derive(Debug, Clone, Copy)]
pub struct LookUp<'l> {
    pub user: &'l UserId,
    /// The run that looks: its groups decide which answers of others it may have.
    pub run: RunId,
    /// The hash of everything but the question that an answer depends on.
    pub scope: &'l [u8; 32],
    /// Whose entries.
    pub owner: EntryOwner,
}

/// Whose entries are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryOwner {
    Own,
    /// Entries of other users that may answer this user's questions as well.
    Others,
}

/// An entry's vector, to be compared.
#[derive(Debug)]
pub struct Candidate {
    pub id: Uuid,
    pub vector: Vec<u8>,
}

impl Candidate {
    pub(super) fn read(row: &PgRow) -> Result<Self, StoreError> {
        Ok(Self { id: row.try_get("id")?, vector: row.try_get("vector")? })
    }
}

/// An entry whose answer can be given.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    pub id: Uuid,
    pub run: RunId,
    pub query: String,
    /// The final answer's text.
    pub answer: String,
    /// What its run cost, in USD, where that is known, and how long it took.
    pub cost_usd: Option<f64>,
    pub took_ms: u64,
    /// How often it was given again.
    pub hit_count: u32,
    pub created_at: Timestamp,
}

/// Whose entries: `$1` is the user, `$3` the run that looks.
macro_rules! belonging {
    (own) => {
        "e.user_id = $1 AND $3::uuid IS NOT NULL"
    };
    (others) => {
        "e.user_id <> $1 AND cardinality(e.shared_with) > 0
         AND coalesce(e.shared_with && array_append((SELECT groups FROM runs WHERE id = $3), '*'), false)"
    };
}

/// A query over the entries of one scope (`$2`) whose answer is there to be given: the run is complete, its answer still
/// stands where it was given, and not more people found it bad than good.
macro_rules! usable {
    ($owner:ident, $which:literal, $order:literal) => {
        concat!(
            "SELECT e.id, e.run_id, e.query, m.content, e.cost_usd, e.took_ms, e.hit_count, e.created_at
              FROM cache_entries e
              JOIN runs r ON r.id = e.run_id AND r.status = 'complete'
              JOIN messages m ON m.id = e.message_id AND m.run_id = e.run_id AND m.content IS NOT NULL
              JOIN conversations c ON c.id = m.conversation_id AND c.deleted_at IS NULL
              WHERE e.scope = $2 AND ",
            belonging!($owner),
            " AND ",
            $which,
            // From the entry to its runs and from them to their thumbs: the other way round would read all thumbs for
            // each entry.
            " AND (SELECT count(*) FILTER (WHERE f.thumb = 'down') <= count(*) FILTER (WHERE f.thumb = 'up')
                   FROM (SELECT e.run_id
                         UNION ALL SELECT l.run_id FROM cache_lookups l WHERE l.entry_id = e.id) AS given (run_id)
                   JOIN feedback f ON f.run_id = given.run_id) ",
            $order
        )
    };
}

/// A query over entries of one scope (`$2`) whose vectors came about in the same way. Whether an answer is there to be
/// given, [`found`] looks for the few that are near.
///
/// The order of what others share is that of an index, which ends at the limit. Postgres uses it as long as it expects
/// more rows than that. From a comparison of arrays or with null it expects hardly any, and would read and sort
/// everything that is shared; from `coalesce` it expects half of the rows.
macro_rules! comparable {
    ($what:literal, $owner:ident, $and:literal) => {
        concat!(
            "SELECT ",
            $what,
            " FROM cache_entries e WHERE e.scope = $2 AND ",
            belonging!($owner),
            " AND coalesce(e.method = $4 AND e.model IS NOT DISTINCT FROM $5, false) ",
            $and
        )
    };
}

const OWN_EXACT: &str = usable!(own, "e.digest = $4", "LIMIT 1");
/// The user's entries whose signatures differ from this one (`$7`) in the fewest bits, read from the index alone, and
/// those without a signature. The signature that is looked for is in a query of its own, so that it is parsed once.
const OWN_VECTORS: &str = concat!(
    "WITH near AS MATERIALIZED (",
    comparable!(
        "e.id",
        own,
        "AND e.signature IS NOT NULL AND length(e.signature) = length((SELECT $7::text::bit varying))
         ORDER BY bit_count(e.signature # (SELECT $7::text::bit varying)) LIMIT $8"
    ),
    ") SELECT e.id, e.vector FROM near JOIN cache_entries e ON e.id = near.id
     UNION ALL (",
    comparable!("e.id, e.vector", own, "AND e.signature IS NULL LIMIT $6"),
    ")"
);
/// By the ids alone: for `= ANY` Postgres would go through all of a person's entries besides.
const OWN_FOUND: &str = usable!(own, "e.id IN (SELECT unnest($4::uuid[]))", "");
const OTHERS_EXACT: &str = usable!(others, "e.digest = $4", "ORDER BY e.created_at DESC LIMIT 1");
const OTHERS_VECTORS: &str = comparable!("e.id, e.vector", others, "ORDER BY e.used_at DESC LIMIT $6");
const OTHERS_FOUND: &str = usable!(others, "e.id = ANY ($4)", "");

/// The statements over one's own entries, by name: for inspecting their query plans.
pub const STATEMENTS: [(&str, &str); 3] =
    [("exact", OWN_EXACT), ("vectors", OWN_VECTORS), ("found", OWN_FOUND)];

/// The most entries whose vectors are compared without a look at their signatures: of others' those that were used
/// last. Nobody has that many of their own.
pub const MOST_COMPARED: i64 = 2_000;
/// How many of one's own entries are compared: those that are nearest by their signatures. docs/cache.md says what that misses.
pub const NEAREST: i64 = 32;

impl EntryOwner {
    /// One's own entries are read as oneself. Only the engine sees those of others.
    fn reader(self, user: &UserId) -> Scope {
        match self {
            Self::Own => Scope::User(user.clone()),
            Self::Others => Scope::Engine,
        }
    }
}

/// The entry for the same text.
pub async fn exact(db: &Db, look: LookUp<'_>, digest: &[u8; 32]) -> Result<Option<Found>, StoreError> {
    let sql = match look.owner {
        EntryOwner::Own => OWN_EXACT,
        EntryOwner::Others => OTHERS_EXACT,
    };
    let mut tx = db.begin_within(&look.owner.reader(look.user), LIMITS).await?;
    let row = sqlx::query(sql)
        .bind(look.user.as_str())
        .bind(&look.scope[..])
        .bind(look.run.0)
        .bind(&digest[..])
        .fetch_optional(&mut *tx)
        .await?;
    row.as_ref().map(read).transpose()
}

/// Vectors that came about in the same way, also of answers that are not there to be given any more: of one's own entries the
/// [`NEAREST`] to this signature (a bit per component, `0` or `1`) and those without one, in no order.
pub async fn vectors(
    db: &Db,
    look: LookUp<'_>,
    method: Method<'_>,
    signature: &str,
) -> Result<Vec<Candidate>, StoreError> {
    let mut tx = db.begin_within(&look.owner.reader(look.user), LIMITS).await?;
    let query = match look.owner {
        EntryOwner::Own => sqlx::query(OWN_VECTORS),
        EntryOwner::Others => sqlx::query(OTHERS_VECTORS),
    };
    let query = query
        .bind(look.user.as_str())
        .bind(&look.scope[..])
        .bind(look.run.0)
        .bind(method.name())
        .bind(method.model())
        .bind(MOST_COMPARED);
    let query = match look.owner {
        EntryOwner::Own => query.bind(signature).bind(NEAREST),
        EntryOwner::Others => query,
    };
    let rows = query.fetch_all(&mut *tx).await?;
    rows.iter().map(Candidate::read).collect()
}

/// How many ids Postgres assumes in a list of unknown length.
const EXPECTED_IDS: usize = 10;

/// Which of these entries can be given, with what they hold.
pub async fn found(db: &Db, look: LookUp<'_>, ids: &[Uuid]) -> Result<Vec<Found>, StoreError> {
    let sql = match look.owner {
        EntryOwner::Own => OWN_FOUND,
        EntryOwner::Others => OTHERS_FOUND,
    };
    let mut tx = db.begin_within(&look.owner.reader(look.user), LIMITS).await?;
    // Postgres would estimate less work for a shorter list than for its generic plan, and plan it anew each time, which
    // takes longer than looking up ids that do not exist.
    let mut ids = ids.to_vec();
    ids.resize(ids.len().max(EXPECTED_IDS), Uuid::nil());
    let rows = sqlx::query(sql)
        .bind(look.user.as_str())
        .bind(&look.scope[..])
        .bind(look.run.0)
        .bind(&ids)
        .fetch_all(&mut *tx)
        .await?;
    rows.iter().map(read).collect()
}

/// The log of the run that has an entry's answer: whole rows in order.
pub async fn log_of(
    db: &Db,
    user: &UserId,
    run: RunId,
    owner: EntryOwner,
) -> Result<Vec<String>, StoreError> {
    let mut tx = db.begin_within(&owner.reader(user), LIMITS).await?;
    Ok(sqlx::query_scalar("SELECT frames FROM run_events WHERE run_id = $1 ORDER BY first_seq")
        .bind(run.0)
        .fetch_all(&mut *tx)
        .await?)
}

fn read(row: &PgRow) -> Result<Found, StoreError> {
    Ok(Found {
        id: row.try_get("id")?,
        run: RunId(row.try_get("run_id")?),
        query: row.try_get("query")?,
        answer: row.try_get("content")?,
        cost_usd: row.try_get("cost_usd")?,
        took_ms: row.try_get::<i64, _>("took_ms")?.unsigned_abs(),
        hit_count: row.try_get::<i32, _>("hit_count")?.unsigned_abs(),
        created_at: time(row, "created_at")?,
    })
}
