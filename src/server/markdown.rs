//! A conversation as Markdown.

use super::markdown_formats::{self, failed, files_read};
use super::markdown_sources;
use super::neutral::{neutral, neutral_name};
use super::shape::{Conversation, ConversationSummary, Message};
use crate::council::Deliberation;
use crate::council::ranking::aggregate::AggregateRow;
use crate::council::stages::editorial::Editorial;
use crate::store::RunStatus;

/// The conversation, each stage under its heading.
#[must_use]
pub fn conversation(conversation: &Conversation) -> String {
    let mut text = heading(&conversation.summary);
    for one in &conversation.messages {
        message(&mut text, one);
    }
    text
}

/// What a conversation begins with.
#[must_use]
pub fn heading(summary: &ConversationSummary) -> String {
    let title = neutral(&summary.title.replace('\n', " "));
    format!("# {title}\n\n_{}_\n", readable(&summary.created_at))
}

/// One message.
pub(super) fn message(text: &mut String, message: &Message) {
    match message {
        Message::User { content, attachments, project_files, .. } => {
            text.push_str(&format!("\n## Question\n\n{}\n", neutral(content)));
            files(text, "With", attachments.iter().map(|file| file.filename.as_str()));
            files(text, "From the project", project_files.iter().map(|file| file.filename.as_str()));
        }
        Message::Assistant { deliberation, status, error, .. } => {
            if let Some(error) = error {
                let failed = if *status == Some(RunStatus::Failed) { "The run failed. " } else { "" };
                text.push_str(&format!("\n> {failed}{}\n", neutral(error)));
            }
            answer(text, deliberation);
        }
    }
}

/// Lists the names of a question's files, if there are any.
fn files<'a>(text: &mut String, how: &str, names: impl Iterator<Item = &'a str>) {
    let names: Vec<String> = names.map(|name| neutral(name).to_string()).collect();
    if !names.is_empty() {
        text.push_str(&format!("\n{how}: {}\n", names.join(", ")));
    }
}

fn answer(text: &mut String, deliberation: &Deliberation) {
    for correction in &deliberation.metadata.corrections {
        text.push_str(&format!("\n_Correction of the question:_ {}\n", neutral(&correction.text)));
    }
    if let Some(synthesis) = &deliberation.stage3 {
        let revised = if synthesis.draft.is_some() { ", and revised" } else { "" };
        text.push_str(&format!(
            "\n## {}\n\n_Written by {}{revised}_\n\n{}\n",
            neutral_name(&synthesis.heading),
            neutral_name(&synthesis.model),
            neutral(&synthesis.response)
        ));
        unseen(text, deliberation, &synthesis.model);
        for note in &synthesis.notes {
            text.push_str(&format!("\n> {}\n", neutral(&note.replace('\n', " "))));
        }
    }
    if let Some(points) = deliberation.stage3.as_ref().and_then(|stage3| stage3.disagreement.as_ref()) {
        disagreement(text, points);
    }
    if let Some(points) = deliberation.stage3.as_ref().and_then(|stage3| stage3.verdict.as_ref()) {
        markdown_formats::verdict(text, points);
    }
    markdown_sources::research(text, deliberation);
    markdown_formats::rounds_and_parts(text, deliberation);
    ranking(text, &deliberation.metadata.aggregate_rankings);
    for answer in deliberation.stage1.iter().flatten() {
        let member = neutral_name(&answer.member);
        text.push_str(&format!("\n### Answer by {member}\n\n{}\n", neutral(&answer.response)));
        unseen(text, deliberation, &answer.model);
        files_read(text, answer.files_read);
        if let Some(error) = &answer.error {
            failed(text, answer.error_kind, error);
        }
    }
    let labels = &deliberation.metadata.label_to_member;
    if !labels.is_empty() {
        let named: Vec<String> =
            labels.iter().map(|(label, member)| format!("{label} is {}", neutral_name(member))).collect();
        text.push_str(&format!("\n### Reviews\n\nThe reviewers did not know that {}.\n", named.join(", ")));
    }
    if let Some(rubric) = &deliberation.metadata.rubric {
        text.push_str(&format!("\n### {}\n\n{}\n", neutral(&rubric.heading()), neutral(&rubric.text)));
    }
    for review in deliberation.stage2.iter().flatten() {
        let member = neutral_name(&review.member);
        text.push_str(&format!("\n### Review by {member}\n\n{}\n", neutral(&review.ranking)));
        unseen(text, deliberation, &review.model);
        if let Some(error) = &review.error {
            failed(text, review.error_kind, error);
        }
    }
    markdown_sources::sources(text, &deliberation.metadata.sources);
}

/// Which pictures a model was not shown, where there were some.
fn unseen(text: &mut String, deliberation: &Deliberation, model: &str) {
    if let Some(names) = deliberation.metadata.pictures.as_ref().and_then(|info| info.unseen_by(model)) {
        text.push_str(&format!("\n> Did not see {}.\n", neutral(&names.join(", "))));
    }
}

/// A time from the API (naive UTC), as it is written in a text.
pub fn readable(naive: &str) -> String {
    match naive.parse::<jiff::civil::DateTime>() {
        Ok(at) => at.strftime("%-d %B %Y, %H:%M UTC").to_string(),
        Err(_) => naive.to_owned(),
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
            text.push_str(&format!("- {}\n", neutral(&point.replace('\n', " "))));
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
        let member = neutral_name(&row.member).replace('|', "\\|");
        let (ballots, firsts) = (row.rankings_count, row.first_place_votes);
        text.push_str(&format!("| {member} | {rank:.2} | {ballots} | {firsts} |\n"));
    }
}
