//! The layers above the built-in defaults: each a source for the `config` crate, which lays them
//! over each other. What comes out is one flat map from dotted key to the value that counts; a
//! value's origin is who set it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::Read as _;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use config::{FileFormat, Format as _, Map, Source, Value, ValueKind};
use secrecy::{ExposeSecret as _, SecretString};

use super::error::ConfigError;
use super::keys::{self, ENV_PREFIX, KEYS};
use super::kind::Kind;
use super::misnamed::misnamed;
use crate::llm::{Variable, kinds};

/// A file that holds a secret is short; a longer one is some other file.
const SECRET_FILE_LIMIT: u64 = 65_536;

/// What the command line says; wins over every other layer.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    /// `server.bind`
    pub bind: Option<IpAddr>,
    /// `server.port`
    pub port: Option<u16>,
    /// `data_dir`
    pub data_dir: Option<PathBuf>,
    /// `database.url`
    pub database_url: Option<SecretString>,
}

/// One layer: what a file, the environment or the flags set, by dotted key.
#[derive(Clone, Default)]
pub(super) struct Layer(pub(super) Map<String, Value>);

impl fmt::Debug for Layer {
    /// Shows the keys alone: a value may be a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl Source for Layer {
    fn clone_into_box(&self) -> Box<dyn Source + Send + Sync> {
        Box::new(self.clone())
    }

    fn collect(&self) -> Result<Map<String, Value>, config::ConfigError> {
        Ok(self.0.clone())
    }
}

/// The layers, the lowest first, and the problems found while they were read.
#[derive(Default)]
pub(super) struct Layers {
    layers: Vec<Layer>,
    /// Sections that are there with nothing in them: a provider may need no more than its name.
    pub(super) empty: BTreeSet<String>,
    errors: Vec<ConfigError>,
}

impl Layers {
    /// Lays them over each other: what counts, by key, and what is wrong.
    pub(super) fn merge(mut self) -> (BTreeMap<String, Value>, Vec<ConfigError>) {
        let sources = std::mem::take(&mut self.layers);
        let builder = sources.into_iter().fold(
            config::Config::builder(),
            config::ConfigBuilder::<config::builder::DefaultState>::add_source,
        );
        let mut merged = BTreeMap::new();
        match builder.build().and_then(|all| all.collect()) {
            Ok(all) => all.into_iter().for_each(|(name, value)| flatten(name, value, &mut merged)),
            // Our sources cannot fail; a later version of the crate may think otherwise.
            Err(_) => self.error("configuration", "", "the layers cannot be merged".to_owned()),
        }
        (merged, self.errors)
    }

    /// Notes a problem with a file, not with one of its keys.
    pub(super) fn refuse_file(&mut self, path: &str, message: String) {
        self.error(path, path, message);
    }

    /// Lays the text of a configuration file on top.
    pub(super) fn add_toml(&mut self, path: &str, text: &str) {
        self.layers.push(Layer::default());
        match parse_toml(path, text) {
            Ok(entries) => {
                for (key, value) in entries {
                    self.set(key, value.kind, path);
                }
            }
            Err(why) => self.error(path, path, why),
        }
    }

