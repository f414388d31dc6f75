//! Comparisons of models: head to head, ballots and people's preferences for a leaderboard, and the council against its
//! best member.

use serde_json::Value;
use sqlx::Row as _;

use super::filter::{RowFilter, in_time, within};
use crate::store::{StoreError, Tx};

/// The most runs in a comparison, the newest: more would hardly narrow its intervals, and would take long.
pub const MAX_COMPARED_RUNS: i64 = 10_000;

pub(super) const DUELS: &str = concat!(
    "SELECT a.model AS a, b.model AS b, count(*) AS runs,
            count(*) FILTER (WHERE a.place < b.place) AS a_above,
            count(*) FILTER (WHERE a.place > b.place) AS b_above
     FROM placings a JOIN placings b ON b.run_id = a.run_id AND b.user_id = a.user_id AND a.model < b.model
     WHERE a.place IS NOT NULL AND b.place IS NOT NULL AND ",
    within!("a.", "finished_at"),
    " GROUP BY a.model, b.model ORDER BY a.model, b.model"
);

macro_rules! with_tag {
    () => {
        " AND EXISTS (SELECT FROM runs r JOIN conversations c
                          ON c.id = r.conversation_id AND c.user_id = r.user_id AND c.deleted_at IS NULL
                      WHERE r.id = f.run_id AND r.user_id = f.user_id AND $6 = ANY (c.tags))"
    };
}

macro_rules! ballots {
    ($more:expr) => {
        concat!(
            "SELECT f.ballots FROM run_figures f WHERE ",
            within!("f.", "finished_at"),
            $more,
            " ORDER BY f.finished_at DESC LIMIT $5"
        )
    };
}

macro_rules! preferences {
    ($more:expr) => {
        concat!(
            "SELECT best.model AS best, array_agg(other.model ORDER BY other.seat) AS others
             FROM (SELECT run_id, user_id, better_seat, updated_at FROM feedback f
                   WHERE better = 'member' AND ",
            within!("f.", "updated_at"),
            $more,
            "      ORDER BY updated_at DESC LIMIT $5) AS said
             JOIN placings best ON best.run_id = said.run_id AND best.user_id = said.user_id
                               AND best.seat = said.better_seat
             JOIN placings other ON other.run_id = said.run_id AND other.user_id = said.user_id
                                AND other.seat <> said.better_seat
             GROUP BY said.run_id, best.model, said.updated_at ORDER BY said.updated_at DESC, said.run_id"
        )
    };
}

pub(super) const BALLOTS: &str = ballots!("");
const TAGGED_BALLOTS: &str = ballots!(with_tag!());
pub(super) const PREFERENCES: &str = preferences!("");
const TAGGED_PREFERENCES: &str = preferences!(with_tag!());

/// The winner of a run that one member won alone, and that has no second seat: otherwise nobody could
/// say which call was its answer. Both costs are without the title, which a single model would need too.
/// A run that took answers over from the run before it has not paid for them, so its calls are not what
/// its council costs: one with fewer calls for answers than answers, or with an answer of a model that was not asked for
/// one, has no price here. The number alone does not show it: calls fail, and with tools one answer takes several.
pub(super) const AGAINST_BEST: &str = concat!(
    "WITH best AS (
         SELECT w.run_id, w.user_id, w.seat, w.model FROM placings w
         WHERE w.won = 1 AND NOT EXISTS (
             SELECT FROM placings o WHERE o.run_id = w.run_id AND o.seat <> w.seat AND o.model = w.model)
           AND ",
    within!("w.", "finished_at"),
    "    ORDER BY w.finished_at DESC LIMIT $5
     ), priced AS (
         SELECT best.run_id, sum(c.cost_usd) AS council,
                sum(c.cost_usd) FILTER (WHERE c.purpose IN ('answer', 'debate_opening') AND c.model = best.model) AS member
         FROM best JOIN calls c ON c.run_id = best.run_id AND c.user_id = best.user_id
         WHERE c.purpose <> 'title'
         GROUP BY best.run_id
         HAVING count(*) FILTER (WHERE c.cost_usd IS NULL AND c.latency_ms IS NOT NULL) = 0
            AND count(*) FILTER (WHERE c.purpose IN ('answer', 'debate_opening'))
                >= (SELECT count(*) FROM placings p WHERE p.run_id = best.run_id)
            AND NOT EXISTS (
                SELECT FROM placings p WHERE p.run_id = best.run_id
                   AND p.model <> ALL (array_agg(c.model) FILTER (WHERE c.purpose IN ('answer', 'debate_opening'))))
     )
     SELECT (SELECT count(*) FROM best) AS runs, count(*) AS priced,
            avg(council) AS council_usd, avg(member) AS member_usd,
            (SELECT jsonb_build_array(
                        count(*) FILTER (WHERE f.better = 'council'),
                        count(*) FILTER (WHERE f.better = 'member' AND f.better_seat = best.seat),
                        count(*) FILTER (WHERE f.better = 'member' AND f.better_seat <> best.seat))
             FROM best JOIN feedback f ON f.run_id = best.run_id AND f.user_id = best.user_id) AS preferred
     FROM priced WHERE council IS NOT NULL AND member IS NOT NULL"
);

