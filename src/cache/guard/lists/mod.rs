//! Words that the guard knows. A list is parted by spaces; languages go by their codes.

mod index;
mod languages;
mod meanings;
mod quantities;

pub use languages::*;
pub use meanings::*;
pub use quantities::*;
