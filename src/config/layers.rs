//! The layers above the built-in defaults, laid over each other: one flat map from dotted key to
//! the value that counts and who set it.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;

use secrecy::{ExposeSecret as _, SecretString};
use toml::Value;

use super::Overrides;
use super::error::ConfigError;
use super::keys::{self, ENV_PREFIX, KEYS, Kind};

/// A file that holds a secret is short; a longer one is some other file.
const SECRET_FILE_LIMIT: u64 = 65_536;

/// A value as it was written. It may be a secret, so there is no `Debug`.
#[derive(Clone)]
pub(super) struct Entry {
    /// Never a table, unless an empty one.
    pub value: Value,
    pub source: String,
}

/// What was set, by key, and what was wrong already with the setting of it.
#[derive(Default)]
pub(super) struct Layers {
    pub entries: BTreeMap<String, Entry>,
    pub errors: Vec<ConfigError>,
}

impl Layers {
    /// Lays the text of a configuration file on top.
    pub(super) fn add_toml(&mut self, path: &str, text: &str) {
        match text.parse::<toml::Table>() {
            Ok(table) => {
                for (name, value) in table {
                    self.add_tree(path, name, value);
                }
            }
            Err(error) => {
                // The error's own Display quotes the line, which may hold a secret.
                let before = error.span().and_then(|span| text.get(..span.start));
                let line = before.map_or(1, |before| before.matches('\n').count() + 1);
                self.error(path, path, format!("line {line} is not TOML: {}", error.message()));
            }
        }
    }

    fn add_tree(&mut self, path: &str, name: String, value: Value) {
        let Value::Table(table) = value else { return self.set(name, value, path) };
        if table.is_empty() {
            return self.set(name, Value::Table(table), path);
        }
        for (child, value) in table {
            self.add_tree(path, format!("{name}.{child}"), value);
        }
    }

    /// Lays the environment on top: the usual names first, so that our own win. An empty
    /// variable counts as not set: compose files write them.
    pub(super) fn add_env(&mut self, env: &BTreeMap<String, String>) {
        let usual = KEYS.iter().filter_map(|key| Some((key.usual_env?, key.name)));
        for (variable, name) in usual.chain([("OPENROUTER_API_KEY", "providers.openrouter.api_key")]) {
            let secret = keys::find(name).is_some_and(|key| key.kind == Kind::Secret);
            let file = format!("{variable}_FILE");
            let text = env.get(variable).filter(|text| !text.is_empty());
            let path = env.get(&file).filter(|path| secret && !path.is_empty());
            match (text, path) {
                (Some(_), Some(_)) => self.twice(name, variable, &file),
                (Some(text), None) => self.set(name.to_owned(), Value::String(text.clone()), variable),
                (None, Some(path)) => self.add_secret_file(name, &file, path),
                (None, None) => {}
            }
        }

        let mut seen: BTreeMap<String, &str> = BTreeMap::new();
        for (variable, text) in env {
            let Some(rest) = variable.strip_prefix(ENV_PREFIX).filter(|_| !text.is_empty()) else { continue };
            let name = dotted(rest);
            let secret = name
                .strip_suffix("_file")
                .or_else(|| name.strip_suffix("-file"))
                .filter(|name| keys::find(name).is_some_and(|key| key.kind == Kind::Secret));
            let target = secret.unwrap_or(&name).to_owned();
            if let Some(first) = seen.insert(target.clone(), variable) {
                self.twice(&target, first, variable);
            } else if secret.is_some() {
                self.add_secret_file(&target, variable, text);
            } else {
                self.set(target, Value::String(text.clone()), variable);
            }
        }
    }

    /// Lays the flags of the command line on top.
    pub(super) fn add_flags(&mut self, flags: &Overrides) {
        let text = |value: &dyn ToString| Value::String(value.to_string());
        if let Some(bind) = &flags.bind {
            self.set("server.bind".to_owned(), text(bind), "--bind");
        }
        if let Some(port) = &flags.port {
            self.set("server.port".to_owned(), text(port), "--port");
        }
        if let Some(dir) = &flags.data_dir {
            self.set("data_dir".to_owned(), text(&dir.display()), "--data-dir");
        }
        if let Some(url) = &flags.database_url {
            self.set("database.url".to_owned(), text(&url.expose_secret()), "--database-url");
        }
    }

    fn set(&mut self, key: String, value: Value, source: &str) {
        self.entries.insert(key, Entry { value, source: source.to_owned() });
    }

    fn add_secret_file(&mut self, key: &str, variable: &str, path: &str) {
        match read_secret(Path::new(path)) {
            Ok(secret) => {
                self.set(key.to_owned(), Value::String(secret.expose_secret().to_owned()), variable);
            }
            Err(why) => self.error(key, variable, format!("the file {path:?} {why}")),
        }
    }

    fn twice(&mut self, key: &str, first: &str, second: &str) {
        self.error(key, first, format!("{second} sets the same key; keep one of them"));
    }

    fn error(&mut self, key: &str, source: &str, message: String) {
        self.errors.push(ConfigError { key: key.to_owned(), source: source.to_owned(), message });
    }
}

/// `SERVER__PORT` as `server.port`. Variables cannot hold a `-`, headers have hardly ever a `_`.
fn dotted(rest: &str) -> String {
    let name = rest.to_lowercase().replace("__", ".");
    match name.split_once(".headers.") {
        Some((provider, header)) if provider.starts_with("providers.") => {
            format!("{provider}.headers.{}", header.replace('_', "-"))
        }
        Some(_) | None => name,
    }
}

fn read_secret(path: &Path) -> Result<SecretString, String> {
    let file = std::fs::File::open(path).map_err(|error| format!("cannot be read: {error}"))?;
    let mut text = String::new();
    file.take(SECRET_FILE_LIMIT + 1)
        .read_to_string(&mut text)
        .map_err(|error| format!("cannot be read: {error}"))?;
    let secret = text.trim_end_matches(['\r', '\n']);
    if text.len() as u64 > SECRET_FILE_LIMIT {
        Err(format!("is longer than {SECRET_FILE_LIMIT} bytes: it is not a secret"))
    } else if secret.is_empty() {
        Err("is empty".to_owned())
    } else {
        Ok(SecretString::from(secret))
    }
}
