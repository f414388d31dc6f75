//! Where things stand: see CONTRIBUTING.md.

use std::fs;
use std::path::Path;

use super::source::rust_files;

/// About a hundred.
const MAX_INLINE_TEST_LINES: usize = 120;

#[test]
fn long_unit_tests_stand_beside_their_file() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let long: Vec<String> = rust_files(&src)
        .into_iter()
        .filter_map(|file| {
            let text = fs::read_to_string(&file).unwrap();
            let lines = text.lines().skip_while(|line| *line != "mod tests {").count();
            let file = file.strip_prefix(&src).unwrap().display().to_string();
            (lines > MAX_INLINE_TEST_LINES).then(|| format!("{file}: {lines} lines"))
        })
        .collect();
    assert!(long.is_empty(), "move these tests to x_tests.rs: {long:#?}");
}

#[test]
fn what_is_for_admins_stands_in_its_folder() {
    let server = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/server");
    for file in rust_files(&server) {
        let is_admins = fs::read_to_string(&file).unwrap().contains("(\"/admin/");
        let is_in_folder = file.parent().unwrap().ends_with("admin");
        let may_have_none = file.ends_with("mod.rs");
        assert!(is_admins == is_in_folder || (is_in_folder && may_have_none), "{}", file.display());
    }
}

#[test]
fn what_has_a_helper_is_not_written_anew() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for (written, helper) in [("02x}", "hex::encode"), (r"'\u{202a}'..=", "src/invisible.rs")] {
        let files = rust_files(&src).into_iter().filter(|file| !file.ends_with("invisible.rs"));
        for file in files {
            let text = fs::read_to_string(&file).unwrap();
            assert!(!text.contains(written), "{}: use {helper}", file.display());
        }
    }
}

/// The log and the error reports know people by a hash (`Telemetry::user_hash`); a run's id leads to its owner.
#[test]
fn no_log_line_names_a_user() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for file in rust_files(&src) {
        let text = fs::read_to_string(&file).unwrap();
        for shown in text.split("= %").chain(text.split("= ?")) {
            let field: String =
                shown.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '.')).collect();
            assert!(field != "user" && !field.ends_with(".user"), "{}: {field}", file.display());
        }
    }
}
