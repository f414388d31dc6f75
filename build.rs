//! The migrations and the web app are built into the binary, and which sources it is built from.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=migrations");
    for given in ["GIT_COMMIT", "SOURCE_DATE_EPOCH"] {
        println!("cargo:rerun-if-env-changed={given}");
    }
    let commit = given("GIT_COMMIT").or_else(|| git(&["rev-parse", "HEAD"]));
    // Seconds since 1970. Never the clock: the same sources make the same binary.
    let time = given("SOURCE_DATE_EPOCH").or_else(|| git(&["log", "-1", "--format=%ct"]));
    println!("cargo:rustc-env=LLM_COUNCIL_COMMIT={}", commit.unwrap_or_default());
    println!("cargo:rustc-env=LLM_COUNCIL_BUILD_EPOCH={}", time.unwrap_or_default());
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
