//! People at a terminal: `query`, `chat` and `tui`, and their other programs: `mcp`, over the same API as every other client. The room imports nothing of
//! the crate but `invisible` and `sse`, so that it sees a run as any client does: events in, sentences out.
//!
//! [`session`] asks and follows, [`live`] folds what comes into a state, [`text`] makes it fit to be shown, [`sections`] puts
//! it in order, and [`query`], [`chat`] and [`tui`] are what people use on top of these.

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
