//! What a run is made of, whatever its format: who was asked, what they write, and what it costs.
//!
//! Whatever a model writes is a [`Piece`], whether it is a member's answer, a critique or the final answer: one way of
//! showing it is enough. Anything else about it is in the surrounding type.

use serde::Serialize;

use super::event::Fields;

/// A seat that was asked. `member` is its name, which tells two seats with the same model apart.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Seat {
    pub model: String,
    pub member: String,
    pub alias: Option<String>,
}

impl Seat {
    #[must_use]
    pub fn of(named: Fields) -> Self {
        let model = named.string("model");
        let member = ["member", "alias", "model"].iter().find_map(|name| named.owned(name));
        Self { model, member: member.unwrap_or_default(), alias: named.owned("alias") }
    }
}

/// How far a call has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CallStatus {
    #[default]
    Waiting,
    Writing,
    Done,
    /// It failed, or the run was over before it had ended.
    Failed,
}

impl CallStatus {
    #[must_use]
    pub fn is_open(self) -> bool {
        match self {
            Self::Waiting | Self::Writing => true,
            Self::Done | Self::Failed => false,
        }
    }
}

/// Why something failed.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Failure {
    /// Whose call it was: a model's id.
    pub model: String,
    pub error: String,
    /// The kind of failure, such as `overloaded`; `None` if unknown.
    pub kind: Option<String>,
}

impl Failure {
    #[must_use]
    pub fn of(fields: Fields) -> Self {
        Self {
            model: fields.string("model"),
            error: fields.string("error"),
            kind: fields.owned("error_kind"),
        }
    }
}

/// What is known of a call once its result is there.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Outcome {
    /// Why it failed; `None` where it did not.
    pub error: Option<Failure>,
    /// How long it took, in milliseconds.
    pub latency_ms: Option<u64>,
    /// All of its tokens.
    pub tokens: Option<u64>,
    /// In USD.
    pub cost: Option<f64>,
    /// Whether it was cut off at its limit.
    pub truncated: bool,
    /// How many characters of the question's files it read, and of how many, where its model has no room for more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files_read: Option<(u64, u64)>,
    pub simulated: bool,
    /// The model that answered, if it is not the one that was asked.
    pub served_by: Option<String>,
    /// How sure its writer says it is, from 1 to 10.
    pub confidence: Option<i64>,
    /// The steps of an answer that shows them.
    pub steps: Option<Steps>,
}

/// An answer in steps.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Steps {
    pub thinking: String,
    pub analysis: String,
    pub conclusion: String,
}

impl Outcome {
    #[must_use]
    pub fn of(result: Fields) -> Self {
        let steps = result.within("cot");
        let files = result.within("files_read");
        Self {
            error: result.words("error").map(|_| Failure::of(result)),
            latency_ms: result.count("latency_ms"),
            tokens: result.within("usage").count("total_tokens"),
            cost: result.number("cost"),
            truncated: result.flag("truncated"),
            files_read: files.count("characters_read").zip(files.count("characters")),
            simulated: result.flag("simulated"),
            served_by: result.owned("served_by"),
            confidence: result.whole("confidence"),
            steps: steps.is_there().then(|| Steps {
                thinking: steps.string("thinking"),
                analysis: steps.string("analysis"),
                conclusion: steps.string("conclusion"),
            }),
        }
    }
}

/// Something that a model writes, from before its first word to its result.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Piece {
    pub seat: Seat,
    pub status: CallStatus,
    /// What has arrived so far; the result's text once it is there. For a failed call, what had arrived.
    pub text: String,
    pub reasoning: String,
    /// The call was lost and is made again: what it had written is gone.
    pub restarted: bool,
    /// When it was asked, RFC 3339, by the server's clock; `None` if unknown, and once it has ended.
    pub since: Option<String>,
    /// `None` while it writes, and if the run was over before it had ended.
    pub outcome: Option<Outcome>,
}

impl Piece {
    /// A piece whose model was asked and has not written a word.
    #[must_use]
    pub fn waiting(seat: Seat, since: Option<String>) -> Self {
        Self { seat, since, ..Self::default() }
    }

    /// A piece from its result, which has its text in the field `text`.
    #[must_use]
    pub fn ended(result: Fields, text: &str) -> Self {
        let outcome = Outcome::of(result);
        Self {
            seat: Seat::of(result),
            status: if outcome.error.is_some() { CallStatus::Failed } else { CallStatus::Done },
            text: result.string(text),
            reasoning: result.string("reasoning"),
            restarted: false,
            since: None,
            outcome: Some(outcome),
        }
    }