    /// Lays the environment on top: the usual names first, so that our own win. An empty
    /// variable counts as not set: compose files write them.
    pub(super) fn add_env(&mut self, env: &BTreeMap<String, String>) {
        self.layers.push(Layer::default());
        let usual = KEYS.iter().filter_map(|key| Some((key.usual_env?, key.name.as_ref())));
        for (variable, name) in usual {
            self.add_variable(env, variable, name);
        }
        let of_provider = |it: Variable| (it.name, format!("providers.{}.{}", it.provider, it.key));
        for (variable, name) in kinds::KINDS.iter().flat_map(|kind| kind.variables).copied().map(of_provider)
        {
            self.add_variable(env, variable, &name);
        }
        for (beside, (variable, name)) in kinds::variables_beside().map(|it| (it, of_provider(it))) {
            if self.names_provider(beside.provider, env) {
                self.add_variable(env, variable, &name);
            }
        }

        let mut seen: BTreeMap<String, &str> = BTreeMap::new();
        for (variable, text) in env.iter().filter(|(_, text)| !text.is_empty()) {
            if let Some((key, message)) = misnamed(variable, text) {
                self.error(&key, variable, message);
            }
            let Some(rest) = variable.strip_prefix(ENV_PREFIX) else { continue };
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
                self.set(target, text.as_str(), variable);
            }
        }
    }

    /// Sets a key by the usual variable for it, or by the file that it names.
    fn add_variable(&mut self, env: &BTreeMap<String, String>, variable: &str, name: &str) {
        // Of several variables for one key the first counts.
        if self.layers.last().is_some_and(|layer| layer.0.contains_key(name)) {
            return;
        }
        let secret = keys::find(name).is_some_and(|key| key.kind == Kind::Secret);
        let file = format!("{variable}_FILE");
        let text = env.get(variable).filter(|text| !text.is_empty());
        let path = env.get(&file).filter(|path| secret && !path.is_empty());
        match (text, path) {
            (Some(_), Some(_)) => self.twice(name, variable, &file),
            (Some(text), None) => self.set(name.to_owned(), text.as_str(), variable),
            (None, Some(path)) => self.add_secret_file(name, &file, path),
            (None, None) => {}
        }
    }

    /// Whether a key of this provider is set by what is laid already, or by a variable of our own.
    fn names_provider(&self, provider: &str, env: &BTreeMap<String, String>) -> bool {
        let section = format!("providers.{provider}.");
        let laid = self.layers.iter().flat_map(|layer| layer.0.keys()).any(|key| key.starts_with(&section));
        let is_own = |(variable, text): (&String, &String)| {
            let name = variable.strip_prefix(ENV_PREFIX).map(dotted);
            !text.is_empty() && name.is_some_and(|name| name.starts_with(&section))
        };
        let is_empty = self.empty.contains(&format!("providers.{provider}"));
        laid || is_empty || env.iter().any(is_own)
    }

    /// Lays the flags of the command line on top.
    pub(super) fn add_flags(&mut self, flags: &Overrides) {
        self.layers.push(Layer::default());
        let text = |value: &dyn ToString| value.to_string();
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

    /// Sets a key in the uppermost layer, if there is such a key.
    fn set(&mut self, key: String, value: impl Into<ValueKind>, source: &str) {
        let value = Value::new(Some(&source.to_owned()), value);
        // The crate would read anything but a plain name as an expression.
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        if keys::find(&key).is_some() && key.chars().all(is_plain) {
            if let Some(layer) = self.layers.last_mut() {
                layer.0.insert(key, value);
            }
        } else if keys::is_section(&key) && matches!(value.kind, ValueKind::Table(_)) {
            self.empty.insert(key);
        } else {
            self.error(&key, source, unknown(&key));
        }
    }

    fn add_secret_file(&mut self, key: &str, variable: &str, path: &str) {
        match read_secret(Path::new(path)) {
            Ok(secret) => {
                self.set(key.to_owned(), secret.expose_secret(), variable);
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

/// The values of a TOML text by their dotted keys, or why it is not valid TOML.
pub(super) fn parse_toml(path: &str, text: &str) -> Result<BTreeMap<String, Value>, String> {
    let table = FileFormat::Toml.parse(Some(&path.to_owned()), text).map_err(|error| {
        // The error's own Display quotes the line, which may hold a secret.
        let error = error.downcast_ref::<toml::de::Error>();
        let before = error.and_then(toml::de::Error::span).and_then(|span| text.get(..span.start));
        let line = before.map_or(1, |before| before.matches('\n').count() + 1);
        let why = error.map_or("a value is out of range", toml::de::Error::message);
        format!("line {line} is not TOML: {why}")
    })?;
    let mut entries = BTreeMap::new();
    table.into_iter().for_each(|(name, value)| flatten(name, value, &mut entries));
    Ok(entries)
}

/// The leaves of a tree by their dotted keys; an empty table is a leaf.
fn flatten(name: String, value: Value, into: &mut BTreeMap<String, Value>) {
    if let ValueKind::Table(table) = &value.kind
        && !table.is_empty()
    {
        for (child, value) in table {
            flatten(format!("{name}.{child}"), value.clone(), into);
        }
    } else {
        into.insert(name, value);
    }
}

fn unknown(key: &str) -> String {
    if keys::is_section(key) {
        return "is a section, not a key; set one of the keys in it".to_owned();
    }
    match keys::nearest(key) {
        Some(near) => format!("there is no such key; did you mean {near}?"),
        None => "there is no such key (docs/configuration.md lists them all)".to_owned(),
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
