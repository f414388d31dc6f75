//! Each provider, by its list of models.

use super::advice::Advice;
use super::model_fact::ProbeFact;
use super::report::{ProviderCheck, State};
use crate::llm::{ListRead, Registry};

/// Reads every provider's list, all at once.
pub(super) async fn examine(models: &Registry) -> Vec<ProviderCheck> {
    models.read_lists().await.into_iter().map(check).collect()
}

fn check(list: ListRead) -> ProviderCheck {
    let ListRead { provider: name, is_default, simulated, models: listed, took } = list;
    let (state, fact, advice) = match &listed {
        Ok(models) => (State::Ok, ProbeFact::ListRead { models: *models }, None),
        Err(error) if error.has_no_list() => (State::NotOffered, ProbeFact::NoList, None),
        Err(error) => {
            let fact = ProbeFact::CallFailed {
                error_kind: error.kind,
                status: error.status,
                error: error.message.clone(),
            };
            (State::Failed, fact, Some(Advice::of(error, &name)))
        }
    };
    ProviderCheck {
        name,
        is_default,
        simulated,
        state,
        message: fact.to_string(),
        fact,
        what_to_do: advice.as_ref().map(ToString::to_string),
        advice,
        models: listed.ok(),
        total_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
    }
}