    /// The next piece of its text. Pieces after the result are ignored: that has the whole text.
    pub fn write(&mut self, text: &str) {
        if self.outcome.is_none() {
            self.status = CallStatus::Writing;
            self.text.push_str(text);
        }
    }

    /// The next piece of its reasoning.
    pub fn reason(&mut self, text: &str) {
        if self.outcome.is_none() {
            self.status = CallStatus::Writing;
            self.reasoning.push_str(text);
        }
    }

    /// Makes what is written so far a thought: it came before something was looked up.
    pub fn think(&mut self) {
        if self.outcome.is_some() || self.text.is_empty() {
            return;
        }
        let written = std::mem::take(&mut self.text);
        if !self.reasoning.is_empty() {
            self.reasoning.truncate(self.reasoning.trim_end().len());
            self.reasoning.push_str("\n\n");
        }
        self.reasoning.push_str(written.trim());
    }

    /// Begins anew, because it failed and is asked again.
    pub fn again(&mut self, since: Option<String>) {
        *self = Self::waiting(std::mem::take(&mut self.seat), since);
    }

    /// Begins anew, because the call was lost and is made again.
    pub fn restart(&mut self) {
        let seat = std::mem::take(&mut self.seat);
        *self = Self { seat, since: self.since.take(), restarted: true, ..Self::default() };
    }

    /// The run is over: what has not ended by now failed.
    pub fn settle(&mut self) {
        if self.status.is_open() {
            self.status = CallStatus::Failed;
        }
    }

    /// Why it failed, where a result says so.
    #[must_use]
    pub fn failure(&self) -> Option<&Failure> {
        self.outcome.as_ref()?.error.as_ref()
    }
}

/// A member's answer to the question, or to a part of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Answer {
    pub piece: Piece,
    /// The reviews began without this answer: nobody reviewed it, or will.
    pub late: bool,
    /// The tier that it belongs to, 1 or 2, if the members are asked in two.
    pub tier: Option<i64>,
}

impl Answer {
    #[must_use]
    pub fn waiting(seat: Seat, since: Option<String>) -> Self {
        Self { piece: Piece::waiting(seat, since), late: false, tier: None }
    }

    #[must_use]
    pub fn ended(result: Fields) -> Self {
        Self {
            piece: Piece::ended(result, "response"),
            late: result.flag("late"),
            tier: result.whole("tier"),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    #[default]
    Queued,
    Running,
    Complete,
    Failed,
    Cancelled,
}

impl RunStatus {
    /// Whether more events are to come.
    #[must_use]
    pub fn is_live(self) -> bool {
        match self {
            Self::Queued | Self::Running => true,
            Self::Complete | Self::Failed | Self::Cancelled => false,
        }
    }
}

/// An option that was switched on and does not apply.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Ignored {
    /// The request's field.
    pub field: String,
    pub reason: String,
}

/// How sure the members say they are, from 1 to 10.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Confidence {
    pub average: Option<f64>,
    pub min: Option<i64>,
    pub max: Option<i64>,
    /// How many of them said it.
    pub count: u64,
}

/// A member that was not asked to review.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Abstention {
    pub seat: Seat,
    pub reason: String,
}

/// A sentence of the process monitor.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Note {
    pub message: String,
    /// `stage`, `model`, `info`, `success`, `warning`, `error` or `data`.
    pub category: String,
    /// The lowest verbosity at which it is sent, 1 to 3.
    pub level: i64,
    /// RFC 3339, UTC.
    pub timestamp: String,
}

/// A budget that is nearly used up.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Budget {
    /// Whose it is: `instance`, `group` or `user`.
    pub scope: String,
    pub name: Option<String>,
    pub period: String,
    pub limit_usd: f64,
    pub spent_usd: f64,
    /// What is set aside for runs under way.
    pub reserved_usd: f64,
    pub resets_at: Option<String>,
}

/// The cost of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Costs {
    /// In USD; `None` if no cost is known.
    pub total: Option<f64>,
    pub tokens: u64,
    /// Calls of unknown cost, which are not in the total.
    pub unknown_calls: u64,
    /// By stage, in the order in which the server names them.
    pub stages: Vec<StageCosts>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct StageCosts {
    pub stage: String,
    pub cost: Option<f64>,
    pub tokens: u64,
    pub calls: u64,
    pub latency_ms: u64,
}
