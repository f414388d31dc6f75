//! What is left when many answers of one user are kept at once while others are given: it must be as many as the limit
//! allows, and the most recently used ones. Triggers record each use, from which follows what should be left, and each
//! entry that is deleted while a less recently used one stays, which could not be seen at the end.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use llm_council::cache::{digest, hash_embedding, vector};
use llm_council::council::earlier::{EarlierLookup, EarlierQuery, Scope};
use llm_council::id::{MessageId, RunId, UserId};
use llm_council::runs::Runs;
use llm_council::store::Db;
use llm_council::store::cache::{LookedUp, Method, NewEntry, Sharing, keep, record};
use sha2::{Digest as _, Sha256};
use tokio::task::JoinSet;

use super::bed::Bed;
use super::random::Random;

const USER: &str = "evicted";
const MOST: u32 = 100;
const KEEPERS: usize = 8;
/// Answers that each of them keeps.
const EACH: usize = 50;
const LOOKERS: usize = 4;
/// The most looks of each of those.
const LOOKS: usize = 500;

const NOTES: &str = "
    CREATE TABLE noted_uses (id uuid NOT NULL, used_at timestamptz NOT NULL);
    CREATE FUNCTION note_use() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
        BEGIN
            INSERT INTO noted_uses VALUES (NEW.id, NEW.used_at);
            RETURN NULL;
        END
    $$;
    CREATE TRIGGER note_use AFTER INSERT OR UPDATE ON cache_entries
        FOR EACH ROW WHEN (NEW.user_id = 'evicted') EXECUTE FUNCTION note_use();
    CREATE TABLE noted_losses (id uuid NOT NULL);
    CREATE FUNCTION note_loss() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
        BEGIN
            INSERT INTO noted_losses
                SELECT OLD.id
                WHERE OLD.used_at > (SELECT min(used_at) FROM cache_entries WHERE user_id = OLD.user_id);
            RETURN NULL;
        END
    $$;
    CREATE TRIGGER note_loss AFTER DELETE ON cache_entries
        FOR EACH ROW WHEN (OLD.user_id = 'evicted') EXECUTE FUNCTION note_loss()";

/// How many are left, how many there were, how many of those that are gone were used after one that is left, and how
/// many were deleted too early.
const LEFT: &str = "
    WITH here AS (SELECT id, used_at FROM cache_entries WHERE user_id = 'evicted'),
         ever AS (SELECT id, max(used_at) AS used_at FROM noted_uses GROUP BY id)
    SELECT (SELECT count(*) FROM here), (SELECT count(*) FROM ever),
           (SELECT count(*) FROM ever
            WHERE used_at > (SELECT min(used_at) FROM here) AND id NOT IN (SELECT id FROM here)),
           (SELECT count(*) FROM noted_losses)";

/// What those who keep and those who look have in common.
struct Shared {
    db: Db,
    runs: Runs,
    user: UserId,
    scope: Scope,
    /// What has been kept so far, the latest last.
    kept: Mutex<Vec<String>>,
    keepers: AtomicUsize,
    hits: AtomicUsize,
    /// The most entries that one who kept found afterwards.
    most: AtomicUsize,
}

