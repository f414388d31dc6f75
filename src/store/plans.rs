//! Plans as the rows of runs have them: the texts of their prompts, more than half of a plan and the same in thousands of
//! them, are stored apart, once for all runs that are asked with the same ones.

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::{StoreError, Tx};

/// The field of a plan that has its texts, by the names of their templates; in its row, the digest of their set.
const TEXTS: &str = "prompts";

/// A plan as JSON, with its texts apart.
#[derive(Debug)]
pub struct PlanParts {
    /// With the digest in the place of the texts.
    pub(super) plan: Value,
    /// The prompts of the run; none in plans from before plans had texts.
    pub(super) texts: Option<TextSet>,
}

#[derive(Debug)]
pub(super) struct TextSet {
    /// SHA-256 as hexadecimal digits.
    pub(super) digest: String,
    texts: Value,
}

impl PlanParts {
    /// The parts of a plan.
    #[must_use]
    pub fn of(mut plan: Value) -> Self {
        let place = plan.get_mut(TEXTS).filter(|texts| texts.is_object());
        let texts = place.map(|place| {
            let digest = hex::encode(Sha256::digest(place.to_string()));
            TextSet { texts: std::mem::replace(place, Value::String(digest.clone())), digest }
        });
        Self { plan, texts }
    }
}

impl TextSet {
    /// Stores it, unless it is stored already.
    pub(super) async fn keep(&self, tx: &mut Tx) -> Result<(), StoreError> {
        sqlx::query("INSERT INTO prompt_sets (digest, texts) VALUES ($1, $2) ON CONFLICT DO NOTHING")
            .bind(&self.digest)
            .bind(&self.texts)
            .execute(&mut **tx)
            .await?;
        Ok(())
    }
}

/// The whole plan of a row of runs, which has this name in the statement. A missing set makes the plan unreadable,
/// rather than one with other texts.
macro_rules! whole_plan {
    ($runs:literal) => {
        concat!(
            "CASE WHEN jsonb_typeof(",
            $runs,
            ".plan -> 'prompts') = 'string' THEN ",
            $runs,
            ".plan || jsonb_build_object('prompts', coalesce(
                 (SELECT texts FROM prompt_sets WHERE digest = ",
            $runs,
            ".plan ->> 'prompts'), '\"lost\"'))
             ELSE ",
            $runs,
            ".plan END AS plan"
        )
    };
}
pub(super) use whole_plan;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_same_texts_have_one_digest_whatever_is_asked() {
        let plan = |question: &str, text: &str| {
            PlanParts::of(json!({"question": question, "prompts": {"answer": text, "title": "Name it."}}))
        };
        let digest = |parts: PlanParts| parts.texts.map(|texts| texts.digest);
        let first = plan("Why?", "Say.");
        assert_eq!(first.plan["question"], "Why?");
        assert_eq!(first.plan["prompts"].as_str(), first.texts.as_ref().map(|texts| texts.digest.as_str()));
        let first = digest(first);
        assert_eq!(digest(plan("How?", "Say.")), first);
        assert_ne!(digest(plan("Why?", "Tell.")), first);
    }

    #[test]
    fn a_plan_without_texts_stays_as_it_is() {
        for plan in [json!({}), json!({"prompts": null})] {
            let parts = PlanParts::of(plan.clone());
            assert_eq!((parts.plan, parts.texts.is_none()), (plan, true));
        }
    }
}
