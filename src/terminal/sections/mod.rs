//! A run in sections: what a person reads of it, in order.

mod framed;
mod reviews;
mod section;

use crate::terminal::live::families::cache::shape::Cache;
use crate::terminal::live::families::parts::shape::Decomposition;
use crate::terminal::live::families::rounds::shape::Debate;
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

/// What the members say: answers, the statements of a debate, the best answer to each part.
#[must_use]
pub fn answers(run: &LiveRun) -> Vec<Section> {
    let mut all: Vec<_> = run.answers.iter().map(|answer| of_piece("answer", None, &answer.piece)).collect();
    if let Some(debate) = &run.debate {
        all.extend(rounds(debate));
    }
    if let Some(decomposition) = &run.decomposition {
        all.extend(parts(decomposition));
    }
    all
}

/// How the final answer came about, the answer itself, and its sources.
#[must_use]
pub fn conclusion(run: &LiveRun) -> Vec<Section> {
    let mut all = Vec::new();
    if let Some(chairmen) = &run.chairmen {
        all.extend(chairmen.drafts.iter().map(|draft| {
            let what = format!("Draft {}", draft.label);
            of_piece(&format!("draft/{}", draft.label), Some(&what), &draft.piece)
        }));
    }
    all.extend(reasoning(run));
    all.extend(revisions(run));
    all.extend(last(run));
    all.extend(sources(run));
    all
}

/// What was settled before anybody answered.
#[must_use]
pub fn beginning(run: &LiveRun) -> Vec<Section> {
    let mut said: Vec<String> = run
        .ignored
        .iter()
        .map(|ignored| format!("{} does not apply: {}", ignored.field, ignored.reason))
        .collect();
    if let Some(Cache::Hit(earlier)) = &run.cache {
        let when = earlier.created_at.as_deref().map(|when| when.chars().take(10).collect::<String>());
        let when = when.map(|when| format!(" of {when}")).unwrap_or_default();
        let question = earlier.question.as_deref().unwrap_or("the same question");
        said.push(format!("This is the answer{when} to: {question}"));
    }
    if let Some(routing) = run.routing.as_ref().filter(|routing| routing.is_routed) {
        said.push(format!("A question about {}: {} answer", routing.category, routing.models.join(", ")));
    }
    if let Some(escalation) = run.escalation.as_ref().filter(|escalation| escalation.escalated) {
        said.push(format!("The second tier was asked too: {}", escalation.reasons.join("; ")));
    }
    if let Some(research) = run.research.as_ref().filter(|research| !research.topics.is_empty()) {
        let topics = research.topics.iter().map(|topic| topic.query.as_str());
        said.push(format!("Researched: {}", topics.collect::<Vec<_>>().join("; ")));
    }
    if let Some(search) = &run.web_search {
        said.push(format!("Searched for: {}", search.query));
    }
    let ready = !run.answers.is_empty() || run.debate.is_some() || run.decomposition.is_some();
    lines("beginning", "Before the answers", said, ready).into_iter().collect()
}

/// The statements of a debate or an arena.
fn rounds(debate: &Debate) -> impl Iterator<Item = Section> {
    debate.rounds.iter().flat_map(|round| {
        let what = format!("Round {} ({})", round.number, round.kind.replace('_', " "));
        round
            .statements
            .iter()
            .map(move |statement| of_piece(&format!("round{}", round.number), Some(&what), &statement.piece))
    })
}

/// The parts of a question, each with its best answer.
fn parts(decomposition: &Decomposition) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for part in &decomposition.parts {
        let Some(result) = &part.result else { continue };
        let best =
            part.answers.iter().find(|answer| Some(&answer.piece.seat.member) == result.best_member.as_ref());
        let Some(best) = best.or(part.answers.first()) else { continue };
        let what = format!("Part {}", part.index + 1);
        let mut section = of_piece(&format!("part{}", part.index), Some(&what), &best.piece);
        if let Body::Markdown(text) = &mut section.body {
            *text = format!("**{}**\n\n{text}", part.question);
        }
        sections.push(section);
    }
    sections
}

