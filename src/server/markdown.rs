//! A conversation as Markdown.

use super::shape::{Conversation, Message};
use crate::council::Deliberation;

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
    let rows = &deliberation.metadata.aggregate_rankings;
    if !rows.is_empty() {
        text.push_str(
            "\n### Ranking\n\n| Member | Average rank | Ballots | First places |\n|---|---|---|---|\n",
        );
        for row in rows {
            let rank = format!("{:.2}", row.average_rank);
            let member = row.member.replace('|', "\\|");
            text.push_str(&format!(
                "| {member} | {rank} | {} | {} |\n",
                row.rankings_count, row.first_place_votes
            ));
        }
    }
    for answer in deliberation.stage1.iter().flatten() {
        text.push_str(&format!("\n### Answer by {}\n\n{}\n", answer.member, answer.response));
        if let Some(error) = &answer.error {
            text.push_str(&format!("\n> Failed: {error}\n"));
        }
    }
    for review in deliberation.stage2.iter().flatten() {
        text.push_str(&format!("\n### Review by {}\n\n{}\n", review.member, review.ranking));
        if let Some(error) = &review.error {
            text.push_str(&format!("\n> Failed: {error}\n"));
        }
    }
}
