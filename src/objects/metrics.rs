//! Metrics of the object store: the requests, and how they ended.

use super::error::ObjectError;

/// What it is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    Put,
    Get,
    Delete,
}

impl Operation {
    pub(super) fn method(self) -> reqwest::Method {
        match self {
            Self::Put => reqwest::Method::PUT,
            Self::Get => reqwest::Method::GET,
            Self::Delete => reqwest::Method::DELETE,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Put => "put",
            Self::Get => "get",
            Self::Delete => "delete",
        }
    }
}

const OUTCOMES: [&str; 5] = ["ok", "away", "refused", "missing", "changed"];

/// Begins every series at 0, so that the first event of each kind shows as an increase.
pub(super) fn begin() {
    metrics::describe_counter!(
        "llm_council_object_requests_total",
        "Requests to the object store, by their outcome after the last try."
    );
    for operation in [Operation::Put, Operation::Get, Operation::Delete] {
        for outcome in OUTCOMES {
            count(operation, outcome).increment(0);
        }
    }
}

/// Counts how a request ended.
pub(super) fn ended<T>(operation: Operation, result: &Result<T, ObjectError>) {
    let outcome = match result {
        Ok(_) => "ok",
        Err(ObjectError::Away(_) | ObjectError::NotConfigured) => "away",
        Err(ObjectError::Refused(_)) => "refused",
        Err(ObjectError::Missing) => "missing",
        Err(ObjectError::Changed) => "changed",
    };
    count(operation, outcome).increment(1);
}

fn count(operation: Operation, outcome: &'static str) -> metrics::Counter {
    metrics::counter!("llm_council_object_requests_total", "operation" => operation.name(), "outcome" => outcome)
}
