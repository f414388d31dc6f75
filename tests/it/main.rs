//! Tests from the outside; one file per behaviour.

mod llm_faults;
mod local;
mod store;
mod store_functions;
mod store_setup;
mod support;
