//! Tests from the outside; one file per behaviour.
#![expect(clippy::unwrap_used, reason = "a test may: its helpers, too")]

mod contract;
mod contract_http;
mod council;
mod crash;
mod documents;
mod escalation;
mod hostile;
mod input;
mod input_transport;
mod llm_faults;
mod local;
mod lost_commit;
mod operations;
mod origins;
mod outage;
mod presets;
mod providers_down;
mod queue;
mod quorum;
mod replay;
mod replicas;
mod rooms;
mod routing;
mod run_limits;
mod runs_ended;
mod shutdown;
mod startup;
mod store;
mod store_functions;
mod store_setup;
mod structured;
mod support;
mod tenancy;
mod tokens;
mod usage;
