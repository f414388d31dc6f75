//! Where everything of one cluster is, and how it is reached.

use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use sqlx::postgres::PgConnectOptions;

/// The cluster's superuser and the database in it.
pub(super) const NAME: &str = "llm_council";
/// A Unix socket's path holds at most 107 bytes; this is what Postgres appends to the directory.
const SOCKET_FILE: &str = "/.s.PGSQL.5432";
const SOCKET_PATH_BYTES: usize = 107;

/// Where everything of one cluster is.
#[derive(Debug, Clone)]
pub(super) struct Paths {
    pub(super) data_dir: PathBuf,
    pub(super) root: PathBuf,
    pub(super) cluster: PathBuf,
    pub(super) socket_dir: PathBuf,
    pub(super) log: PathBuf,
}

impl Paths {
    pub(super) fn of(data_dir: &Path) -> Self {
        let root = data_dir.join("postgres");
        let inside = root.join("run");
        // Postgres reads a list here, so only plain characters go into it unquoted.
        let plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
        let fits = inside.as_os_str().len() + SOCKET_FILE.len() <= SOCKET_PATH_BYTES;
        let socket_dir = if fits && inside.to_str().is_some_and(|path| path.chars().all(plain)) {
            inside
        } else {
            // The same name at every start, so that what a killed server left is found again.
            let hash = Sha256::digest(root.as_os_str().as_encoded_bytes());
            PathBuf::from("/tmp").join(format!("llm-council-{}", hex::encode(&hash[..8])))
        };
        Self {
            data_dir: data_dir.to_owned(),
            cluster: root.join("cluster"),
            log: data_dir.join("postgres.log"),
            root,
            socket_dir,
        }
    }

    pub(super) fn connect_options(&self) -> PgConnectOptions {
        PgConnectOptions::new_without_pgpass()
            .host("localhost")
            .port(5432)
            .socket(&self.socket_dir)
            .username(NAME)
            .database(NAME)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_too_long_or_too_odd_for_a_socket_gets_one_in_the_temporary_directory() {
        let short = Paths::of(Path::new("/srv/data"));
        assert_eq!(short.socket_dir, Path::new("/srv/data/postgres/run"));
        for odd in [format!("/srv/{}", "x".repeat(100)), "/srv/a,b".to_owned(), "/srv/a b".to_owned()] {
            let paths = Paths::of(Path::new(&odd));
            assert!(paths.socket_dir.starts_with("/tmp"), "{odd}");
            assert!(paths.socket_dir.as_os_str().len() + SOCKET_FILE.len() <= SOCKET_PATH_BYTES);
            assert_eq!(paths.socket_dir, Paths::of(Path::new(&odd)).socket_dir);
        }
    }
}
