//! The configuration: built-in defaults < `config.toml` < environment < flags, read once at
//! start into one plain tree. Wrong or unknown keys are refused, all of them named at once.
//!
//! Imports `identity`, whose rules the networks and names in it must follow, and `council`, `search` and `llm`, whose
//! settings it holds. Start reading at [`Config::load`]; `keys` is the table of all keys, from which [`reference`] also
//! writes `docs/configuration.md`.

mod build;
mod council;
mod error;
mod keys;
mod kind;
mod layers;
mod misnamed;
#[cfg(test)]
mod object_store_tests;
#[cfg(test)]
mod preset_tests;
mod providers;
mod reference;
mod rules;
#[cfg(test)]
mod sign_in_tests;
#[cfg(test)]
mod table_tests;
#[cfg(test)]
mod tests;
mod tree;
#[cfg(test)]
mod unread_tests;
mod values;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

pub use build::ANY_HOST;
pub use error::{ConfigError, ConfigErrors};
pub use layers::Overrides;
pub use reference::reference;
pub use tree::*;

use layers::Layers;

/// The variable that names the configuration file.
const PATH_VARIABLE: &str = "LLM_COUNCIL_CONFIG";
/// The file that is read when none is named, if it is there.
const DEFAULT_PATH: &str = "config.toml";

impl Config {
    /// Reads the configuration: the file at `path`, or the one that `LLM_COUNCIL_CONFIG` names,
    /// or `./config.toml` if there is one; then `env`; then `flags`.
    ///
    /// # Errors
    /// Every problem at once; a file that was named and cannot be read is one of them.
    pub fn load(
        path: Option<&Path>,
        env: &BTreeMap<String, String>,
        flags: &Overrides,
    ) -> Result<Self, ConfigErrors> {
        let mut layers = Layers::default();
        let named = env.get(PATH_VARIABLE).filter(|path| !path.is_empty()).map(Path::new);
        let (path, required) = match path.or(named) {
            Some(path) => (path, true),
            None => (Path::new(DEFAULT_PATH), false),
        };
        let shown = path.display().to_string();
        match std::fs::read_to_string(path) {
            Ok(text) => layers.add_toml(&shown, &text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && !required => {}
            Err(error) => {
                layers.refuse_file(&shown, format!("the configuration file cannot be read: {error}"));
            }
        }
        layers.add_env(env);
        layers.add_flags(flags);
        build::config(layers, env)
    }

    /// The same from a text instead of a file, called `config.toml` in errors.
    pub fn from_parts(
        toml: &str,
        env: &BTreeMap<String, String>,
        flags: &Overrides,
    ) -> Result<Self, ConfigErrors> {
        let mut layers = Layers::default();
        layers.add_toml(DEFAULT_PATH, toml);
        layers.add_env(env);
        layers.add_flags(flags);
        build::config(layers, env)
    }
}

/// The variables of a process as [`Config::load`] wants them, from `std::env::vars_os()`.
///
/// What is not UTF-8 is kept with replacement characters, so that a key of ours is refused
/// rather than overlooked.
pub fn environment(vars: impl IntoIterator<Item = (OsString, OsString)>) -> BTreeMap<String, String> {
    let text = |text: OsString| text.to_string_lossy().into_owned();
    vars.into_iter().map(|(name, value)| (text(name), text(value))).collect()
}
