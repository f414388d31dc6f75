//! The stages of a council run, one file each: its prompt, parser, events and function.

pub mod abstention;
pub mod answers;
pub mod editorial;
pub mod ending;
pub mod reviews;
pub mod synthesis;
pub mod title;
pub mod verdict;
