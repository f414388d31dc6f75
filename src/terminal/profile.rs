//! The person's own file, `~/.config/llm-council/cli.toml`: servers with their tokens, and what `chat` begins with. Only its
//! owner can read it.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use secrecy::SecretString;
use serde::{Deserialize, Serialize};

use super::session::Trouble;

/// The name of the default profile.
pub const DEFAULT: &str = "default";

/// What stands in the file.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profiles {
    #[serde(default)]
    pub profiles: BTreeMap<String, Profile>,
    /// The fields of a request that `chat` begins with.
    #[serde(default, skip_serializing_if = "toml::Table::is_empty")]
    pub chat: toml::Table,
}

/// A server, and who asks there.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    pub server: String,
    token: String,
}

impl std::fmt::Debug for Profile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Profile").field("server", &self.server).finish_non_exhaustive()
    }
}

impl Profile {
    /// A server, and a token that it has given.
    #[must_use]
    pub fn new(server: String, token: String) -> Self {
        Self { server, token }
    }

    /// The token.
    #[must_use]
    pub fn token(&self) -> SecretString {
        self.token.clone().into()
    }
}

/// Where the file is, if this person has a place for it.
#[must_use]
pub fn path(env: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    let absolute = |path: PathBuf| path.is_absolute().then_some(path);
    let config = env("XDG_CONFIG_HOME").and_then(absolute);
    let config = config.or_else(|| env("HOME").and_then(absolute).map(|home| home.join(".config")))?;
    Some(config.join("llm-council").join("cli.toml"))
}

/// What stands in the file; nothing where there is none.
///
/// # Errors
/// When it cannot be read.
pub fn read(path: Option<&Path>) -> Result<Profiles, Trouble> {
    let Some(path) = path else { return Ok(Profiles::default()) };
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Profiles::default()),
        Err(error) => return Err(Trouble::Failed(format!("{} cannot be read: {error}", path.display()))),
    };
    toml::from_str(&text).map_err(|error| {
        // The message is not shown: the wrong line may be the token's.
        let at =
            error.span().map(|span| text.bytes().take(span.start).filter(|byte| *byte == b'\n').count() + 1);
        let at = at.map(|line| format!(", line {line}")).unwrap_or_default();
        Trouble::Wrong(vec![format!("{}{at}: {}", path.display(), error.message())])
    })
}

/// Writes the file anew, for its owner alone; the old one stays whole until the new one is.
///
/// # Errors
/// When it cannot be written.
pub fn write(path: &Path, profiles: &Profiles) -> Result<(), Trouble> {
    let failed =
        |error: std::io::Error| Trouble::Failed(format!("{} cannot be written: {error}", path.display()));
    let text = toml::to_string_pretty(profiles).map_err(|error| failed(std::io::Error::other(error)))?;
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    let new = path.with_extension(format!("{}.new", std::process::id()));
    let written =
        fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new).and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            fs::rename(&new, path)
        });
    written.map_err(|error| {
        // A half-written file is useless; it does not matter if it cannot be removed either.
        drop(fs::remove_file(&new));
        failed(error)
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn the_file_is_its_owners_alone_and_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = path(|name| (name == "HOME").then(|| folder.path().to_owned())).unwrap();
        assert!(path.ends_with(".config/llm-council/cli.toml"));
        assert!(read(Some(&path)).unwrap().profiles.is_empty());
        let mut profiles = Profiles::default();
        profiles.profiles.insert("work".into(), Profile::new("https://c.example".into(), "lc_secret".into()));
        write(&path, &profiles).unwrap();
        write(&path, &profiles).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(read(Some(&path)).unwrap().profiles["work"].server, "https://c.example");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "nothing is left beside it");
        assert!(!format!("{profiles:?}").contains("secret"));
    }

    #[test]
    fn a_wrong_line_is_named_and_not_shown() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cli.toml");
        fs::write(&path, "[profiles.work]\nserver = \"x\"\ntoken = lc_secret\n").unwrap();
        let trouble = read(Some(&path)).unwrap_err().to_string();
        assert!(trouble.contains("line 3") && !trouble.contains("secret"), "{trouble}");
    }

    #[test]
    fn who_has_no_home_has_no_file() {
        assert_eq!(path(|_| None), None);
        assert_eq!(path(|_| Some(PathBuf::from("relative"))), None);
        assert!(read(None).unwrap().profiles.is_empty());
    }
}
