//! People at a terminal: `query` and `chat`, over the same API as every other client. The room imports nothing of
//! the crate but `invisible` and `sse`, so that it sees a run as any client does: events in, sentences out.
//!
//! [`session`] asks and follows, [`live`] folds what comes into a state, [`text`] makes it fit to be shown, and
//! [`query`] and [`chat`] are what people use on top of these.

pub mod arguments;
pub mod chat;
pub mod exit;
pub mod lists;
pub mod live;
pub mod profile;
pub mod query;
pub mod session;
pub mod text;
