//! An examination's report in a terminal: plain text, at most [`WIDTH`] columns wide.

use std::fmt::Write as _;

use crate::council::budget::Usd;
use crate::doctor::{Area, ModelCheck, Probe, ProbeFact, ProbeKind, Report, State};

const WIDTH: usize = 100;
/// How far the text of a finding is indented.
const INDENT: usize = 11;
/// The longest id of a model that has its figures on the same line.
const MODEL: usize = 34;

/// The whole report as text.
pub(super) fn render(report: &Report) -> String {
    let mut text = String::new();
    line(&mut text, "Server");
    for check in &report.checks {
        finding(&mut text, check.state, &format!("{}: {}", area(check.area), check.message), None);
    }
    line(&mut text, "\nProviders");
    for provider in &report.providers {
        let default = if provider.is_default { " (default)" } else { "" };
        let simulated = if provider.simulated { ", simulated" } else { "" };
        let line = format!("{}{default}: {}{simulated}", provider.name, provider.message);
        finding(&mut text, provider.state, &line, provider.what_to_do.as_deref());
    }
    line(&mut text, "\nModels");
    let head = ["stream", "whole", "JSON", "tools"];
    line(&mut text, &row("", "", head, ["first", "total", "$ per M tokens"]));
    for model in &report.models {
        of_model(&mut text, model);
    }
    line(&mut text, "");
    line(&mut text, &cost(report));
    line(&mut text, &report.message);
    text
}

fn line(text: &mut String, line: &str) {
    writeln!(text, "{}", line.trim_end()).expect("a String takes everything");
}

fn of_model(text: &mut String, model: &ModelCheck) {
    let ways = [ProbeKind::Streamed, ProbeKind::Whole, ProbeKind::StructuredOutput, ProbeKind::Tools];
    let ways = ways.map(|kind| model.probes.iter().find(|probe| probe.probe == kind).map_or("", way));
    let price = model.price.map_or_else(
        || "unknown".to_owned(),
        |price| format!("{:.2} / {:.2}", price.prompt_per_million_usd, price.completion_per_million_usd),
    );
    let (first, total) = (time(model.ttft_ms), time(model.total_ms));
    let figures = [first.as_str(), total.as_str(), price.as_str()];
    let name = plain(&model.model);
    let state = state(model.state);
    if name.chars().count() > MODEL {
        line(text, &format!("  {state:<9}{name}"));
        line(text, &row("", "", ways, figures));
    } else {
        line(text, &row(state, &name, ways, figures));
    }
    let seats: Vec<&str> = model.seats.iter().map(|seat| seat.name()).collect();
    let simulated = if model.simulated { "; simulated" } else { "" };
    paragraph(text, &format!("{}{simulated}", seats.join(", ")));
    for remark in remarks(model) {
        paragraph(text, &remark);
    }
}

/// What stands below a model's figures.
fn remarks(model: &ModelCheck) -> Vec<String> {
    let mut remarks = Vec::new();
    let mut shown: Vec<&str> = Vec::new();
    for probe in model.probes.iter().filter(|probe| is_shown(probe)) {
        // The same failure in several ways of asking is printed once.
        if !shown.contains(&probe.message.as_str()) {
            shown.push(&probe.message);
            remarks.push(format!("{}: {}", kind(probe.probe), probe.message));
        }
    }
    if model.fact == ProbeFact::UnfitForUtility {
        remarks.push(model.message.clone());
    }
    if model.listed == Some(false) {
        remarks.push("its provider's list does not have it".to_owned());
    }
    remarks.extend(model.what_to_do.iter().map(|what| format!("to do: {what}")));
    remarks
}

fn is_shown(probe: &Probe) -> bool {
    let is_left_out = matches!(
        probe.fact,
        ProbeFact::OverMaxCost { .. } | ProbeFact::PriceUnknown | ProbeFact::StillThinking { .. }
    );
    is_left_out || matches!(probe.state, State::Failed | State::Warning)
}

/// Cells under each other: the four ways of asking, and time to first token, whole time and price.
fn row(state: &str, name: &str, [stream, whole, json, tools]: [&str; 4], figures: [&str; 3]) -> String {
    let [first, total, price] = figures;
    format!(
        "  {state:<9}{name:<MODEL$} {stream:<7}{whole:<6}{json:<6}{tools:<6}{first:>6}{total:>7}  {price:>14}"
    )
}

fn finding(text: &mut String, of: State, line: &str, what_to_do: Option<&str>) {
    let start = text.len();
    paragraph(text, line);
    // The state stands in the indentation of the first line.
    text.replace_range(start..start + INDENT, &format!("  {:<9}", state(of)));
    if let Some(what) = what_to_do {
        paragraph(text, &format!("to do: {what}"));
    }
}

/// Words in lines that fit, indented.
fn paragraph(text: &mut String, words: &str) {
    let mut current = String::new();
    for word in plain(words).split_whitespace() {
        let width = INDENT + current.chars().count() + 1 + word.chars().count();
        if !current.is_empty() && width > WIDTH {
            line(text, &format!("{:INDENT$}{current}", ""));
            current.clear();
        }
        if !current.is_empty() {
            current.push(' ');
        }
        current.push_str(word);
    }
    line(text, &format!("{:INDENT$}{current}", ""));
}

/// Text without control sequences that a terminal would act on: some of it comes from providers.
fn plain(words: &str) -> String {
    words.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn state(state: State) -> &'static str {
    match state {
        State::Ok => "ok",
        State::Warning => "warning",
        State::Failed => "FAILED",
        State::NotOffered => "none",
        State::Skipped => "skipped",
    }
}

fn way(probe: &Probe) -> &'static str {
    match probe.state {
        State::Ok => "ok",
        State::Warning => "odd",
        State::Failed => "fails",
        State::NotOffered => "no",
        State::Skipped => "-",
    }
}

fn kind(kind: ProbeKind) -> &'static str {
    match kind {
        ProbeKind::Streamed => "streamed",
        ProbeKind::Whole => "whole",
        ProbeKind::StructuredOutput => "JSON",
        ProbeKind::Tools => "tools",
    }
}

fn area(area: Area) -> &'static str {
    match area {
        Area::Configuration => "configuration",
        Area::Database => "database",
        Area::Storage => "storage",
        Area::Identity => "sign-in",
    }
}

fn time(ms: Option<u64>) -> String {
    ms.map_or_else(|| "-".to_owned(), |ms| format!("{}.{} s", ms / 1000, ms % 1000 / 100))
}

fn cost(report: &Report) -> String {
    let cost = report.cost;
    let mut text = format!("Cost: {} of at most {}", Usd(cost.spent_usd), Usd(cost.max_usd));
    if cost.unpriced_calls > 0 {
        text.push_str(&format!("; what {} calls cost is not known", cost.unpriced_calls));
    }
    text.push_str(&format!(". Took {}.", time(Some(report.took_ms))));
    text
}
