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
        // A second tier is asked after the reviews, and then they are held again.
        ready: !matches!(run.phase.as_str(), "stage1" | "stage2"),
    })
}

fn last(run: &LiveRun) -> Option<Section> {
    let answer = &run.final_answer;
    let piece = &answer.piece;
    if piece.status == CallStatus::Waiting {
        return None;
    }
    let heading = Some(answer.heading.as_str()).filter(|heading| !heading.is_empty());
    // If somebody failed, the answer's own heading says so, and no option may replace it.
    let nobody_failed =
        answer.notes.is_empty() && answer.failures.is_empty() && answer.fallback_for.is_none();
    let own = run.options.heading().filter(|_| nobody_failed);
    let what = own.or(heading).unwrap_or("Final answer");
    let failures =
        answer.failures.iter().map(|failure| format!("{} failed: {}", failure.model, failure.error));
    let mut section = of_piece("final", Some(what), piece);
    section.title = match name(piece) {
        name if name.is_empty() => what.to_owned(),
        name => format!("{what} ({name})"),
    };
    // The notes of the result name everybody who failed; until there is one, the failures so far do.
    if answer.notes.is_empty() {
        section.notes.extend(failures);
    } else {
        section.notes.extend(answer.notes.iter().cloned());
    }
    section.kind = if piece.status == CallStatus::Failed { Kind::Failed } else { Kind::Final };
    // An option may still change it.
    section.ready = !run.status.is_live();
    Some(section)
}

/// The cost of the run in a line, and its budgets that are nearly used up.
#[must_use]
pub fn figures(run: &LiveRun) -> Option<Section> {
    let costs = run.costs.as_ref()?;
    let mut line = format!("{}, {}", amounts::usd(costs.total), tokens(costs.tokens));
    if costs.unknown_calls > 0 && costs.total.is_some() {
        let calls = if costs.unknown_calls == 1 { "call" } else { "calls" };
        line.push_str(&format!(", and {} {calls} of unknown cost", costs.unknown_calls));
    }
    let mut lines = vec![line];
    lines.extend(run.budgets.iter().map(|budget| {
        // What is set aside counts as used: the warning comes before any of it is spent.
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
    fn a_ranking_is_ready_once_no_second_tier_is_asked_any_more() {
        let ranked = |members: &[&str]| {
            let rows =
                members.iter().zip(1..).map(|(member, place)| json!({"member": member, "place": place}));
            json!({"type": "stage2_complete", "metadata": {"aggregate_rankings": rows.collect::<Vec<_>>()}})
        };
        let mut run = LiveRun::default();
        run.apply(&json!({"type": "stage2_start", "members": []}));
        run.apply(&ranked(&["a", "b"]));
        run.apply(
            &json!({"type": "escalation_triggered", "data": {"escalated": true, "reasons": ["split"]}}),
        );
        assert!(!ranking(&run).unwrap().ready);
        run.apply(&json!({"type": "tier2_start", "members": [{"member": "c", "model": "c"}]}));
        assert!(!ranking(&run).unwrap().ready, "it is of the first tier alone");
        run.apply(&json!({"type": "stage2_start", "members": []}));
        run.apply(&ranked(&["c", "a", "b"]));
        run.apply(&json!({"type": "stage3_start", "model": "chair"}));
        let section = ranking(&run).unwrap();
        let Body::Table { rows, .. } = section.body else { panic!("no table") };
        assert!(section.ready && rows.len() == 3 && rows[0][1] == "c", "{rows:?}");
    }

    #[test]
    fn a_heading_that_says_who_failed_stands_over_what_a_stand_in_wrote_after_it_had_checked() {
        let step = json!({"model": "chair", "iteration": 1, "thought": "Is it so?", "action": "synthesize"});
        let stage3 = json!({
            "model": "spare", "response": "It is.", "fallback_for": "chair", "notes": ["chair gave up."],
            "heading": "Answer of the council, written by a stand-in for the chairman",
        });
        let message = json!({"status": "complete", "stage3": stage3, "metadata": {"react": [step]}});
        let mut live = LiveRun::default();
        live.apply(
            &json!({"type": "react_thought", "model": "chair", "iteration": 1, "thought": "Is it so?"}),
        );
        live.apply(&json!({"type": "stage3_error", "model": "chair", "error": "too slow"}));
        live.apply(&json!({"type": "stage3_complete", "data": stage3}));
        live.apply(&json!({"type": "complete"}));
        for run in [live, LiveRun::of_message(&message)] {
            let section = last(&run).unwrap();
            assert_eq!(
                section.title,
                "Answer of the council, written by a stand-in for the chairman (spare)"
            );
            assert_eq!(section.notes, ["chair gave up."]);
        }
    }

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
