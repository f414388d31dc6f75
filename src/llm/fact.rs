//! Facts: what this server says, as a code with parameters. The English sentence is made from the fact, so that the two
//! cannot drift apart; a client makes its own, in its reader's language.

use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::budget::BudgetState;

/// Deserialises a fact, or a list of them. If one cannot be read, the result is empty: the sentence is stored next to
/// it. A newer version may have written a code that is unknown here; a known code with wrong parameters is a bug, and
/// is logged.
///
/// # Errors
/// If it is not JSON.
pub fn known<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned + Default,
{
    let value = Value::deserialize(deserializer)?;
    let codes = codes(&value);
    Ok(read(value).unwrap_or_else(|unread| {
        if unread == Unread::Parameters {
            // Without the parameters, which may hold what somebody wrote.
            let fact = std::any::type_name::<T>();
            tracing::error!(fact, ?codes, "a stored fact has parameters that its code does not have");
        }
        T::default()
    }))
}

/// Why a fact cannot be read.
#[derive(Debug, PartialEq, Eq)]
enum Unread {
    /// Its code, or a choice among its parameters, is not known here.
    Newer,
    /// The code is known, but its parameters are missing or different.
    Parameters,
}

fn read<T: DeserializeOwned>(value: Value) -> Result<T, Unread> {
    // serde has no error kind for this, only a text.
    let is_newer = |error: &serde_json::Error| error.to_string().starts_with("unknown variant");
    serde_json::from_value(value)
        .map_err(|error| if is_newer(&error) { Unread::Newer } else { Unread::Parameters })
}

fn codes(value: &Value) -> Vec<String> {
    let facts = value.as_array().map_or_else(|| std::slice::from_ref(value), Vec::as_slice);
    facts.iter().filter_map(|fact| Some(fact.get("code")?.as_str()?.to_owned())).collect()
}

/// Why this server ended a call, or never made it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum CallFact {
    /// The run ended before the call did.
    Unfinished,
    /// The run ended before the chairman had chosen among the drafts.
    NotChosen,
    /// A person asked to go on without it.
    Skipped,
    /// Enough of the others had answered.
    WentOnWithout { answers: usize },
    /// The call no longer fits into a budget.
    OverBudget {
        budget: Box<BudgetState>,
        /// What it would cost; absent when that is unknown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        needed_usd: Option<f64>,
    },
    /// A budget applies, and the model's price is unknown.
    PriceUnknown,
    /// What is left of the budgets could not be read.
    BudgetsUnreadable,
    /// The run has no search.
    NoSearch,
    /// The text does not have the requested form, even after a second request.
    NotOfForm {
        /// What is wrong with it, in English.
        problem: String,
    },
}

impl fmt::Display for CallFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unfinished => f.write_str("stopped before it was finished"),
            Self::NotChosen => f.write_str("The run ended before the answer was chosen."),
            Self::Skipped => f.write_str("skipped: the council was told to go on without it"),
            Self::WentOnWithout { answers: 1 } => {
                f.write_str("stopped: the council went on without it after one answer")
            }
            Self::WentOnWithout { answers } => {
                write!(f, "stopped: the council went on without it after {answers} answers")
            }
            Self::OverBudget { budget, needed_usd } => f.write_str(&budget.refusal("this call", *needed_usd)),
            Self::PriceUnknown => f.write_str("A budget applies, and the price of this model is unknown."),
            Self::BudgetsUnreadable => f.write_str("The budgets of this server could not be read."),
            Self::NoSearch => f.write_str("This run has no search."),
            Self::NotOfForm { problem } => {
                write!(f, "The text is not of the form that was asked for: it {problem}.")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_sentence_is_made_of_its_fact() {
        let said = |fact: CallFact| fact.to_string();
        assert_eq!(said(CallFact::Unfinished), "stopped before it was finished");
        assert_eq!(said(CallFact::NotChosen), "The run ended before the answer was chosen.");
        assert_eq!(said(CallFact::Skipped), "skipped: the council was told to go on without it");
        let went_on = |answers| said(CallFact::WentOnWithout { answers });
        assert_eq!(went_on(1), "stopped: the council went on without it after one answer");
        assert_eq!(went_on(3), "stopped: the council went on without it after 3 answers");
        assert_eq!(said(CallFact::PriceUnknown), "A budget applies, and the price of this model is unknown.");
        assert_eq!(said(CallFact::BudgetsUnreadable), "The budgets of this server could not be read.");
    }

    #[test]
    fn a_fact_of_a_newer_version_is_left_out() {
        #[derive(Debug, PartialEq, Deserialize)]
        struct Failed {
            #[serde(default, deserialize_with = "known")]
            fact: Option<CallFact>,
            #[serde(default, deserialize_with = "known")]
            facts: Vec<CallFact>,
        }
        let read = |fact: Value, facts: Value| -> Failed {
            serde_json::from_value(json!({"fact": fact, "facts": facts})).unwrap()
        };
        let skipped = json!({"code": "skipped"});
        let newer = json!({"code": "newer", "of": 3});
        assert_eq!(
            read(skipped.clone(), json!([skipped])),
            Failed { fact: Some(CallFact::Skipped), facts: vec![CallFact::Skipped] }
        );
        assert_eq!(read(newer.clone(), json!([newer, skipped])), Failed { fact: None, facts: vec![] });
    }

    #[test]
    fn a_newer_fact_is_told_from_one_with_wrong_parameters() {
        let unread = |fact: Value| read::<Option<CallFact>>(fact).unwrap_err();
        assert_eq!(unread(json!({"code": "newer", "of": 3})), Unread::Newer);
        for wrong in [
            json!({"code": "went_on_without"}),
            json!({"code": "went_on_without", "answers": "three"}),
            json!({"answers": 3}),
            json!("skipped"),
        ] {
            assert_eq!(unread(wrong.clone()), Unread::Parameters, "{wrong}");
        }
        let newer_among_others = json!([{"code": "skipped"}, {"code": "newer"}]);
        assert_eq!(read::<Vec<CallFact>>(newer_among_others.clone()), Err(Unread::Newer));
        assert_eq!(codes(&newer_among_others), ["skipped", "newer"]);
        assert_eq!(read::<Option<CallFact>>(Value::Null), Ok(None));
    }
}
