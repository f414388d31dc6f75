//! What is kept of a run for figures over many, written with its end. No content.

use sqlx::{Postgres, QueryBuilder};
use uuid::Uuid;

use crate::id::{RunId, UserId};

/// What an insert ends with.
const UNLESS_THERE: &str = " ON CONFLICT DO NOTHING";

/// A run's figures.
#[derive(Debug, Clone)]
pub struct FiguresRow {
    pub run: RunId,
    pub user: UserId,
    /// Who wrote the final answer.
    pub chairman: Option<String>,
    /// Whether it wrote in the place of a chairman that failed.
    pub stood_in: bool,
    /// The ballots as they were counted, as JSON text: `[[["m/a"], ["m/b", "m/c"]], …]`.
    pub ballots: String,
    pub placings: Vec<PlacingRow>,
    pub leanings: Vec<LeaningRow>,
    /// The mean correlation of two of its ballots, and of the orders in which they were read.
    pub agreement: Option<f64>,
    pub reading_agreement: Option<f64>,
    /// The stated probability that its first answer is the best.
    pub first_is_best: Option<f64>,
    /// It replaces the answer of earlier runs: theirs go, or the same answers would count twice.
    pub replaces: bool,
}

/// One of its answers.
#[derive(Debug, Clone)]
pub struct PlacingRow {
    /// Its place in the stored list of answers, from 0.
    pub seat: i16,
    pub model: String,
    pub confidence: Option<i16>,
    /// `None`, like the figures after it, where no counted ballot places the answer.
    pub place: Option<i16>,
    pub average_rank: Option<f64>,
    pub borda: Option<f64>,
    pub first_place_votes: Option<f64>,
    /// Its part of the first place, 0 to 1.
    pub won: Option<f64>,
}

/// What one of its ballots shows of its author: see the columns of `leanings`.
#[derive(Debug, Clone)]
pub struct LeaningRow {
    pub model: String,
    pub own: Option<f64>,
    pub position: Option<f64>,
    pub length: Option<f64>,
    pub family: Option<f64>,
}

