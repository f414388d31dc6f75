//! Imports between rooms, and between the files of a room, run one way. One crate means that the compiler does
//! not keep this.

mod circles;
mod conventions;
mod features;
mod source;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use llm_council::council::setting::{Kind, Setting};
use llm_council::council::settings::Settings;

use source::rust_files;

/// Each room, and whom it may import.
const MAY_IMPORT: &[(&str, &[&str])] = &[
    (
        "cli",
        &[
            "terminal",
            "server",
            "attachments",
            "doctor",
            "bench",
            "runs",
            "council",
            "search",
            "llm",
            "store",
            "objects",
            "outbox",
            "identity",
            "telemetry",
            "shutdown",
            "config",
            "version",
            "id",
        ],
    ),
    ("doctor", &["config", "council", "search", "llm", "objects", "store", "identity"]),
    ("bench", &["runs", "council", "llm", "store", "id"]),
    (
        "server",
        &[
            "doctor",
            "bench",
            "runs",
            "council",
            "attachments",
            "cache",
            "search",
            "llm",
            "store",
            "objects",
            "outbox",
            "identity",
            "telemetry",
            "trace",
            "shutdown",
            "config",
            "version",
            "id",
        ],
    ),
    ("runs", &["council", "cache", "llm", "objects", "store", "shutdown", "trace", "id"]),
    ("council", &["cache", "search", "llm", "invisible", "trace", "id"]),
    ("attachments", &["invisible"]),
    ("cache", &["invisible"]),
    ("search", &["llm", "invisible", "id"]),
    ("llm", &["invisible", "sigv4", "sse", "trace", "id"]),
    ("store", &["invisible", "id"]),
    ("outbox", &["store", "id"]),
    ("objects", &["store", "sigv4", "id"]),
    ("identity", &["invisible", "id"]),
    ("telemetry", &["config", "trace", "id"]),
    ("shutdown", &[]),
    ("sigv4", &[]),
    ("sse", &[]),
    ("trace", &[]),
    ("terminal", &["invisible", "sse"]),
    ("config", &["identity", "council", "search", "llm"]),
    ("id", &[]),
    ("invisible", &[]),
    ("version", &[]),
];

/// The rooms that a text names after `crate::`, also in `use crate::{a, b::c}`.
fn imports(text: &str) -> BTreeSet<String> {
    let mut rooms = BTreeSet::new();
    let code: String =
        text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    for after in code.split("crate::").skip(1) {
        let names = after.strip_prefix('{').map_or(after, |group| group.split('}').next().unwrap());
        let many = after.starts_with('{');
        for name in names.split(',') {
            let word: String = name.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            rooms.insert(word);
            if !many {
                break;
            }
        }
    }
    rooms
}

#[test]
fn rooms_import_one_way_only() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let known: BTreeSet<&str> = MAY_IMPORT.iter().map(|(room, _)| *room).collect();
    let mut wrong = Vec::new();
    let mut read = 0;
    for (room, allowed) in MAY_IMPORT {
        let files: Vec<_> = [src.join(room), src.join(format!("{room}.rs"))]
            .iter()
            .flat_map(|place| rust_files(place))
            .collect();
        assert!(!files.is_empty(), "the room {room} is gone: mend this test's table");
        for file in files {
            read += 1;
            for import in imports(&fs::read_to_string(&file).unwrap()) {
                if known.contains(import.as_str()) && import != *room && !allowed.contains(&import.as_str()) {
                    wrong.push(format!("{} imports {import}", file.strip_prefix(&src).unwrap().display()));
                }
            }
        }
    }
    assert!(read > 30, "only {read} files were read");
    assert!(wrong.is_empty(), "these imports go the wrong way:\n{}", wrong.join("\n"));
}

/// Settings whose name is a word that other keys have as well: an object store is in a region, too. The whole key is still theirs.
const ANYBODYS: [&str; 1] = ["region"];

/// Whether a text holds this name, dotted or by itself, and not as a part of a longer one.
fn names(text: &str, name: &str) -> bool {
    let mut dotted = text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.')));
    dotted.any(|word| word == name || word.split('.').any(|part| part == name))
}

#[test]
fn a_setting_of_the_council_is_named_where_it_is_defined() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files: Vec<_> = ["config", "cli"].iter().flat_map(|room| rust_files(&src.join(room))).collect();
    files.retain(|file| !file.ends_with("tests.rs"));
    // What each kind of call is set to has keys of its own in the configuration.
    let all = Settings::all().into_iter().filter(|setting| setting.kind != Kind::PerCall);
    let name = |setting: &Setting| (!ANYBODYS.contains(&setting.name)).then(|| setting.name.to_owned());
    let known: Vec<String> = all.flat_map(|setting| [name(setting), setting.key()]).flatten().collect();
    assert!(known.len() > 30 && files.len() > 10, "{known:?} in {files:?}");
    assert!(names("(settings.options, 1)", "options") && !names("no_options", "options"));
    let mut wrong = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let named = known.iter().filter(|name| names(&text, name));
        wrong
            .extend(named.map(|name| format!("{} names {name}", file.strip_prefix(&src).unwrap().display())));
    }
    assert!(wrong.is_empty(), "these settings are defined twice:\n{}", wrong.join("\n"));
}

#[test]
fn every_room_is_in_the_table() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let known: BTreeSet<&str> = MAY_IMPORT.iter().map(|(room, _)| *room).collect();
    for entry in fs::read_dir(src).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let room = name.trim_end_matches(".rs");
        assert!(
            known.contains(room) || ["lib", "main"].contains(&room),
            "{name} is a room that the table does not know"
        );
    }
}
