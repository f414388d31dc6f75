//! The deliberation: a plain async function over [`Run`]. It knows no HTTP, no SQL and no
//! provider by name; it imports only `llm`, `search` (to read links), `cache` (to compare questions),
//! `trace`, `id` and `invisible`.
//!
//! Start at [`deliberate`], which shows the order of a run. A stage or an option is a file or a folder under
//! `stages/` or `options/`, with its prompt, parser, events and function, and has its lines in [`features`].

pub mod answer_form;
pub mod any_event;
pub mod ask;
pub mod asking;
pub mod attached;
pub mod brief;
pub mod budget;
pub mod built_in;
pub mod checking;
pub mod context;
pub mod correction;
pub mod costs;
pub mod debate;
pub mod draft;
pub mod earlier;
pub mod estimate;
mod event_readers;
pub mod failure;
pub mod features;
pub mod field;
pub mod figures;
pub mod fingerprint;
pub mod formats;
pub mod formed;
pub mod kept;
pub mod line_filter;
pub mod member;
pub mod member_retry;
pub mod note;
pub mod option_settings;
pub mod options;
mod outcome;
pub mod pass;
pub mod pictures;
pub mod plan;
pub mod pricing;
pub mod process;
pub mod prompts;
pub mod quorum;
pub mod ranking;
pub mod rerun;
mod rerun_plan;
pub mod revision;
pub mod roster;
pub mod round;
pub mod run;
pub mod run_event;
pub mod searching;
pub mod seat;
pub mod seeing;
pub mod setting;
pub mod settings;
pub mod skip;
pub mod stage;
pub mod stages;
mod tail_notes;
pub mod task;
pub mod token;
pub mod tool_use;
pub mod view;

pub use any_event::AnyEvent;
pub use failure::Failure;
pub use features::{Deliberation, Event};
pub use formats::deliberate;
pub use plan::Plan;
pub use run::Run;
pub use run_event::RunEvent;
pub use token::Token;
