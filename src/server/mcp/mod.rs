//! The council for other programs' models, by the Model Context Protocol over HTTP (docs/mcp.md): its tools, resources and
//! prompts are translation over [`super::asking`] and what the API reads. Every request stands alone, so any server answers
//! any of them. The protocol itself is implemented by a library ([ADR
//! 24](../../../docs/adr/0024-mcp-is-a-librarys-protocol.md)).
//!
//! Start at [`endpoint`], then [`adapter`] for the protocol and [`council`] for what is offered.

pub mod adapter;
mod asker;
mod council;
pub(super) mod endpoint;
pub(super) mod gate;
mod progress;
mod prompts;
mod refusal;
mod resources;
mod tasks;
mod tool_answer;
mod tools;
mod waiting;
