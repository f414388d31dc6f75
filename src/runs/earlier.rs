//! Earlier answers in Postgres: looking one up for a run, and keeping the run's own for later. If the database cannot
//! be asked, the run goes on without.

use std::sync::Arc;

use serde_json::Value;

use super::frame::from_log;
use super::live::LiveRun;
use super::settings::CacheRules;
use super::state::Runs;
use crate::cache::digest;
use crate::cache::guard::{self, Difference};
use crate::cache::vector::{self, Needle};
use crate::council::earlier::{
    AnswerToKeep, EarlierAnswer, EarlierLookup, EarlierQuery, Embedded, KeepOutcome,
};
use crate::council::stages::answers::Answer;
use crate::council::{Deliberation, Event};
use crate::id::{RunId, UserId};
use crate::store::cache::{self, EntryOwner, Found, LookUp, LookedUp, Method, NewEntry, Sharing};
use crate::store::{Db, StoreError};

/// How many of the nearest questions are compared word by word.
const COMPARED: usize = 10;

/// The earlier answers that one run has access to.
pub(super) struct EarlierAnswers {
    db: Db,
    rules: CacheRules,
    live: Arc<LiveRun>,
}

impl Runs {
    /// Looks for an earlier answer among a user's own, outside a run.
    pub async fn look_for_earlier(&self, user: &UserId, query: &EarlierQuery<'_>) -> EarlierLookup {
        look(&self.shared.db, user, RunId(uuid::Uuid::nil()), &[EntryOwner::Own], query).await
    }
}

/// How near the nearest question was, even if it does not count as the same.
#[derive(Debug, Default, Clone, Copy)]
struct Nearest {
    similarity: Option<f64>,
    difference: Option<Difference>,
}

impl Nearest {
    /// Notes that there is a question of this similarity.
    fn note_similarity(&mut self, similarity: f64) {
        let similarity = rounded(similarity);
        self.similarity = Some(self.similarity.map_or(similarity, |known| known.max(similarity)));
    }
}

impl EarlierAnswers {
    pub(super) fn new(db: Db, rules: CacheRules, live: Arc<LiveRun>) -> Self {
        Self { db, rules, live }
    }

    /// Looks among the user's own answers first, then among those that others share.
    pub(super) async fn look(&self, query: &EarlierQuery<'_>) -> EarlierLookup {
        look(&self.db, &self.live.user, self.live.id, self.owners(), query).await
    }

    fn owners(&self) -> &'static [EntryOwner] {
        match self.rules.sharing {
            Sharing::Off => &[EntryOwner::Own],
            Sharing::Groups | Sharing::Everyone => &[EntryOwner::Own, EntryOwner::Others],
        }
    }

    /// The events with an earlier answer's results; `None` if they cannot be read. Whether the answer may be given was
    /// checked before, and its log is deleted only with the whole conversation.
    pub(super) async fn events_of(&self, answer: &EarlierAnswer) -> Option<Vec<Value>> {
        let owner = if answer.own { EntryOwner::Own } else { EntryOwner::Others };
        let rows = match cache::log_of(&self.db, &self.live.user, answer.run, owner).await {
            Ok(rows) => rows,
            Err(error) => {
                self.warn("the log of an earlier answer could not be read", &error);
                return None;
            }
        };
        let frames: Option<Vec<_>> = rows.iter().flat_map(|text| from_log(text)).collect();
        let mut results = Vec::new();
        for frame in frames?.into_iter().filter(|frame| !frame.is_token()) {
            match Event::read(&frame.json) {
                // A title reveals the question, so only the user who asked it gets it.
                Ok(event) if event.is_result() || (answer.own && matches!(event, Event::Title(_))) => {
                    results.push(serde_json::from_slice(&frame.json).ok()?);
                }
                Ok(_) => {}
                Err(error) => {
                    tracing::warn!(run.id = %answer.run, %error, "an event of an earlier answer cannot be understood");
                    return None;
                }
            }
        }
        (!results.is_empty()).then_some(results)
    }

    pub(super) async fn note(&self, hit: Option<&EarlierAnswer>, embedding_failed: bool) -> Option<u32> {
        let look = LookedUp {
            user: &self.live.user,
            run: self.live.id,
            hit: hit.and_then(|answer| answer.id.parse().ok()),
            embedding_failed,
        };
        cache::record(&self.db, &look).await.unwrap_or_else(|error| {
            self.warn("the lookup of an earlier answer could not be counted in the statistics", &error);
            None
        })
    }

    /// Keeps the run's answer for later questions, if it is complete.
    pub(super) async fn keep(&self, keep: &AnswerToKeep<'_>, deliberation: &Deliberation) -> KeepOutcome {
        if !is_whole(deliberation) {
            return KeepOutcome::Incomplete;
        }
        let Some(vector) = vector::encode(keep.embedded.vector()) else { return KeepOutcome::Incomplete };
        let Some(signature) = vector::signature(&vector) else { return KeepOutcome::Incomplete };
        let entry = NewEntry {
            user: &self.live.user,
            run: self.live.id,
            message: self.live.message,
            scope: &keep.scope.0,
            digest: &digest(keep.question),
            query: keep.question,
            method: method(keep.embedded),
            dimension: keep.embedded.vector().len(),
            vector: &vector,
            signature: &signature,
            sharing: if keep.may_be_shared { self.rules.sharing } else { Sharing::Off },
            cost_usd: keep.cost_usd,
        };
        match cache::keep(&self.db, &entry, self.rules.max_entries).await {
            Ok(kept) => {
                if let Err(error) = self.sign(&keep.scope.0).await {
                    self.warn("earlier answers got no signatures, so they are compared one by one", &error);
                }
                KeepOutcome::As { id: kept.id.to_string(), size: kept.size }
            }
            Err(error) => {
                self.warn("an answer could not be kept to be given again", &error);
                KeepOutcome::Unavailable
            }
        }
    }

    /// Adds the missing signatures to entries of a scope that an earlier version of the server stored without them.
    async fn sign(&self, scope: &[u8; 32]) -> Result<(), StoreError> {
        let unsigned = cache::unsigned(&self.db, &self.live.user, scope).await?;
        let signed = unsigned.into_iter().filter_map(|it| Some((it.id, vector::signature(&it.vector)?)));
        let signatures: Vec<_> = signed.collect();
        if signatures.is_empty() { Ok(()) } else { cache::sign(&self.db, &signatures).await }
    }

    fn warn(&self, what: &'static str, error: &StoreError) {
        tracing::warn!(run.id = %self.live.id, error = error as &dyn std::error::Error, "{what}");
    }
}