pub async fn measure(bed: &Bed) -> anyhow::Result<()> {
    let user = UserId::from_canonical(USER);
    let mut runs = bed.add_runs(&user, u32::try_from(KEEPERS * EACH + LOOKERS * LOOKS)?).await?;
    let mut superuser = bed.superuser().await?;
    sqlx::raw_sql(NOTES).execute(&mut superuser).await?;
    let shared = Arc::new(Shared {
        db: bed.db.clone(),
        runs: bed.runs.clone(),
        user,
        scope: Scope(Sha256::digest("council").into()),
        kept: Mutex::default(),
        keepers: AtomicUsize::new(KEEPERS),
        hits: AtomicUsize::new(0),
        most: AtomicUsize::new(0),
    });
    let mut tasks = JoinSet::new();
    for keeper in 0..KEEPERS {
        tasks.spawn(keeps(Arc::clone(&shared), keeper, runs.split_off(runs.len() - EACH)));
    }
    for looker in 0..LOOKERS {
        tasks.spawn(looks(Arc::clone(&shared), looker, runs.split_off(runs.len() - LOOKS)));
    }
    while let Some(done) = tasks.join_next().await {
        done??;
    }
    let (here, ever, wrong, lost): (i64, i64, i64, i64) =
        sqlx::query_as(LEFT).fetch_one(&mut superuser).await?;
    let (hits, most) = (shared.hits.load(Ordering::Relaxed), shared.most.load(Ordering::Relaxed));
    println!(
        "\n{:<62} {:>8}",
        format!("{KEEPERS} keep and {LOOKERS} look at once, at most {MOST} entries"),
        ""
    );
    for (what, count) in [
        ("kept", ever),
        ("given again meanwhile", i64::try_from(hits)?),
        ("most after one was kept", i64::try_from(most)?),
        ("left", here),
        ("gone, though used after one that is left", wrong),
        ("gone before one that was not used for longer", lost),
    ] {
        println!("{what:<62} {count:>8}");
    }
    anyhow::ensure!(ever == i64::try_from(KEEPERS * EACH)?, "not every answer was kept");
    anyhow::ensure!(hits > 0, "nobody found anything, so the order of uses was never mixed");
    anyhow::ensure!(
        here == i64::from(MOST) && wrong == 0 && lost == 0,
        "others are left than were used last"
    );
    Ok(())
}

async fn keeps(shared: Arc<Shared>, keeper: usize, runs: Vec<(RunId, MessageId)>) -> anyhow::Result<()> {
    for (number, (run, message)) in runs.into_iter().enumerate() {
        let question = format!("what does keeper {keeper} know of thing {number}");
        let vector = vector::encode(&hash_embedding::embed(&question)).expect("a text has a vector");
        let signature = vector::signature(&vector).expect("a vector has a signature");
        let entry = NewEntry {
            user: &shared.user,
            run,
            message,
            scope: &shared.scope.0,
            digest: &digest(&question),
            query: &question,
            method: Method::Hash,
            dimension: hash_embedding::DIMENSION,
            vector: &vector,
            signature: &signature,
            sharing: Sharing::Off,
            cost_usd: None,
        };
        let kept = keep(&shared.db, &entry, MOST).await?;
        shared.most.fetch_max(usize::try_from(kept.size)?, Ordering::Relaxed);
        shared.kept.lock().unwrap_or_else(PoisonError::into_inner).push(question);
    }
    shared.keepers.fetch_sub(1, Ordering::Release);
    Ok(())
}

/// Asks again what was asked before, from the oldest that may still exist to the newest, and takes the answer.
async fn looks(shared: Arc<Shared>, looker: usize, runs: Vec<(RunId, MessageId)>) -> anyhow::Result<()> {
    let mut random = Random::new(100 + looker as u64);
    let mut runs = runs.into_iter();
    while shared.keepers.load(Ordering::Acquire) > 0 {
        let question = {
            let kept = shared.kept.lock().unwrap_or_else(PoisonError::into_inner);
            let last = kept.get(kept.len().saturating_sub(MOST as usize)..).unwrap_or_default();
            if last.is_empty() { None } else { last.get(random.below(last.len())).cloned() }
        };
        let Some(question) = question else {
            tokio::task::yield_now().await;
            continue;
        };
        let query = EarlierQuery { scope: shared.scope, question: &question, near: None };
        match shared.runs.look_for_earlier(&shared.user, &query).await {
            EarlierLookup::Answer(answer) => {
                let Some((run, _)) = runs.next() else { break };
                let hit = Some(answer.id.parse()?);
                let look = LookedUp { user: &shared.user, run, hit, embedding_failed: false };
                record(&shared.db, &look).await?;
                shared.hits.fetch_add(1, Ordering::Relaxed);
            }
            EarlierLookup::Nothing { .. } => {}
            EarlierLookup::Unavailable => anyhow::bail!("an earlier answer could not be looked for"),
        }
    }
    Ok(())
}
