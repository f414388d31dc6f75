//! The lines of a tab: what is to be read of a run, laid out for a width.

use std::sync::Arc;

use ratatui::text::{Line, Span};

use super::layouts::Layouts;
use super::panes::Tab;
use super::state::{Thread, Turn};
use crate::terminal::live::{LiveRun, RunStatus};
use crate::terminal::sections::{
    Body, Kind, Section, answers, beginning, conclusion, figures, ranking, reviews,
};
use crate::terminal::text::{Theme, amounts, harmless, one_line, truncate, wrap};

/// The fewest columns for each of several members side by side.
const MEMBER_COLUMNS: usize = 46;
/// The widest that a text is set, in columns: longer lines are hard to read.
const MAX_COLUMNS: usize = 110;
/// How many lines of the question stand above the answers.
const QUESTION_LINES: usize = 3;
/// How much of the end of a text is laid out while it is being written and followed, in bytes.
const FOLLOWED_BYTES: usize = 8 << 10;
/// How much is laid out of such a text if it is scrolled instead: once it is whole, all of it is shown.
const WRITTEN_BYTES: usize = 128 << 10;
/// The fewest lines for a member that is writing.
const FEWEST: usize = 3;

/// The area that lines are laid out for.
pub struct Page<'a> {
    pub columns: usize,
    pub rows: usize,
    pub theme: &'a Theme,
    pub now: std::time::Instant,
}