async fn look(
    db: &Db,
    user: &UserId,
    run: RunId,
    owners: &[EntryOwner],
    query: &EarlierQuery<'_>,
) -> EarlierLookup {
    let mut nearest = Nearest::default();
    for owner in owners {
        // The similarity of other users' questions would reveal something of what they asked.
        let mut of_others = Nearest::default();
        let nearest = if *owner == EntryOwner::Own { &mut nearest } else { &mut of_others };
        let look = LookUp { user, run, scope: &query.scope.0, owner: *owner };
        match look_among(db, look, query, nearest).await {
            Ok(Some(answer)) => return EarlierLookup::Answer(Box::new(answer)),
            Ok(None) => {}
            Err(error) => {
                tracing::warn!(run.id = %run, error = &error as &dyn std::error::Error,
                    "an earlier answer could not be looked for");
                return EarlierLookup::Unavailable;
            }
        }
    }
    EarlierLookup::Nothing { best: nearest.similarity, difference: nearest.difference }
}

async fn look_among(
    db: &Db,
    look: LookUp<'_>,
    query: &EarlierQuery<'_>,
    nearest: &mut Nearest,
) -> Result<Option<EarlierAnswer>, StoreError> {
    let Some((embedded, threshold)) = query.near else {
        let same = cache::exact(db, look, &digest(query.question)).await?;
        return Ok(same.map(|found| answer(found, look.owner, 1.0, true)));
    };
    let Some(needle) = Needle::new(embedded.vector()) else { return Ok(None) };
    let encoded = vector::encode(embedded.vector());
    let Some(signature) = encoded.as_deref().and_then(vector::signature) else { return Ok(None) };
    let candidates = cache::vectors(db, look, method(embedded), &signature).await?;
    let compared = candidates.iter().filter_map(|it| Some((it.id, f64::from(needle.cosine(&it.vector)?))));
    let mut near: Vec<_> = compared.collect();
    near.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    let is_near = near.partition_point(|(_, similarity)| *similarity >= threshold);
    if let Some((_, similarity)) = near.get(is_near) {
        nearest.note_similarity(*similarity);
    }
    near.truncate(is_near);
    // Near entries whose answers can no longer be given are passed over.
    let mut compared = 0;
    for some in near.chunks(COMPARED) {
        let ids: Vec<_> = some.iter().map(|(id, _)| *id).collect();
        let mut found = cache::found(db, look, &ids).await?;
        for (id, similarity) in some {
            let Some(place) = found.iter().position(|found| found.id == *id) else { continue };
            let found = found.swap_remove(place);
            nearest.note_similarity(*similarity);
            match guard::difference(query.question, &found.query) {
                None => return Ok(Some(answer(found, look.owner, *similarity, false))),
                Some(difference) => nearest.difference = nearest.difference.or(Some(difference)),
            }
            compared += 1;
        }
        if compared >= COMPARED {
            break;
        }
    }
    Ok(None)
}

/// Rounds to four decimal places: the compared vectors are no more precise.
fn rounded(similarity: f64) -> f64 {
    (similarity * 1e4).round() / 1e4
}

fn method(embedded: &Embedded) -> Method<'_> {
    embedded.model().map_or(Method::Hash, Method::Model)
}

fn answer(found: Found, owner: EntryOwner, similarity: f64, exact: bool) -> EarlierAnswer {
    let own = owner == EntryOwner::Own;
    EarlierAnswer {
        id: found.id.to_string(),
        run: found.run,
        own,
        // Answers are shared, questions are not.
        question: own.then_some(found.query),
        answer: found.answer,
        similarity: rounded(similarity),
        exact,
        created_at: format!("{:.3}", found.created_at),
        hit_count: found.hit_count,
        cost_usd: found.cost_usd,
        took_ms: found.took_ms,
    }
}

/// Whether every member answered, no turn of the format failed, and the intended model wrote the final answer.
fn is_whole(deliberation: &Deliberation) -> bool {
    let final_answer = deliberation.stage3.as_ref();
    final_answer.is_some_and(|answer| answer.error.is_none() && answer.fallback_for.is_none())
        && deliberation.answers().iter().all(Answer::is_good)
        && deliberation.format.failures().next().is_none()
}
