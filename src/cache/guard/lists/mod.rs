//! Words that the guard knows. Lists are separated by spaces; languages go by their codes.

mod index;
mod languages;
mod meanings;
mod quantities;

pub use languages::*;
pub use meanings::*;
pub use quantities::*;
