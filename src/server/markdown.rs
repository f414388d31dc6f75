//! A conversation as Markdown.

use super::shape::{Conversation, Message};
use crate::council::Deliberation;
use crate::council::ranking::aggregate::AggregateRow;
use crate::council::stages::editorial::Editorial;

/// The conversation, each stage under its heading.
#[must_use]
pub fn conversation(conversation: &Conversation) -> String {
    let mut text = format!("# {}\n\n_{}_\n", conversation.summary.title, conversation.summary.created_at);
    for message in &conversation.messages {
        match message {
            Message::User { content, .. } => text.push_str(&format!("\n## Question\n\n{content}\n")),
            Message::Assistant { deliberation, error, .. } => {
                if let Some(error) = error {
                    text.push_str(&format!("\n> The run failed: {error}\n"));
                }
                answer(&mut text, deliberation);
            }
        }
    }
    text
}

fn answer(text: &mut String, deliberation: &Deliberation) {
    if let Some(synthesis) = &deliberation.stage3 {
        let revised = if synthesis.draft.is_some() { ", and revised" } else { "" };
        text.push_str(&format!(
            "\n## {}\n\n_Written by {}{revised}_\n\n{}\n",
            synthesis.heading, synthesis.model, synthesis.response
        ));
        for note in &synthesis.notes {
            text.push_str(&format!("\n> {note}\n"));
        }
    }
    if let Some(points) = deliberation.stage3.as_ref().and_then(|stage3| stage3.disagreement.as_ref()) {
        disagreement(text, points);
    }
    ranking(text, &deliberation.metadata.aggregate_rankings);
    for answer in deliberation.stage1.iter().flatten() {
        text.push_str(&format!("\n### Answer by {}\n\n{}\n", answer.member, answer.response));
        if let Some(error) = &answer.error {
            text.push_str(&format!("\n> Failed: {error}\n"));
        }
    }
    let labels = &deliberation.metadata.label_to_member;
    if !labels.is_empty() {
        let named: Vec<String> =
            labels.iter().map(|(label, member)| format!("{label} is {member}")).collect();
        text.push_str(&format!("\n### Reviews\n\nThe reviewers did not know that {}.\n", named.join(", ")));
    }
    for review in deliberation.stage2.iter().flatten() {
        text.push_str(&format!("\n### Review by {}\n\n{}\n", review.member, review.ranking));
        if let Some(error) = &review.error {
            text.push_str(&format!("\n> Failed: {error}\n"));
        }
    }
}

/// Where the members agree and differ, as the chairman saw it.
fn disagreement(text: &mut String, points: &Editorial) {
    let parts = [
        ("Where they agree", &points.agreements),
        ("Where they contradict each other", &points.contradictions),
        ("The minority's view", &points.minority),
        ("What only one saw", &points.only_one),
        ("What none covered", &points.none_covered),
    ];
    for (title, points) in parts.iter().filter(|(_, points)| !points.is_empty()) {
        text.push_str(&format!("\n### {title}\n\n"));
        for point in *points {
            text.push_str(&format!("- {}\n", point.replace('\n', " ")));
        }
    }
}

/// The aggregate, by the rank that its order comes from.
fn ranking(text: &mut String, rows: &[AggregateRow]) {
    if rows.is_empty() {
        return;
    }
    let weighted = rows.iter().any(|row| row.weights_applied);
    let column = if weighted { "Weighted average rank" } else { "Average rank" };
    text.push_str(&format!(
        "\n### Ranking\n\n| Member | {column} | Ballots | First places |\n|---|---|---|---|\n"
    ));
    for row in rows {
        let rank = if weighted { row.weighted_average_rank } else { row.average_rank };
        let member = row.member.replace('|', "\\|");
        let (ballots, firsts) = (row.rankings_count, row.first_place_votes);
        text.push_str(&format!("| {member} | {rank:.2} | {ballots} | {firsts} |\n"));
    }
}