/// What the answer went through after it was first written.
fn revisions(run: &LiveRun) -> Vec<Section> {
    let mut sections = Vec::new();
    if let Some(refinement) = &run.refinement {
        let said = refinement.iterations.iter().map(|iteration| {
            let grave = iteration.critiques.iter().filter(|critique| critique.is_substantive).count();
            format!(
                "Round {}: {grave} of {} critics had something of weight to say",
                iteration.iteration, iteration.asked
            )
        });
        sections.extend(lines("refinement", "Refinement", said.collect(), refinement.done));
    }
    if let Some(adversary) = &run.adversary {
        let mut notes: Vec<String> = adversary.severity.iter().cloned().collect();
        if adversary.revised {
            notes.push("the answer was revised".to_owned());
        }
        let failed = adversary.error.as_ref();
        sections.push(Section {
            key: "adversary".to_owned(),
            title: format!("Devil's advocate: {}", adversary.model),
            notes,
            body: Body::Markdown(failed.unwrap_or(&adversary.critique).clone()),
            kind: if failed.is_some() { Kind::Failed } else { Kind::Answer },
            ready: !run.status.is_live(),
        });
    }
    sections
}

fn sources(run: &LiveRun) -> Option<Section> {
    let said = run.sources.iter().map(|source| format!("[{}] {} {}", source.n, source.title, source.url));
    lines("sources", "Sources", said.collect(), !run.status.is_live())
}

/// What the ballots come to.
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

/// What the chairman looked up before it wrote.
fn reasoning(run: &LiveRun) -> Option<Section> {
    if run.checks.is_empty() {
        return None;
    }
    let lines = run.checks.iter().flat_map(|check| {
        let action = check.action.as_deref().map(|action| match check.query.as_str() {
            "" => format!("Action: {action}"),
            query => format!("Action: {action}(\"{query}\")"),
        });
        let thought = Some(&check.thought).filter(|thought| !thought.is_empty());
        let thought = thought.map(|thought| format!("Thought: {thought}"));
        let observation = check.observation.as_ref().map(|seen| format!("Observation: {seen}"));
        let failed = check.error.as_ref().map(|error| format!("Failed: {error}"));
        [thought, action, observation, failed].into_iter().flatten()
    });
    Some(Section {
        key: "reasoning".to_owned(),
        title: "CHAIRMAN'S REASONING".to_owned(),
        notes: Vec::new(),
        body: Body::Lines(lines.collect()),
        kind: Kind::Reasoning,
        ready: !run.final_answer.piece.status.is_open(),
    })
}

fn last(run: &LiveRun) -> Option<Section> {
    let answer = &run.final_answer;
    let piece = &answer.piece;
    if piece.status == CallStatus::Waiting {
        return None;
    }
    let what = match answer.heading.as_str() {
        _ if !run.checks.is_empty() => "CHAIRMAN'S SYNTHESIS",
        "" => "Final answer",
        heading => heading,
    };
    let failures =
        answer.failures.iter().map(|failure| format!("{} failed: {}", failure.model, failure.error));
    let mut section = of_piece("final", Some(what), piece);
    section.title = match name(piece) {
        name if name.is_empty() => what.to_owned(),
        name => format!("{what} ({name})"),
    };
    section.notes.extend(failures);
    section.kind = if piece.status == CallStatus::Failed { Kind::Failed } else { Kind::Final };
    // A refinement or the devil's advocate may still change it.
    section.ready = !run.status.is_live();
    Some(section)
}

/// What it came to, in a line.
#[must_use]
pub fn figures(run: &LiveRun) -> Option<Section> {
    let costs = run.costs.as_ref()?;
    let mut line = format!("{}, {}", amounts::usd(costs.total), tokens(costs.tokens));
    if costs.unknown_calls > 0 && costs.total.is_some() {
        line.push_str(&format!(", and {} calls of unknown cost", costs.unknown_calls));
    }
    let mut lines = vec![line];
    lines.extend(run.budgets.iter().map(|budget| {
        format!(
            "A budget is nearly used up: ${:.2} of ${:.2} ({})",
            budget.spent_usd, budget.limit_usd, budget.period
        )
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
