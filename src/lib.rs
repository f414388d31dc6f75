//! LLM Council: a question goes to several language models at once, they review each other's
//! answers blind, and a chairman writes the answer.
//!
//! The rooms, and who may import whom (kept by `tests/it/rooms/`):
//!
//! `cli`, `server` → `bench` → `runs` → `council` → `search` → `llm`; `store` sits under `bench`, `runs` and `server`.
//! `doctor` stands beside `bench` and reads `config`.
//! `outbox` stands on `store`, and `server` and `cli` call it; so does `objects`, which `runs` calls, too.
//! `terminal` stands beside them all: it knows the API and not the server.
//! `attachments` reads files, and `server` and `cli` call it; it imports `invisible` alone.
//! `cache`, `id`, `invisible`, `identity`, `shutdown`, `sigv4`, `sse`, `trace` and `version` are leaves; `config` reads `council`,
//! `search`, `llm` and `identity`, and `telemetry` reads `config`.
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
