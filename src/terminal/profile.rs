//! The user's own file, `~/.config/llm-council/cli.toml`: servers with their tokens, and the initial settings of
//! `chat`. Only its owner can read it.

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

/// The contents of the file.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profiles {
    #[serde(default)]
    pub profiles: BTreeMap<String, Profile>,
    /// The fields of a request that `chat` begins with.
    #[serde(default, skip_serializing_if = "toml::Table::is_empty")]
    pub chat: toml::Table,
}

/// A server, and the token to use there.
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
    /// A profile for a server, with a token that it has issued.
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

/// The path of the file; `None` without a home directory.
#[must_use]
pub fn path(env: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    let absolute = |path: PathBuf| path.is_absolute().then_some(path);
    let config = env("XDG_CONFIG_HOME").and_then(absolute);
    let config = config.or_else(|| env("HOME").and_then(absolute).map(|home| home.join(".config")))?;
    Some(config.join("llm-council").join("cli.toml"))
}

/// The contents of the file; empty if there is none.
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

/// Saves a profile in the file, which only its owner can read. Everything else in it stays as it is written.
///
/// # Errors
/// When the file cannot be read or written.
pub fn keep(path: &Path, name: &str, profile: &Profile) -> Result<(), Trouble> {
    let failed =
        |error: std::io::Error| Trouble::Failed(format!("{} cannot be written: {error}", path.display()));
    let mut profiles = read(Some(path))?;
    profiles.profiles.insert(name.to_owned(), profile.clone());
    let anew = toml::to_string_pretty(&profiles).map_err(|error| failed(std::io::Error::other(error)))?;
    let edited = edited(&fs::read_to_string(path).unwrap_or_default(), name, profile);
    let says = toml::from_str::<Profiles>(&edited).ok();
    let says = says.and_then(|profiles| toml::to_string_pretty(&profiles).ok());
    // A file that cannot be edited line by line (a table in braces) is written anew.
    let text = if says.as_ref() == Some(&anew) { edited } else { anew };
    // If it is a link, its target is written.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    write(&path, &text).map_err(failed)
}

/// The text with this profile in its table, or in a new one at the end.
fn edited(text: &str, name: &str, profile: &Profile) -> String {
    let read = |line: &str| toml::from_str::<toml::Table>(line).unwrap_or_default();
    let quoted = |text: &str| toml::Value::from(text).to_string();
    let fields = format!("server = {}\ntoken = {}\n", quoted(&profile.server), quoted(&profile.token));
    let (mut edited, mut is_its, mut is_there) = (String::new(), false, false);
    for line in text.lines() {
        let is_header = line.trim_start().starts_with('[');
        if is_header {
            is_its = read(line).get("profiles").is_some_and(|profiles| profiles.get(name).is_some());
        }
        let sets = |field: &str| read(line).contains_key(field);
        if is_its && !is_header && (sets("server") || sets("token")) {
            continue;
        }
        edited.push_str(line);
        edited.push('\n');
        if is_its && is_header {
            edited.push_str(&fields);
            is_there = true;
        }
    }
    if !is_there {
        let gap = if edited.is_empty() { "" } else { "\n" };
        edited.push_str(&format!("{gap}[profiles.{}]\n{fields}", quoted(name)));
    }
    edited
}

/// Replaces the file, for its owner alone; the old one stays until the new one is complete.
fn write(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let new = path.with_extension(format!("{}.new", std::process::id()));
    let written =
        fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new).and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            fs::rename(&new, path)
        });
    // A half-written file is useless; it does not matter if it cannot be removed either.
    written.inspect_err(|_| drop(fs::remove_file(&new)))
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
        let profile = Profile::new("https://c.example".into(), "lc_secret".into());
        keep(&path, "work", &profile).unwrap();
        keep(&path, "work", &profile).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let profiles = read(Some(&path)).unwrap();
        assert_eq!(profiles.profiles["work"].server, "https://c.example");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "nothing is left beside it");
        assert!(!format!("{profiles:?}").contains("secret"));
    }

    #[test]
    fn what_else_stands_in_the_file_stays_as_it_is_written_and_a_link_stays_one() {
        let folder = tempfile::tempdir().unwrap();
        let (path, target) = (folder.path().join("cli.toml"), folder.path().join("mine.toml"));
        let text = "# Mine.\n[profiles.work] # the office\ntoken = \"lc_old\"\n# An alias.\nserver = \"https://old\"\n\n\
                    [chat]\n# Long ones.\nmode = 'debate'\n";
        fs::write(&target, text).unwrap();
        std::os::unix::fs::symlink(&target, &path).unwrap();
        keep(&path, "work", &Profile::new("https://new".into(), "lc_new".into())).unwrap();
        keep(&path, "at home", &Profile::new("https://home".into(), "lc_home".into())).unwrap();
        assert!(path.is_symlink());
        assert_eq!(
            fs::read_to_string(&target).unwrap(),
            "# Mine.\n[profiles.work] # the office\nserver = \"https://new\"\ntoken = \"lc_new\"\n# An alias.\n\n\
             [chat]\n# Long ones.\nmode = 'debate'\n\n\
             [profiles.\"at home\"]\nserver = \"https://home\"\ntoken = \"lc_home\"\n"
        );
    }

    #[test]
    fn a_file_whose_lines_do_not_show_the_profiles_is_written_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cli.toml");
        fs::write(&path, "profiles = { work = { server = \"https://old\", token = \"lc_old\" } }\n").unwrap();
        keep(&path, "work", &Profile::new("https://new".into(), "lc_new".into())).unwrap();
        let profiles = read(Some(&path)).unwrap().profiles;
        assert_eq!((profiles.len(), profiles["work"].server.as_str()), (1, "https://new"));
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
