//! People at a terminal: they ask a council, follow it, and read what it came to.

pub mod live;
pub mod text;