/// The lines of the thread's tab.
pub fn lines(thread: &mut Thread, layouts: &mut Layouts, page: &Page<'_>) -> Vec<Line<'static>> {
    let Some(turn) = thread.turns.get(thread.shown) else { return Vec::new() };
    let mut lines = question(turn, page);
    let mut sections = sections(turn, thread.tab);
    let is_followed = thread.follows && turn.run.status.is_live();
    for section in &mut sections {
        if section.ready {
            // Its member may be asked again.
            thread.begun.remove(&section.key);
            continue;
        }
        let since = *thread.begun.entry(section.key.clone()).or_insert(page.now);
        let seconds = page.now.saturating_duration_since(since).as_secs();
        if seconds > 0 {
            section.notes.push(format!("{seconds} s"));
        }
    }
    let side_by_side = matches!(thread.tab, Tab::Answers | Tab::Reviews);
    let per_row =
        if side_by_side { (page.columns / MEMBER_COLUMNS).clamp(1, sections.len().max(1)) } else { 1 };
    let room = page.rows.saturating_sub(lines.len());
    let budget = (is_followed && thread.tab == Tab::Answers)
        .then(|| (room / sections.len().div_ceil(per_row).max(1)).saturating_sub(2).max(FEWEST));
    lines.extend(grid(&mut sections, per_row, budget, layouts, page));
    if let Some(problem) = &turn.problem {
        lines.extend(wrap(&Line::styled(one_line(problem).into_owned(), page.theme.error), page.columns));
    }
    lines
}

/// The question, cut where it is long.
fn question(turn: &Turn, page: &Page<'_>) -> Vec<Line<'static>> {
    let text = harmless(turn.question.trim());
    let bar = page.theme.frames.pick("▎ ", "> ");
    let width = page.columns.saturating_sub(2).clamp(1, MAX_COLUMNS);
    let mut lines: Vec<Line> = text
        .lines()
        .take(QUESTION_LINES + 1)
        .flat_map(|line| wrap(&Line::raw(line.to_owned()), width))
        .collect();
    if lines.len() > QUESTION_LINES {
        lines.truncate(QUESTION_LINES);
        if let Some(last) = lines.last_mut() {
            last.spans.push(Span::styled(" …", page.theme.dim));
        }
    }
    for line in &mut lines {
        line.spans.insert(0, Span::styled(bar, page.theme.accent));
    }
    lines.push(Line::default());
    lines
}

fn sections(turn: &Turn, tab: Tab) -> Vec<Section> {
    let run = &turn.run;
    let mut all = Vec::new();
    match tab {
        Tab::Answers => {
            all.extend(beginning(run));
            all.extend(answers(run));
        }
        Tab::Reviews => {
            all.extend(ranking(run));
            all.extend(reviews(run));
        }
        Tab::Final => {
            all.extend(conclusion(run));
            all.extend(end(run, tab, all.is_empty()));
            all.extend(figures(run));
        }
        Tab::Process => all.extend(process(run)),
    }
    if all.is_empty() {
        all.extend(end(run, tab, true));
    }
    all
}

/// The messages where there is nothing to read, and for a run that did not end well.
fn end(run: &LiveRun, tab: Tab, is_empty: bool) -> Option<Section> {
    let failed = || run.error.clone().unwrap_or_else(|| "The run ended without an answer.".to_owned());
    let stopped = || run.error.clone().unwrap_or_else(|| "The run was stopped.".to_owned());
    let (said, kind) = match (run.status, tab) {
        (RunStatus::Failed, Tab::Final) => (failed(), Kind::Failed),
        (RunStatus::Cancelled, Tab::Final) => (stopped(), Kind::Failed),
        _ if !is_empty => return None,
        (RunStatus::Queued, _) => {
            let place = run.queue_position.map(|place| format!(" It is number {place} in the queue."));
            (
                format!("The question waits for a place at the server.{}", place.unwrap_or_default()),
                Kind::Ranking,
            )
        }
        (RunStatus::Running, Tab::Answers) => ("No member has started yet.".to_owned(), Kind::Ranking),
        (RunStatus::Running, Tab::Reviews) => ("The reviews have not started.".to_owned(), Kind::Ranking),
        (RunStatus::Running, _) => ("The final answer has not been started.".to_owned(), Kind::Ranking),
        (_, Tab::Reviews) => ("This run has no reviews.".to_owned(), Kind::Ranking),
        _ => ("There is nothing here.".to_owned(), Kind::Ranking),
    };
    let title = if kind == Kind::Failed { "No final answer" } else { "" };
    Some(made("end", title, Body::Lines(vec![said]), kind))
}

fn made(key: &str, title: &str, body: Body, kind: Kind) -> Section {
    Section { key: key.to_owned(), title: title.to_owned(), notes: Vec::new(), body, kind, ready: true }
}

/// What goes on, stage by stage and sentence by sentence, and what it costs.
fn process(run: &LiveRun) -> Vec<Section> {
    let mut all = Vec::new();
    let mut about: Vec<String> = vec![format!("Now: {}", phase(run))];
    about.extend(run.run_id.iter().map(|id| format!("Run: {id}")));
    about.extend(run.ignored.iter().map(|one| format!("{} does not apply: {}", one.field, one.reason)));
    all.push(made("about", "The run", Body::Lines(about), Kind::Ranking));
    if !run.notes.is_empty() {
        let notes = run.notes.iter().map(|note| {
            let time: String = note.timestamp.chars().skip(11).take(8).collect();
            format!("{time} {}", note.message)
        });
        all.push(made("notes", "What went on", Body::Lines(notes.collect()), Kind::Ranking));
    } else if run.status.is_live() {
        let hint = "/verbose 2 shows the progress of the next run, sentence by sentence.".to_owned();
        all.push(made("hint", "What goes on", Body::Lines(vec![hint]), Kind::Ranking));
    }
    if let Some(costs) = &run.costs {
        let rows = costs.stages.iter().map(|stage| {
            vec![
                stage_name(&stage.stage),
                stage.calls.to_string(),
                amounts::tokens(stage.tokens),
                amounts::seconds(stage.latency_ms),
                amounts::usd(stage.cost),
            ]
        });
        let heading = vec!["Stage", "Calls", "Tokens", "Time", "Cost"];
        all.push(made(
            "stages",
            "Cost by stage",
            Body::Table { heading, rows: rows.collect() },
            Kind::Ranking,
        ));
    }
    all.extend(figures(run));
    all
}

/// What goes on, in a few words.
#[must_use]
pub fn phase(run: &LiveRun) -> String {
    match (run.status, run.phase.as_str()) {
        (RunStatus::Complete, _) => "answered".to_owned(),
        (RunStatus::Failed, _) => "failed".to_owned(),
        (RunStatus::Cancelled, _) => "stopped".to_owned(),
        (RunStatus::Queued, _) => "waiting for a place at the server".to_owned(),
        (RunStatus::Running, "waiting") => "beginning".to_owned(),
        (RunStatus::Running, "stage1") => "the members answer".to_owned(),
        (RunStatus::Running, "stage2") => "the members review each other".to_owned(),
        (RunStatus::Running, "stage3") => "the final answer is written".to_owned(),
        (RunStatus::Running, phase) => {
            match phase.strip_prefix("round").or_else(|| phase.strip_prefix("sub")) {
                Some(number) if phase.starts_with("round") => format!("round {number}"),
                Some(number) => format!("part {number}"),
                None => one_line(phase).replace('_', " "),
            }
        }
    }
}

/// A stage as people call it.
fn stage_name(stage: &str) -> String {
    match stage {
        "stage1" => "answers".to_owned(),
        "stage2" => "reviews".to_owned(),
        "stage3" => "final answer".to_owned(),
        other => other.replace('_', " "),
    }
}

/// Lays out the sections, `per_row` members in a row and everything else alone; `budget` is how many of its last lines
/// each shows, if not all.
fn grid(
    sections: &mut [Section],
    per_row: usize,
    budget: Option<usize>,
    layouts: &mut Layouts,
    page: &Page<'_>,
) -> Vec<Line<'static>> {
    let mut members: Vec<String> = Vec::new();
    let mut lines = Vec::new();
    let is_said = |section: &Section| matches!(section.body, Body::Markdown(_));
    for group in sections.chunk_by_mut(|one, next| is_said(one) && is_said(next)) {
        let per_row = per_row.min(group.len());
        let columns = ((page.columns - (per_row - 1)) / per_row).clamp(1, MAX_COLUMNS);
        for row in group.chunks_mut(per_row) {
            let panels = row.iter_mut().map(|section| {
                let member = section.key.split_once('/').map_or(&*section.key, |(_, member)| member);
                let at = members.iter().position(|known| known == member).unwrap_or_else(|| {
                    members.push(member.to_owned());
                    members.len() - 1
                });
                if !section.ready {
                    cut(section, if budget.is_some() { FOLLOWED_BYTES } else { WRITTEN_BYTES });
                }
                let panel = layouts.framed(section, at, columns, page.theme);
                budget.map_or_else(|| panel.clone(), |budget| end_of(&panel, budget))
            });
            lines.extend(beside(&panels.collect::<Vec<_>>(), columns));
        }
    }
    lines
}

/// Panels of so many columns, one beside the other.
fn beside(panels: &[Arc<[Line<'static>]>], columns: usize) -> impl Iterator<Item = Line<'static>> {
    let height = panels.iter().map(|panel| panel.len()).max().unwrap_or_default();
    (0..height).map(move |at| {
        let mut spans: Vec<Span<'static>> = Vec::new();
        for (place, panel) in panels.iter().enumerate() {
            if place > 0 {
                spans.push(Span::raw(" "));
            }
            match panel.get(at) {
                Some(line) => {
                    spans.extend(line.spans.iter().map(|span| span.clone().patch_style(line.style)));
                }
                // The last one needs no padding.
                None if place + 1 == panels.len() => {}
                None => spans.push(Span::raw(" ".repeat(columns))),
            }
        }
        Line::from(spans)
    })
}

/// Cuts a text that is being written to the part of its end that may be visible.
fn cut(section: &mut Section, most: usize) {
    if let Body::Markdown(text) = &mut section.body
        && text.len() > most
    {
        let mut from = text.len() - most;
        while !text.is_char_boundary(from) {
            from += 1;
        }
        let tail = text.split_off(from);
        // A line that was cut at its beginning is dropped.
        *text = tail.split_once('\n').map_or(tail.clone(), |(_, rest)| rest.to_owned());
    }
}

/// A panel with its frame and at most so many of its last lines.
fn end_of(panel: &Arc<[Line<'static>]>, budget: usize) -> Arc<[Line<'static>]> {
    match panel.as_ref() {
        [first, inner @ .., last] if inner.len() > budget => {
            let tail = inner.iter().skip(inner.len() - budget);
            std::iter::once(first).chain(tail).chain([last]).cloned().collect()
        }
        _ => panel.clone(),
    }
}

/// The text that a tab shows, for the clipboard.
#[must_use]
pub fn as_text(turn: &Turn, tab: Tab) -> String {
    let said = |section: &Section| match &section.body {
        Body::Markdown(text) => text.trim().to_owned(),
        Body::Lines(lines) => lines.join("\n"),
        Body::Table { heading, rows } => {
            let rows = rows.iter().map(|row| row.join("\t"));
            std::iter::once(heading.join("\t")).chain(rows).collect::<Vec<_>>().join("\n")
        }
    };
    let parts =
        sections(turn, tab).into_iter().map(|section| format!("## {}\n\n{}", section.title, said(&section)));
    parts.collect::<Vec<_>>().join("\n\n")
}

/// A line for the bottom: how far the run is.
#[must_use]
pub fn summary(run: &LiveRun, columns: usize) -> String {
    let mut parts = vec![phase(run)];
    let open = run.answers.iter().filter(|answer| answer.piece.status.is_open()).count();
    if run.phase == "stage1" && !run.answers.is_empty() {
        parts.push(format!("{} of {} have answered", run.answers.len() - open, run.answers.len()));
    }
    if let Some(costs) = &run.costs {
        parts.push(amounts::usd(costs.total));
    }
    truncate(&parts.join(", "), columns).into_owned()
}
