//! A team's own measurement of councils: questions with known answers, asked of several councils and models, graded
//! and counted.
//!
//! [`sources`] reads files of questions, [`graders`] say what is right, [`statistics`] how sure that is, and
//! [`report`] is the table of it all. Further shapes of files and further graders are a file and a line in a list.
//!
//! [`suite`] is what is compared, [`expected`] what it will probably take, [`work`] asks it all over ordinary
//! durable runs.
//!
//! Imports `runs`, `council`, `store`, `llm`, `id`. See docs/bench.md for what people read of it.

mod answering;
pub mod engine;
pub mod expected;
pub mod graders;
pub mod outcome;
mod place;
pub mod question;
pub mod report;
mod request;
pub mod sources;
pub mod statistics;
pub mod stored;
pub mod suite;
pub mod work;
