//! Presets for services that speak chat completions: the address of each, the variable with its key, and what it cannot
//! do. A table with one entry per service; `openai_compatible.rs` reads it.

mod preset;
mod table;

pub use preset::{Addresses, KeyHeader, Preset};
pub use table::{ALONE, NAMES, PRESETS, WORDS};

/// The preset of this name.
#[must_use]
pub fn named(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}
