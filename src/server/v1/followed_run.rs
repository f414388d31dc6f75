//! A run as far as a program has followed it: its progress, the final answer as it is written, and how it ended. A pure
//! fold over the run's events, the same whenever and however often they are read.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;

use crate::council::asking::Asking;
use crate::council::costs::Costs;
use crate::council::features::tokens_of_final_answers;
use crate::council::plan::AnswerShape;
use crate::council::stage::Stage;
use crate::council::stages::{reviews, synthesis};
use crate::council::{AnyEvent, Deliberation, RunEvent};
use crate::runs::Frame;

/// Separates a text that a writer left unfinished from the whole one.
pub(super) const RULE: &str = "\n\n---\n\n";
/// The highest verbosity of the process monitor whose sentences are passed on.
const STAGES: u8 = 1;

/// One piece of news for a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// A line of progress.
    Progress(String),
    /// A piece of the final answer.
    Text(String),
    /// The run is over.
    End(End),
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum End {
    Complete,
    /// Why there is no answer.
    Failed(String),
    /// By whom, in a sentence, where that was not its owner.
    Cancelled(Option<String>),
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct FollowedRun {
    answer: AnswerShape,
    /// Who is asked in each stage, and how many have answered.
    asked: BTreeMap<Stage, (usize, usize)>,
    /// The part of the answer that was handed out.
    text: String,
    /// Where the answer begins in it, in bytes.
    begins: usize,
    /// Blanks at its end, which count where more follows.
    blanks: String,
    /// Who wrote that.
    writer: Option<String>,
    /// The part that was handed out is not the beginning of the answer.
    is_torn: bool,
    deliberation: Deliberation,
    end: Option<End>,
}

/// An event that shows a piece of a text. Most are of members, whose texts are passed over: nothing of them is copied.
#[derive(Deserialize)]
struct Piece<'f> {
    #[serde(borrow)]
    r#type: Cow<'f, str>,
    #[serde(borrow, default)]
    content: Cow<'f, str>,
    #[serde(borrow, default)]
    model: Cow<'f, str>,
}

impl FollowedRun {
    /// A run whose final answer comes this way, before its first event.
    pub fn of(answer: AnswerShape) -> Self {
        Self { answer, ..Self::default() }
    }

    /// Whether the answer is a document, in which text that looks like a citation is not one.
    pub fn is_document(&self) -> bool {
        self.answer.is_document
    }

    /// Takes in one event.
    pub fn take(&mut self, frame: &Frame) -> Vec<Step> {
        if frame.is_token() {
            return self.take_piece(frame).into_iter().collect();
        }
        let event = match frame.event() {
            Ok(event) => event,
            Err(error) => {
                // A newer server may execute the run.
                tracing::warn!(%error, "an event of a run cannot be understood");
                return Vec::new();
            }
        };
        self.deliberation.apply(&event);
        let mut steps: Vec<Step> = self.progress(&event).into_iter().map(Step::Progress).collect();
        if let Some(RunEvent::CallRestarted(call)) = event.get::<RunEvent>()
            && call.stage == synthesis::STAGE
        {
            self.is_torn |= !self.text.is_empty();
        }
        let end = match event.get::<RunEvent>() {
            Some(RunEvent::Complete {}) => Some(self.ended()),
            Some(RunEvent::Error { message, .. }) => Some(End::Failed(message.clone())),
            Some(RunEvent::Cancelled { message, .. }) => Some(End::Cancelled(message.clone())),
            Some(_) | None => None,
        };
        if (self.answer.is_shown && !self.is_torn) || end == Some(End::Complete) {
            steps.extend(self.rest(end.is_some()).map(Step::Text));
        }
        if let Some(end) = end {
            self.end = Some(end.clone());
            steps.push(Step::End(end));
        }
        steps
    }

    fn take_piece(&mut self, frame: &Frame) -> Option<Step> {
        if !self.answer.is_shown || self.is_torn {
            return None;
        }
        let piece: Piece<'_> = serde_json::from_slice(&frame.json).ok()?;
        if piece.content.is_empty() || !tokens_of_final_answers().any(|token| piece.r#type == token) {
            return None;
        }
        if self.text.is_empty() {
            // Blanks alone, which are not shown, may have come from another one.
            self.writer = Some(piece.model.clone().into_owned());
        } else if self.writer.as_deref() != Some(&*piece.model) {
            // The one before has failed in the middle.
            self.is_torn = true;
            return None;
        }
        let mut piece = std::mem::take(&mut self.blanks) + &piece.content;
        if self.text.is_empty() {
            piece = piece.trim_start().to_owned();
        }
        self.blanks = piece.split_off(piece.trim_end().len());
        self.text.push_str(&piece);
        (!piece.is_empty()).then_some(Step::Text(piece))
    }

    /// The part of the answer that was not handed out yet.
    fn rest(&mut self, is_over: bool) -> Option<String> {
        let answer = self.deliberation.answer_text()?;
        let rest = match answer.strip_prefix(&self.text) {
            Some(rest) => rest.to_owned(),
            None if answer.trim() == self.text => String::new(),
            None if is_over => {
                self.begins = self.text.len() + RULE.len();
                format!("{RULE}{answer}")
            }
            None => {
                self.is_torn = true;
                return None;
            }
        };
        self.text.push_str(&rest);
        Some(rest).filter(|rest| !rest.is_empty())
    }

    fn ended(&self) -> End {
        match self.deliberation.answer_text() {
            Some(_) => End::Complete,
            None => End::Failed("the members answered, but no model could write the final answer".to_owned()),
        }
    }

    /// What an event says about the run's progress.
    fn progress(&mut self, event: &AnyEvent) -> Option<String> {
        match event.asking() {
            Some(Asking::Begins { stage, seats }) => {
                self.asked.insert(stage, (seats.len(), 0));
            }
            Some(Asking::Again { stage, .. }) => {
                if let Some((_, done)) = self.asked.get_mut(&stage) {
                    *done = done.saturating_sub(1);
                }
            }
            Some(Asking::Ends { stage, .. }) => {
                let (asked, done) = self.asked.get_mut(&stage)?;
                *done += 1;
                // A single one is reported by the next sentence.
                let did = if stage == reviews::STAGE { "reviewed" } else { "answered" };
                return (*asked > 1 && done <= asked).then(|| format!("{done} of {asked} have {did}"));
            }
            Some(Asking::Over { .. }) | None => {}
        }
        event.note().filter(|note| note.level == STAGES).map(|note| note.message)
    }

    /// The answer as it was handed out, with what its writer took back.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The answer alone.
    pub fn answer(&self) -> &str {
        self.text.get(self.begins..).unwrap_or_default()
    }

    /// How it ended, once it has.
    pub fn end(&self) -> Option<&End> {
        self.end.as_ref()
    }

    /// Everything that was found out so far.
    pub fn deliberation(&self) -> &Deliberation {
        &self.deliberation
    }

    /// What was spent, once the run is over.
    pub fn costs(&self) -> Option<&Costs> {
        self.deliberation.metadata.costs.as_ref()
    }

    /// Whether the writer stopped at its limit.
    pub fn is_cut(&self) -> bool {
        self.deliberation.stage3.as_ref().is_some_and(|stage3| stage3.truncated)
    }
}
