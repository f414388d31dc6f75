//! Files that come with questions: what is taken and what is not, what becomes of it in a run, and how it ends.

mod context;
pub mod files;
mod killed;
mod lives;
pub mod pictures;
mod questions;
mod refusals;
mod uploads;
