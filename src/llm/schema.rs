//! Replies held to a JSON schema: the schema, which models offer one, and which turned out not to.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::time::Instant;

/// How long a refusal is remembered: long enough that not every call is sent twice, short enough that a provider's new
/// support for schemas is used the same day.
const REFUSED_FOR: Duration = Duration::from_secs(3600);
/// The most models remembered for one provider.
const MAX_REFUSED: usize = 1000;

/// The JSON schema that a reply must match.
///
/// Strict mode, as providers offer it, supports a subset of JSON Schema: objects with every property in `required` and
/// `additionalProperties: false`, arrays, `enum`, `anyOf`, and the plain types. Bounds on numbers and lengths are
/// better left to the code that reads the reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schema {
    /// Letters, digits, `_` and `-`, at most 64; some providers show it to the model.
    pub name: String,
    /// The schema of one object.
    pub schema: serde_json::Value,
    /// Whether the provider must enforce it, rather than only show it to the model.
    #[serde(default = "strict")]
    pub strict: bool,
    /// Whether the client supplied it: a refusal of one such schema says nothing about the next.
    #[serde(default)]
    pub from_asker: bool,
}

fn strict() -> bool {
    true
}

impl Schema {
    /// A strict schema of this program's own, with a name.
    #[must_use]
    pub fn new(name: &str, schema: serde_json::Value) -> Self {
        Self { name: name.to_owned(), schema, strict: true, from_asker: false }
    }

    /// Whether it only asks for an object, whatever is in it.
    #[must_use]
    pub fn is_any_object(&self) -> bool {
        self.schema == serde_json::json!({"type": "object"})
    }
}

/// Which of a provider's models accept a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Schemas {
    /// None, or none that is known to.
    Never,
    /// All of them.
    Always,
    /// Those that the provider's list of models says accept one.
    Listed,
}

/// The models that recently refused a part of a request (a schema, tools, a system prompt) and answered without it.
#[derive(Debug, Default)]
pub(super) struct Refusals(Mutex<HashMap<String, Instant>>);

impl Refusals {
    pub fn holds(&self, model: &str) -> bool {
        self.entries().get(model).is_some_and(|until| Instant::now() < *until)
    }

    pub fn remember(&self, model: &str) {
        let now = Instant::now();
        let mut entries = self.entries();
        if entries.len() >= MAX_REFUSED {
            entries.retain(|_, until| now < *until);
        }
        if entries.len() >= MAX_REFUSED
            && let Some(oldest) =
                entries.iter().min_by_key(|(_, until)| **until).map(|(model, _)| model.clone())
        {
            entries.remove(&oldest);
        }
        entries.insert(model.to_owned(), now + REFUSED_FOR);
    }

    fn entries(&self) -> MutexGuard<'_, HashMap<String, Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_refusal_is_remembered_for_an_hour() {
        let refusals = Refusals::default();
        refusals.remember("x/y");
        assert!(refusals.holds("x/y") && !refusals.holds("x/z"));
        tokio::time::advance(REFUSED_FOR).await;
        assert!(!refusals.holds("x/y"));
    }

    #[tokio::test(start_paused = true)]
    async fn the_oldest_refusal_makes_room() {
        let refusals = Refusals::default();
        for n in 0..=MAX_REFUSED {
            refusals.remember(&format!("x/{n}"));
            tokio::time::advance(Duration::from_millis(1)).await;
        }
        assert!(
            !refusals.holds("x/0") && refusals.holds("x/1") && refusals.holds(&format!("x/{MAX_REFUSED}"))
        );
        assert_eq!(refusals.entries().len(), MAX_REFUSED);
    }
}
