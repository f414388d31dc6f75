//! A bench's table in a terminal.

use std::fmt::Write as _;

use crate::bench::outcome::Spent;
use crate::bench::report::{Report, Score, Status, VariantKind, VariantRow};
use crate::bench::statistics::Interval;
use crate::council::budget::{Cost, Usd};

/// The whole report as text.
pub(super) fn render(report: &Report) -> String {
    let mut text = String::new();
    let state = match report.status {
        Status::Running => "under way",
        Status::Stopped => "stopped; it can be resumed",
        Status::OverBudget => "partial: the budget is spent",
        Status::Complete => "complete",
    };
    line(
        &mut text,
        &format!("Bench {}: {} of {} questions, {state}", report.name, report.done, report.questions),
    );
    if report.simulated {
        line(&mut text, "Some models are simulated: their answers are made up, and so are these figures.");
    }
    line(&mut text, "");
    for row in columns(rows(report)) {
        line(&mut text, &row);
    }
    for row in &report.variants {
        details(&mut text, row);
    }
    line(&mut text, "");
    line(&mut text, &costs(report));
    line(
        &mut text,
        "The range beside a share holds its true value 95 times in 100; few questions make it wide.",
    );
    text
}

fn line(text: &mut String, line: &str) {
    writeln!(text, "{line}").expect("a String takes everything");
}

fn rows(report: &Report) -> Vec<Vec<String>> {
    let head = ["", "right", "", "range", "cost", "right per $", "time"].map(str::to_owned);
    let mut rows = vec![head.to_vec()];
    rows.extend(report.variants.iter().map(|row| {
        let mut cells = vec![row.name.clone()];
        cells.extend(score(&row.score));
        cells.push(usd(row.spent));
        cells.push(row.right_per_usd.map_or_else(|| "–".to_owned(), |count| format!("{count:.1}")));
        cells.push(row.median_ms.map_or_else(|| "–".to_owned(), seconds));
        cells
    }));
    rows
}

fn score(score: &Score) -> [String; 3] {
    let counts = format!("{}/{}", score.right, score.counted);
    match score.accuracy {
        Some(share) => [counts, percent(share.value), range(share)],
        None => [counts, "–".to_owned(), "–".to_owned()],
    }
}

/// What stands below the table for one variant.
fn details(text: &mut String, row: &VariantRow) {
    let Score { unreadable, undecided, failed, ungraded, .. } = row.score;
    let mut notes: Vec<String> = [
        (unreadable, "texts in which no answer was found (they count as wrong)"),
        (undecided, "answers about which the judge said yes and no (they count as wrong)"),
        (failed, "answers that did not come (they count as wrong)"),
        (
            ungraded,
            "answers that the judge did not grade, or that a used-up budget cut off (they do not count)",
        ),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, what)| format!("{count} {what}"))
    .collect();
    if row.kind == VariantKind::Council && !row.members.is_empty() {
        let members = row.members.iter().map(|member| {
            let [counts, share, range] = score(&member.score);
            vec![format!("  {}", member.member), counts, share, range, usd(member.spent)]
        });
        line(text, &format!("\n{}: its members alone", row.name));
        for member in columns(members.collect()) {
            line(text, &member);
        }
    } else if !notes.is_empty() {
        line(text, &format!("\n{}", row.name));
    }
    if let Some(best) = &row.against_best {
        let difference = best.difference.map_or_else(String::new, |difference| {
            let points = |share: f64| format!("{:+.1}", share * 100.0);
            let (value, low, high) =
                (points(difference.value), points(difference.low), points(difference.high));
            format!(": {value} points (range {low} to {high})")
        });
        notes.insert(
            0,
            format!(
                "beside its best member, {}{difference}; only the council was right {} times, only the member {}",
                best.member, best.only_council, best.only_member
            ),
        );
    }
    if let Some(missed) = &row.all_missed {
        let share = missed
            .share
            .map_or_else(String::new, |share| format!(" ({}, range {})", percent(share.value), range(share)));
        notes.push(format!(
            "every member missed {} of {} questions{share}; the council got {} of these right",
            missed.questions, missed.of, missed.council_right
        ));
    }
    for note in notes {
        line(text, &format!("  {note}"));
    }
}

fn costs(report: &Report) -> String {
    let Report { spent, grading, max_cost_usd, .. } = report;
    let mut text = format!("Paid: {} of at most {}", usd(*spent), Usd(*max_cost_usd));
    if grading.calls > 0 {
        text.push_str(&format!(", {} of it for grading", usd(*grading)));
    }
    if spent.unpriced_calls > 0 {
        let calls = spent.unpriced_calls;
        text.push_str(&format!(". The cost of {calls} calls is not known and not included"));
    }
    text
}

/// Cells under each other, the first column to the left, the others to the right.
fn columns(rows: Vec<Vec<String>>) -> Vec<String> {
    let count = rows.iter().map(Vec::len).max().unwrap_or_default();
    let widths: Vec<usize> = (0..count)
        .map(|at| {
            rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.chars().count()).max().unwrap_or(0)
        })
        .collect();
    let joined = |row: Vec<String>| {
        let cells = row.into_iter().zip(&widths).enumerate().map(|(at, (cell, width))| {
            if at == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        cells.collect::<Vec<_>>().join("   ").trim_end().to_owned()
    };
    rows.into_iter().map(joined).collect()
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

fn range(share: Interval) -> String {
    format!("{:.1}–{:.1} %", share.low * 100.0, share.high * 100.0)
}

pub(super) fn usd(spent: Spent) -> String {
    let mark = if spent.unpriced_calls > 0 { " + ?" } else { "" };
    format!("{}{mark}", Cost(spent.usd))
}

fn seconds(ms: u64) -> String {
    format!("{}.{} s", ms / 1000, ms % 1000 / 100)
}
