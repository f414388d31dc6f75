//! Whether the time of a look reveals what others have asked. Nothing is shared, so it must not: one user looks for a
//! question that a neighbour has just had answered, then for one that nobody has, and so on in turn.

use std::time::Instant;

use llm_council::cache::{digest, hash_embedding, vector};
use llm_council::council::earlier::{EarlierLookup, EarlierQuery, Embedded, Scope};
use llm_council::id::{MessageId, RunId, UserId};
use llm_council::store::cache::{Method, NewEntry, Sharing, keep};
use sha2::{Digest as _, Sha256};

use super::bed::Bed;
use super::people::{ENTRIES, THRESHOLD};
use super::statistics::{mann_whitney, quantile};

/// Looks before any is measured.
const BEFORE: u32 = 50;
/// The significance level: a difference is found by mistake once in a hundred times.
const SURE: f64 = 0.01;
/// The looks after the very same question of the neighbour's, and the others; in microseconds.
#[derive(Default)]
struct Times {
    asked: Vec<f64>,
    not_asked: Vec<f64>,
}

impl Times {
    fn print(&self, what: &str) -> f64 {
        let test = mann_whitney(&self.asked, &self.not_asked);
        println!(
            "{what:<38} {:>12.3} {:>12.3} {:>12.0} {:>8.4} {:>10.4}",
            quantile(&self.asked, 0.5) / 1e3,
            quantile(&self.not_asked, 0.5) / 1e3,
            test.u,
            test.share,
            test.p
        );
        test.p
    }
}

struct Neighbours<'n> {
    bed: &'n Bed,
    scope: Scope,
    neighbour: UserId,
    runs: Vec<(RunId, MessageId)>,
}

/// Takes `rounds` looks of a user and prints whether they differ; then as many of the neighbour's own, whose times must
/// differ, to show that the test would detect it.
pub async fn measure(bed: &Bed, rounds: u32) -> anyhow::Result<()> {
    let neighbour = UserId::from_canonical("neighbour");
    let runs = bed.add_runs(&neighbour, 2 * (BEFORE + rounds)).await?;
    let scope = Scope(Sha256::digest("council").into());
    let mut neighbours = Neighbours { bed, scope, neighbour: neighbour.clone(), runs };
    let (text, near) = neighbours.looks(&UserId::from_canonical("user1"), rounds, "of theirs").await?;
    let (_, own) = neighbours.looks(&neighbour, rounds, "of mine").await?;

    println!(
        "\n{:<38} {:>12} {:>12} {:>12} {:>8} {:>10}",
        "looks by turns, medians in ms", "asked", "not asked", "U", "share", "p"
    );
    let p = text.print("another has: same text").min(near.print("another has: near"));
    let control = own.print("one has oneself (must differ): near");
    // Two tests are made, so each gets half of the level.
    let is_silent = p >= SURE / 2.0;
    println!(
        "Mann and Whitney, two-sided: {}",
        if is_silent { "no difference is found" } else { "A DIFFERENCE IS FOUND" }
    );
    anyhow::ensure!(control < SURE, "the test does not see that one's own answer is there");
    anyhow::ensure!(is_silent, "the time of a look says what another has asked");
    Ok(())
}

impl Neighbours<'_> {
    /// The looks of a user, by the text and by the vector.
    async fn looks(&mut self, user: &UserId, rounds: u32, whose: &str) -> anyhow::Result<(Times, Times)> {
        let (mut text, mut near) = (Times::default(), Times::default());
        for round in 0..BEFORE + rounds {
            let question = format!("who has asked about matter {round} {whose}");
            let is_asked = round % 2 == 1;
            // Of the same length, so that keeping it is the same work.
            let kept = if is_asked { question.clone() } else { question.replacen("has", "had", 1) };
            self.keep(&kept).await?;
            let embedded = Embedded::Hash(hash_embedding::embed(&question));
            let query = EarlierQuery { scope: self.scope, question: &question, near: None };
            let is_own = user == &self.neighbour;
            let by_text = self.look(user, &query, is_own.then_some(is_asked)).await?;
            // As near as an identical question, since others of these questions are near as well.
            let query = EarlierQuery { near: Some((&embedded, THRESHOLD.max(0.9999))), ..query };
            let by_vector = self.look(user, &query, is_own.then_some(is_asked)).await?;
            if round >= BEFORE {
                for (times, taken) in [(&mut text, by_text), (&mut near, by_vector)] {
                    if is_asked { times.asked.push(taken) } else { times.not_asked.push(taken) }
                }
            }
        }
        Ok((text, near))
    }

    /// The neighbour has had this answered.
    async fn keep(&mut self, question: &str) -> anyhow::Result<()> {
        let Some((run, message)) = self.runs.pop() else { anyhow::bail!("a question has a run of its own") };
        let vector = vector::encode(&hash_embedding::embed(question)).expect("a text has a vector");
        let signature = vector::signature(&vector).expect("a vector has a signature");
        let entry = NewEntry {
            user: &self.neighbour,
            run,
            message,
            scope: &self.scope.0,
            digest: &digest(question),
            query: question,
            method: Method::Hash,
            dimension: hash_embedding::DIMENSION,
            vector: &vector,
            signature: &signature,
            sharing: Sharing::Off,
            cost_usd: None,
        };
        keep(&self.bed.db, &entry, ENTRIES).await?;
        Ok(())
    }

    /// In microseconds. `is_there` says whether an answer is to be found; nobody may find another user's.
    async fn look(
        &self,
        user: &UserId,
        query: &EarlierQuery<'_>,
        is_there: Option<bool>,
    ) -> anyhow::Result<f64> {
        let began = Instant::now();
        let looked = self.bed.runs.look_for_earlier(user, query).await;
        let taken = began.elapsed().as_secs_f64() * 1e6;
        let is_right = match looked {
            EarlierLookup::Answer(_) => is_there == Some(true),
            EarlierLookup::Nothing { .. } => is_there != Some(true),
            EarlierLookup::Unavailable => false,
        };
        anyhow::ensure!(is_right, "{}, asked by {}: {looked:?}", query.question, user.as_str());
        Ok(taken)
    }
}