/// Adds to a statement, after its other parts, what writes the figures of runs that end: those to which the condition `which`
/// applies.
pub(super) fn push_insert(sql: &mut QueryBuilder<Postgres>, rows: &[&FiguresRow], which: &str) {
    let replacing: Vec<Uuid> = rows.iter().filter(|row| row.replaces).map(|row| row.run.0).collect();
    if !replacing.is_empty() {
        sql.push(
            ", replaced AS MATERIALIZED (
                 SELECT old.id FROM runs new JOIN runs old USING (conversation_id, message_id) JOIN unnest(",
        );
        sql.push_bind(replacing).push(") AS replacing (run_id) ON replacing.run_id = new.id");
        sql.push(which).push(" AND old.id <> new.id)");
        for table in ["placings", "leanings", "run_figures"] {
            sql.push(format_args!(
                ", replaced_{table} AS (DELETE FROM {table} WHERE run_id IN (SELECT id FROM replaced))"
            ));
        }
    }
    push_figures(sql.push(", figured AS ("), rows, which);
    push_placings(sql.push("), placed AS ("), rows, which);
    push_leanings(sql.push("), leaned AS ("), rows, which);
    sql.push(")");
}

fn push_figures(sql: &mut QueryBuilder<Postgres>, rows: &[&FiguresRow], which: &str) {
    sql.push(
        "INSERT INTO run_figures (run_id, user_id, chairman, stood_in, ballots, agreement, reading_agreement,
                                  first_is_best)
         SELECT run_id, user_id, chairman, stood_in, ballots::jsonb, agreement, reading_agreement, first_is_best
         FROM unnest(",
    );
    sql.separated(", ")
        .push_bind(rows.iter().map(|row| row.run.0).collect::<Vec<_>>())
        .push_bind(rows.iter().map(|row| row.user.as_str()).collect::<Vec<_>>())
        .push_bind(rows.iter().map(|row| row.chairman.as_deref()).collect::<Vec<_>>())
        .push_bind(rows.iter().map(|row| row.stood_in).collect::<Vec<_>>())
        .push_bind(rows.iter().map(|row| row.ballots.as_str()).collect::<Vec<_>>())
        .push_bind(rows.iter().map(|row| row.agreement).collect::<Vec<_>>())
        .push_bind(rows.iter().map(|row| row.reading_agreement).collect::<Vec<_>>())
        .push_bind(rows.iter().map(|row| row.first_is_best).collect::<Vec<_>>());
    sql.push(
        ") AS row (run_id, user_id, chairman, stood_in, ballots, agreement, reading_agreement, first_is_best)",
    );
    sql.push(which).push(UNLESS_THERE);
}

fn push_placings(sql: &mut QueryBuilder<Postgres>, rows: &[&FiguresRow], which: &str) {
    let placings: Vec<(&FiguresRow, &PlacingRow)> =
        rows.iter().flat_map(|row| row.placings.iter().map(|placing| (*row, placing))).collect();
    sql.push(
        "INSERT INTO placings (run_id, user_id, seat, model, confidence, place, average_rank, borda,
                               first_place_votes, won)
         SELECT * FROM unnest(",
    );
    sql.separated(", ")
        .push_bind(placings.iter().map(|(row, _)| row.run.0).collect::<Vec<_>>())
        .push_bind(placings.iter().map(|(row, _)| row.user.as_str()).collect::<Vec<_>>())
        .push_bind(placings.iter().map(|(_, placing)| placing.seat).collect::<Vec<_>>())
        .push_bind(placings.iter().map(|(_, placing)| placing.model.as_str()).collect::<Vec<_>>())
        .push_bind(placings.iter().map(|(_, placing)| placing.confidence).collect::<Vec<_>>())
        .push_bind(placings.iter().map(|(_, placing)| placing.place).collect::<Vec<_>>())
        .push_bind(placings.iter().map(|(_, placing)| placing.average_rank).collect::<Vec<_>>())
        .push_bind(placings.iter().map(|(_, placing)| placing.borda).collect::<Vec<_>>())
        .push_bind(placings.iter().map(|(_, placing)| placing.first_place_votes).collect::<Vec<_>>())
        .push_bind(placings.iter().map(|(_, placing)| placing.won).collect::<Vec<_>>());
    sql.push(
        ") AS row (run_id, user_id, seat, model, confidence, place, average_rank, borda, first_place_votes, won)",
    );
    sql.push(which).push(UNLESS_THERE);
}

fn push_leanings(sql: &mut QueryBuilder<Postgres>, rows: &[&FiguresRow], which: &str) {
    let numbered = |row: &FiguresRow| (0..row.leanings.len()).filter_map(|at| i16::try_from(at).ok());
    let leanings: Vec<(&FiguresRow, i16, &LeaningRow)> = rows
        .iter()
        .flat_map(|row| numbered(row).zip(&row.leanings).map(|(ballot, leaning)| (*row, ballot, leaning)))
        .collect();
    let figures = |of: fn(&LeaningRow) -> Option<f64>| -> Vec<Option<f64>> {
        leanings.iter().map(|(_, _, leaning)| of(leaning)).collect()
    };
    sql.push(
        "INSERT INTO leanings (run_id, ballot, user_id, model, own, position, length, family)
         SELECT * FROM unnest(",
    );
    sql.separated(", ")
        .push_bind(leanings.iter().map(|(row, ..)| row.run.0).collect::<Vec<_>>())
        .push_bind(leanings.iter().map(|(_, ballot, _)| *ballot).collect::<Vec<_>>())
        .push_bind(leanings.iter().map(|(row, ..)| row.user.as_str()).collect::<Vec<_>>())
        .push_bind(leanings.iter().map(|(.., leaning)| leaning.model.as_str()).collect::<Vec<_>>())
        .push_bind(figures(|leaning| leaning.own))
        .push_bind(figures(|leaning| leaning.position))
        .push_bind(figures(|leaning| leaning.length))
        .push_bind(figures(|leaning| leaning.family));
    sql.push(") AS row (run_id, ballot, user_id, model, own, position, length, family)");
    sql.push(which).push(UNLESS_THERE);
}
