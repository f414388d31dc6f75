//! Imports between rooms run one way. One crate means that the compiler does not keep this.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Each room, and whom it may import.
const MAY_IMPORT: &[(&str, &[&str])] = &[
    (
        "cli",
        &["server", "runs", "council", "llm", "store", "identity", "telemetry", "shutdown", "config", "id"],
    ),
    ("server", &["runs", "council", "llm", "store", "identity", "telemetry", "shutdown", "config", "id"]),
    ("runs", &["council", "llm", "store", "shutdown", "id"]),
    ("council", &["llm", "id"]),
    ("llm", &["id"]),
    ("store", &["id"]),
    ("identity", &["id"]),
    ("telemetry", &["config", "id"]),
    ("shutdown", &[]),
    ("config", &[]),
    ("id", &[]),
];

fn rust_files(path: &Path, found: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            rust_files(&entry.unwrap().path(), found);
        }
    } else if path.extension().is_some_and(|ending| ending == "rs") {
        found.push(path.to_owned());
    }
}

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
        let mut files = Vec::new();
        for place in [src.join(room), src.join(format!("{room}.rs"))] {
            if place.exists() {
                rust_files(&place, &mut files);
            }
        }
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