/// Two models that answered the same runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Duel {
    pub a: String,
    pub b: String,
    /// Runs in which both were ranked; a model that sits twice meets the other one twice.
    pub runs: i64,
    /// In how many of them a's place was the better one.
    pub a_above: i64,
    /// In how many b's was; in the rest they shared one.
    pub b_above: i64,
}

/// Each pair of models that met, in alphabetical order.
pub async fn duels(tx: &mut Tx, filter: &RowFilter) -> Result<Vec<Duel>, StoreError> {
    let rows = filter.query(DUELS).fetch_all(&mut **tx).await?;
    let read = |row: &sqlx::postgres::PgRow| {
        Ok(Duel {
            a: row.try_get("a")?,
            b: row.try_get("b")?,
            runs: row.try_get("runs")?,
            a_above: row.try_get("a_above")?,
            b_above: row.try_get("b_above")?,
        })
    };
    Ok(rows.iter().map(read).collect::<Result<_, sqlx::Error>>()?)
}

/// The ballots of at most [`MAX_COMPARED_RUNS`] runs, the newest first, as they were stored: per run a
/// list of ballots, each a list of places, each a list of models. A tag counts the runs of conversations
/// that have it and are not deleted; only users have tags.
pub async fn ballots(tx: &mut Tx, filter: &RowFilter, tag: Option<&str>) -> Result<Vec<Value>, StoreError> {
    let query = match tag {
        None => filter.query(BALLOTS).bind(MAX_COMPARED_RUNS),
        Some(tag) => filter.query(TAGGED_BALLOTS).bind(MAX_COMPARED_RUNS).bind(tag.to_owned()),
    };
    let rows = query.fetch_all(&mut **tx).await?;
    Ok(rows.iter().map(|row| row.try_get("ballots")).collect::<Result<_, sqlx::Error>>()?)
}

/// What a user preferred in one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preferred {
    /// The model whose answer was called the best.
    pub best: String,
    /// The models of the others.
    pub others: Vec<String>,
}

/// What people preferred, in at most [`MAX_COMPARED_RUNS`] runs; tags as in [`ballots`].
pub async fn preferences(
    tx: &mut Tx,
    filter: &RowFilter,
    tag: Option<&str>,
) -> Result<Vec<Preferred>, StoreError> {
    let query = match tag {
        None => filter.query(PREFERENCES).bind(MAX_COMPARED_RUNS),
        Some(tag) => filter.query(TAGGED_PREFERENCES).bind(MAX_COMPARED_RUNS).bind(tag.to_owned()),
    };
    let rows = query.fetch_all(&mut **tx).await?;
    let read = |row: &sqlx::postgres::PgRow| {
        Ok(Preferred { best: row.try_get("best")?, others: row.try_get("others")? })
    };
    Ok(rows.iter().map(read).collect::<Result<_, sqlx::Error>>()?)
}

/// The council against the member that its reviewers put first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AgainstBest {
    /// Runs that one member won alone.
    pub runs: i64,
    /// How many of them have a known cost: the means below are over these.
    pub priced_runs: i64,
    /// USD for a whole run, without its title; none when no run has a known cost.
    pub council_usd: Option<f64>,
    /// USD for the first-placed answer alone.
    pub member_usd: Option<f64>,
    /// How often people called the council's answer the best of that run …
    pub council_preferred: i64,
    /// … the answer of the first-placed member …
    pub member_preferred: i64,
    /// … or that of another member.
    pub other_preferred: i64,
}

/// See [`AgainstBest`].
pub async fn against_best(tx: &mut Tx, filter: &RowFilter) -> Result<AgainstBest, StoreError> {
    let row = filter.query(AGAINST_BEST).bind(MAX_COMPARED_RUNS).fetch_one(&mut **tx).await?;
    let preferred: Value = row.try_get("preferred")?;
    let count = |at: usize| preferred.get(at).and_then(Value::as_i64).unwrap_or_default();
    Ok(AgainstBest {
        runs: row.try_get("runs")?,
        priced_runs: row.try_get("priced")?,
        council_usd: row.try_get("council_usd")?,
        member_usd: row.try_get("member_usd")?,
        council_preferred: count(0),
        member_preferred: count(1),
        other_preferred: count(2),
    })
}
