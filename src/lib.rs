//! LLM Council: a question goes to several language models at once, they review each other's
//! answers blind, and a chairman writes the answer.
//!
//! The rooms, and who may import whom (kept by `tests/it/rooms.rs`):
//!
//! `cli`, `server` → `runs` → `council` → `llm`; `store` sits under `runs` and `server`.
//! `id`, `config`, `identity`, `telemetry` and `shutdown` are leaves (`telemetry` reads `config`).
//!
//! Start reading at [`council::deliberate`], then `runs::driver`, then `server::routes`.

pub mod cli;
pub mod config;
pub mod council;
pub mod id;
pub mod identity;
pub mod llm;
pub mod runs;
pub mod server;
pub mod shutdown;
pub mod store;
pub mod telemetry;
