//! The terminal: `query`, `chat` and `tui` for people, `mcp` for their other programs, all over the same API as every
//! other client. It imports nothing of the crate but `invisible` and `sse`, so that it sees a run as any client does:
//! events in, sentences out.
//!
//! [`session`] asks questions and follows runs, [`live`] folds their events into a state, [`sections`] puts that in
//! order, [`text`] makes it fit to be shown, and [`query`], [`chat`] and [`tui`] are what people use on top of these.

pub mod arguments;
pub mod chat;
pub mod exit;
pub mod files;
pub mod lists;
pub mod live;
pub mod mcp;
pub mod own_data;
pub mod profile;
pub mod query;
pub mod sections;
pub mod session;
pub mod text;
pub mod tui;
