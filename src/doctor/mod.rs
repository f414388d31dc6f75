//! Examines a server: its configuration, its database, how people sign in, its providers, and each model of its
//! council, which is asked for one word. One report for the command line and for administrators; it leaves nothing behind.
//!
//! Imports `config`, `council`, `llm`, `objects`, `store` and `identity`. Start at [`examine`].

mod advice;
mod allowance;
mod checks;
mod database;
mod examine;
mod fact;
mod model_fact;
mod options;
mod probe;
mod prompts;
mod providers;
mod report;
mod seats;
mod verdict;
mod verdict_fact;

pub use advice::Advice;
pub use allowance::DEFAULT_MAX_COST_USD;
pub use database::Database;
pub use examine::{Asker, Server, examine};
pub use fact::CheckFact;
pub use model_fact::ProbeFact;
pub use options::{ExaminationOptions, SeenRequest};
pub use probe::{FORM_TOKENS, WORD_TOKENS};
pub use report::{
    Area, Check, CheckCost, ModelCheck, Price, Probe, ProbeKind, ProviderCheck, Report, Seat, State,
};
pub use verdict_fact::Verdict;
