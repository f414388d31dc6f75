//! LLM Council: a question goes to several language models at once, they review each other's
//! answers blind, and a chairman writes the answer.
//!
//! The rooms, and who may import whom (kept by `tests/it/rooms/`):
//!
//! `cli`, `server` → `bench` → `runs` → `council` → `search` → `llm`; `store` sits under `bench`, `runs` and
//! `server`.
//! `doctor`, next to `bench`, reads `config`.
//! `outbox` and `objects` import `store`; `server` and `cli` call both, and `runs` calls `objects`.
//! `terminal` imports none of these: it knows the API and not the server.
//! `attachments` reads files for `server` and `cli`; it imports `invisible` alone.
//! `id`, `invisible`, `shutdown`, `sigv4`, `sse`, `trace` and `version` are leaves, and `cache` and `identity` import
//! only leaves; `config` reads `council`, `search`, `llm` and `identity`, and `telemetry` reads `config`.
//!
//! Start reading at [`council::deliberate`], then `runs::start`, then `server::routes`.

pub mod attachments;
pub mod bench;
pub mod cache;
pub mod cli;
pub mod config;
pub mod council;
pub mod doctor;
pub mod id;
pub mod identity;
mod invisible;
pub mod llm;
pub mod objects;
pub mod outbox;
pub mod runs;
pub mod search;
pub mod server;
pub mod shutdown;
mod sigv4;
mod sse;
pub mod store;
pub mod telemetry;
pub mod terminal;
pub mod trace;
pub mod version;
