//! Finding the machine's `initdb` and `postgres`.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use super::error::LocalError;

const OLDEST: u32 = 15;

/// A directory that holds `initdb` and `postgres`.
#[derive(Debug, Clone)]
pub(super) struct Binaries {
    dir: PathBuf,
}

impl Binaries {
    /// The binaries for this cluster: of its own version when it exists (Postgres reads no other),
    /// else the newest.
    pub(super) fn find(cluster: &Path) -> Result<Self, LocalError> {
        let wanted: Option<u32> =
            fs::read_to_string(cluster.join("PG_VERSION")).ok().and_then(|text| text.trim().parse().ok());
        let candidates = candidates();
        let found = candidates
            .iter()
            .filter(|candidate| candidate.dir.join("initdb").is_file())
            .filter_map(|candidate| Some((version(&candidate.dir)?, candidate)))
            .filter(|(version, _)| match wanted {
                Some(wanted) => *version == wanted,
                None => *version >= OLDEST,
            });
        // Not max_by_key, which prefers the last of equals: the order of the list is the order of choice.
        let best = found.fold(None, |best: Option<(u32, &Self)>, next| match best {
            Some(best) if best.0 >= next.0 => Some(best),
            Some(_) | None => Some(next),
        });
        match best {
            Some((_, binaries)) => Ok(binaries.clone()),
            None => Err(LocalError::NoBinaries {
                needed: wanted.map_or(format!("{OLDEST} or newer"), |version| {
                    format!("{version} (the version of the data in {})", cluster.display())
                }),
                looked_in: candidates
                    .iter()
                    .map(|c| c.dir.display().to_string())
                    .collect::<Vec<_>>()
                    .join(", "),
            }),
        }
    }

    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }
}

fn candidates() -> Vec<Binaries> {
    if let Some(dir) = env::var_os("LLM_COUNCIL_PG_BIN").filter(|dir| !dir.is_empty()) {
        // Named on purpose: nothing else will do.
        return vec![Binaries { dir: dir.into() }];
    }
    let mut all = debian();
    for dir in env::split_paths(&env::var_os("PATH").unwrap_or_default()) {
        // PATH may hold a link to one of the two only; the real directory has both.
        let real = dir.join("initdb").canonicalize().ok().and_then(|file| file.parent().map(Path::to_owned));
        all.extend(real);
    }
    // Where `make run` puts them on a machine on which it may not install packages.
    all.extend(Path::new(".tools/postgres").canonicalize());
    all.into_iter().map(|dir| Binaries { dir }).collect()
}

/// Where Debian's packages put them, one directory for each version.
fn debian() -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir("/usr/lib/postgresql") else { return Vec::new() };
    entries.filter_map(Result::ok).map(|entry| entry.path().join("bin")).collect()
}

/// The major version, by the directory's name as Debian has it, or else by asking the program.
fn version(dir: &Path) -> Option<u32> {
    if !dir.join("postgres").is_file() {
        return None;
    }
    let named = dir.parent().and_then(Path::file_name).and_then(|name| name.to_str()?.parse().ok());
    named.or_else(|| {
        let output = std::process::Command::new(dir.join("postgres")).arg("--version").output().ok()?;
        read_version(&String::from_utf8_lossy(&output.stdout))
    })
}

/// The major version in "postgres (PostgreSQL) 15.18 (Debian …)".
fn read_version(text: &str) -> Option<u32> {
    let number = text.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit()))?;
    number.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_read_from_releases_and_from_betas() {
        assert_eq!(read_version("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n"), Some(15));
        assert_eq!(read_version("postgres (PostgreSQL) 18beta2\n"), Some(18));
        assert_eq!(read_version("postgres: not found"), None);
    }

    #[test]
    fn a_cluster_of_a_version_that_is_not_installed_says_which_one_it_needs() {
        let dir = tempfile::tempdir().expect("a directory");
        fs::write(dir.path().join("PG_VERSION"), "7\n").expect("written");
        let error = Binaries::find(dir.path()).expect_err("there is no version 7");
        assert!(error.to_string().contains("no PostgreSQL 7"), "{error}");
    }
}
