//! An earlier answer to the same question: looked for, offered, and taken or not.

use std::borrow::Cow;

use crate::terminal::live::event::Fields;
use serde::Serialize;

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum Cache {
    Looking,
    /// The run waits until somebody decides (`POST /api/runs/{id}/cache`), or until it expires.
    Offered(Earlier),
    /// It is this run's answer, and is shown by the events of its own run.
    Hit(Earlier),
    Miss {
        reason: Option<String>,
        /// The similarity of the nearest question.
        best_similarity: Option<f64>,
        /// `kept` for later questions, or why not; `None` until that is known.
        kept: Option<String>,
    },
}

impl Cache {
    /// The answer that is offered, as long as it is.
    #[must_use]
    pub fn offer(&self) -> Option<&Earlier> {
        if let Self::Offered(earlier) = self { Some(earlier) } else { None }
    }
}

/// The earlier answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Earlier {
    /// The similarity of the two questions, 0 to 1.
    pub similarity: Option<f64>,
    /// Whether it is the very same question.
    pub exact: bool,
    /// How it was asked then; `None` if another person asked it.
    pub question: Option<String>,
    /// RFC 3339.
    pub created_at: Option<String>,
    /// Until when the run waits, RFC 3339; only for an offer.
    pub expires_at: Option<String>,
    /// In USD.
    pub cost_saved: Option<f64>,
    pub time_saved_ms: Option<u64>,
}

impl Earlier {
    pub(in crate::terminal::live) fn of(fields: Fields, expires_at: Option<String>) -> Self {
        Self {
            similarity: fields.number("similarity"),
            exact: fields.flag("exact"),
            question: fields.owned("cached_query"),
            created_at: fields.owned("created_at"),
            expires_at,
            cost_saved: fields.number("cost_saved"),
            time_saved_ms: fields.count("time_saved_ms"),
        }
    }

    /// What was asked then; for another person's question, whose text is not shown, how similar it is.
    #[must_use]
    pub fn asked(&self) -> Cow<'_, str> {
        match (&self.question, self.similarity.filter(|_| !self.exact)) {
            (Some(question), _) => Cow::Borrowed(question.as_str()),
            (None, Some(alike)) => {
                Cow::Owned(format!("a question of somebody else that is {:.0} % alike", alike * 100.0))
            }
            (None, None) => Cow::Borrowed("the same question, asked by somebody else"),
        }
    }
}
