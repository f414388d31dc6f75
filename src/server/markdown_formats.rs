//! What formats other than the council say, as Markdown.

use super::neutral::{neutral, neutral_name};
use crate::council::Deliberation;
use crate::council::attached::FilesRead;
use crate::council::debate::statement::{DebateRound, Statement};
use crate::council::formats::decomposition::part::SubResult;
use crate::council::stages::verdict::DebateVerdict;
use crate::llm::ErrorKind;

/// The rounds of a debate and the parts of a question, each under its heading.
pub(super) fn rounds_and_parts(text: &mut String, deliberation: &Deliberation) {
    for round in &deliberation.format.debate.rounds {
        debate_round(text, round);
    }
    let Some(decomposition) = &deliberation.format.decomposition else { return };
    if let Some(reason) = &decomposition.skip_reason {
        text.push_str(&format!("\n> {}\n", neutral(&reason.replace('\n', " "))));
    }
    for part in &decomposition.sub_results {
        sub_result(text, part);
    }
}

fn debate_round(text: &mut String, round: &DebateRound) {
    let kind = round.round_type.replace('_', " ");
    text.push_str(&format!("\n## Round {}: {kind}\n", round.round_number));
    for statement in &round.responses {
        speech(text, statement);
    }
}

fn speech(text: &mut String, statement: &Statement) {
    let to = match statement.replies_to.as_slice() {
        [] => String::new(),
        names => format!(", to {}", neutral_name(&names.join(", "))),
    };
    let (label, member) = (neutral_name(&statement.label), neutral_name(&statement.member));
    text.push_str(&format!("\n### {label} ({member}){to}\n"));
    if !statement.text.is_empty() {
        text.push_str(&format!("\n{}\n", neutral(&statement.text)));
    }
    files_read(text, statement.files_read);
    if let Some(position) = &statement.position {
        let said = match (position.changed, position.after.as_slice()) {
            (None, _) => return,
            (Some(false), _) => "Position unchanged".to_owned(),
            (Some(true), []) => "Position changed".to_owned(),
            (Some(true), names) => format!("Position changed after {}", names.join(", ")),
        };
        let why = if position.why.is_empty() { String::new() } else { format!(": {}", position.why) };
        text.push_str(&format!("\n> {}\n", neutral(&format!("{said}{why}"))));
    }
    if let Some(error) = &statement.error {
        failed(text, statement.error_kind, error);
    }
}

fn sub_result(text: &mut String, part: &SubResult) {
    text.push_str(&format!("\n## Part {}: {}\n", part.index + 1, neutral(&part.sub_question)));
    for answer in &part.responses {
        let best = if part.best_member.as_ref() == Some(&answer.member) { " (taken)" } else { "" };
        let member = neutral_name(&answer.member);
        text.push_str(&format!("\n### Answer by {member}{best}\n\n{}\n", neutral(&answer.response)));
        files_read(text, answer.files_read);
        if let Some(error) = &answer.error {
            failed(text, answer.error_kind, error);
        }
    }
}

/// What the chairman notes of a debate.
pub(super) fn verdict(text: &mut String, verdict: &DebateVerdict) {
    let parts = [
        ("Most convincing", &verdict.most_convincing),
        ("Settled", &verdict.settled),
        ("Still in dispute", &verdict.open),
        ("The minority's view", &verdict.minority),
    ];
    for (title, points) in parts.iter().filter(|(_, points)| !points.is_empty()) {
        text.push_str(&format!("\n### {title}\n\n"));
        for point in *points {
            text.push_str(&format!("- {}\n", neutral(&point.replace('\n', " "))));
        }
    }
}

/// How much a member read of the files, where that is less than the others did.
pub(super) fn files_read(text: &mut String, read: Option<FilesRead>) {
    if let Some(FilesRead { characters, characters_read }) = read {
        text.push_str(&format!(
            "\n> Read the first {characters_read} of {characters} characters of the files.\n"
        ));
    }
}

/// Why a call failed, as a quotation.
pub(super) fn failed(text: &mut String, kind: Option<ErrorKind>, error: &str) {
    let reason = neutral(ErrorKind::reason_or(kind, error));
    text.push_str(&format!("\n> Failed: {}.\n", reason.trim_end_matches('.')));
}
