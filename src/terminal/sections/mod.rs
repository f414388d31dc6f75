//! A run in sections: what a person reads of it, in order.

mod framed;
mod reviews;
pub mod section;

use crate::terminal::live::piece::Ignored;
use crate::terminal::live::{CallStatus, LiveRun};
use crate::terminal::text::amounts;

pub use framed::framed;
pub use reviews::reviews;
pub use section::{Body, Kind, Section};
use section::{lines, name, of_piece, tokens};

/// The run in sections, in the order in which it goes on.
#[must_use]
pub fn sections(run: &LiveRun) -> Vec<Section> {
    let mut all = Vec::new();
    all.extend(beginning(run));
    all.extend(answers(run));
    all.extend(ranking(run));
    all.extend(conclusion(run));
    all.extend(figures(run));
    all
}

/// What the members say: answers, or what a format has in their place.
#[must_use]
pub fn answers(run: &LiveRun) -> Vec<Section> {
    let mut all: Vec<_> = run.answers.iter().map(|answer| of_piece("answer", None, &answer.piece)).collect();
    all.extend(run.options.answers());
    all
}

/// How the final answer came about, the answer itself, and its sources.
#[must_use]
pub fn conclusion(run: &LiveRun) -> Vec<Section> {
    let mut all: Vec<_> = run.options.before_final_answer(run).collect();
    all.extend(last(run));
    all.extend(run.options.after_final_answer(run));
    all
}

/// What was decided before anybody answered.
#[must_use]
pub fn beginning(run: &LiveRun) -> Vec<Section> {
    let ignored = |ignored: &Ignored| format!("{} does not apply: {}", ignored.field, ignored.reason);
    let said = run.ignored.iter().map(ignored).chain(run.options.beginning()).collect();
    let ready = !run.answers.is_empty() || run.options.has_format();
    lines("beginning", "Before the answers", said, ready).into_iter().collect()
}

/// The result of the ballots.
#[must_use]
pub fn ranking(run: &LiveRun) -> Option<Section> {
    if run.ranking.rows.is_empty() {
        return None;
    }
    let rows = run.ranking.rows.iter().map(|row| {
        vec![
            row.place.to_string(),
            row.seat.member.clone(),
            row.average_rank.map(|rank| format!("{rank:.2}")).unwrap_or_default(),
            row.first_place_votes.to_string(),
            row.voters.to_string(),
        ]
    });
    Some(Section {
        key: "ranking".to_owned(),
        title: "Ranking by the reviews".to_owned(),
        notes: Vec::new(),
        body: Body::Table {
            heading: vec!["Place", "Member", "Average", "First places", "Ballots"],
            rows: rows.collect(),
        },
        kind: Kind::Ranking,
        ready: run.phase != "stage2",
    })
}

fn last(run: &LiveRun) -> Option<Section> {
    let answer = &run.final_answer;
    let piece = &answer.piece;
    if piece.status == CallStatus::Waiting {
        return None;
    }
    let heading = Some(answer.heading.as_str()).filter(|heading| !heading.is_empty());
    let what = run.options.heading().or(heading).unwrap_or("Final answer");
    let failures =
        answer.failures.iter().map(|failure| format!("{} failed: {}", failure.model, failure.error));
    let mut section = of_piece("final", Some(what), piece);
    section.title = match name(piece) {
        name if name.is_empty() => what.to_owned(),
        name => format!("{what} ({name})"),
    };
    section.notes.extend(failures);
    section.kind = if piece.status == CallStatus::Failed { Kind::Failed } else { Kind::Final };
    // An option may still change it.
    section.ready = !run.status.is_live();
    Some(section)
}

/// The result of the run, in a line.
#[must_use]
pub fn figures(run: &LiveRun) -> Option<Section> {
    let costs = run.costs.as_ref()?;
    let mut line = format!("{}, {}", amounts::usd(costs.total), tokens(costs.tokens));
    if costs.unknown_calls > 0 && costs.total.is_some() {
        line.push_str(&format!(", and {} calls of unknown cost", costs.unknown_calls));
    }
    let mut lines = vec![line];
    lines.extend(run.budgets.iter().map(|budget| {
        // What is set aside is used as well: a budget is told of before anything of it is spent.
        let used = amounts::usd(Some(budget.spent_usd + budget.reserved_usd));
        let limit = amounts::usd(Some(budget.limit_usd));
        format!("A budget is nearly used up: {used} of {limit} ({})", budget.period)
    }));
    Some(Section {
        key: "figures".to_owned(),
        title: "Cost".to_owned(),
        notes: Vec::new(),
        body: Body::Lines(lines),
        kind: Kind::Figures,
        ready: !run.status.is_live(),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_budget_that_is_nearly_used_up_shows_what_is_set_aside_of_it_too() {
        let mut run = LiveRun::default();
        let data = json!({"period": "day", "limit_usd": 0.005, "spent_usd": 0.0, "reserved_usd": 0.0045});
        run.apply(&json!({"type": "budget_warning", "data": data}));
        run.apply(&json!({"type": "costs_complete", "data": {"total_cost": 0.000_012, "total_tokens": 40}}));
        let Body::Lines(lines) = figures(&run).unwrap().body else { panic!("no lines") };
        assert_eq!(lines, ["<$0.0001, 40 tokens", "A budget is nearly used up: $0.0045 of $0.0050 (day)"]);
    }
}
