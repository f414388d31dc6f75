//! Tests from the outside; one file per behaviour.

mod llm_faults;
mod local;
mod store;
mod support;
