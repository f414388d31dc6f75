//! Tests from the outside; one file per behaviour.
#![expect(clippy::unwrap_used, reason = "a test may: its helpers, too")]

mod analytics;
mod contract;
mod contract_http;
mod council;
mod crash;
mod documents;
mod input;
mod input_transport;
mod llm_faults;
mod local;
mod lost_commit;
mod operations;
mod origins;
mod outage;
mod providers_down;
mod queue;
mod quorum;
mod replay;
mod replicas;
mod rooms;
mod run_limits;
mod runs_ended;
mod shutdown;
mod startup;
mod store;
mod store_functions;
mod store_setup;
mod support;
mod tenancy;
mod tokens;
mod usage;
