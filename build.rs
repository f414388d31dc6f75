//! The migrations and the web app are built into the binary, and which sources it is built from.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    list_migrations()?;
    for given in ["GIT_COMMIT", "SOURCE_DATE_EPOCH"] {
        println!("cargo:rerun-if-env-changed={given}");
    }
    let commit = given("GIT_COMMIT").or_else(|| git(&["rev-parse", "HEAD"]));
    // Seconds since 1970. Never the clock: the same sources make the same binary.
    let time = given("SOURCE_DATE_EPOCH").or_else(|| git(&["log", "-1", "--format=%ct"]));
    println!("cargo:rustc-env=LLM_COUNCIL_COMMIT={}", commit.unwrap_or_default());
    println!("cargo:rustc-env=LLM_COUNCIL_BUILD_EPOCH={}", time.unwrap_or_default());
    Ok(())
}

/// Writes a list of the files under `migrations/`, as `src/store/migrate.rs` includes it: the version, the name, the text.
fn list_migrations() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=migrations");
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("migrations");
    let mut paths: Vec<_> =
        fs::read_dir(&folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_, Box<dyn Error>>>()?;
    paths.sort();
    let mut list = String::from("&[\n");
    for path in paths {
        let file = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let parts = file.strip_suffix(".sql").and_then(|stem| stem.split_once('_'));
        let parts = parts.and_then(|(version, name)| Some((version.parse::<i64>().ok()?, name)));
        let (version, name) =
            parts.ok_or_else(|| format!("migrations/{file} is not called <number>_<name>.sql"))?;
        writeln!(list, "    ({version}, {name:?}, include_str!({path:?})),")?;
    }
    list.push(']');
    Ok(fs::write(Path::new(&env::var("OUT_DIR")?).join("migrations.rs"), list)?)
}

fn given(name: &str) -> Option<String> {
    env::var(name).ok().map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
}

/// What git says of the sources that a release is built from; nothing without git. A debug build does not ask: it would
/// have to be compiled anew after every commit.
fn git(arguments: &[&str]) -> Option<String> {
    if env::var("PROFILE").ok()? != "release" {
        return None;
    }
    let log = said(&["rev-parse", "--git-path", "logs/HEAD"])?;
    println!("cargo:rerun-if-changed={log}");
    said(arguments)
}

fn said(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}
