//! What people use in a terminal.

pub mod text;
