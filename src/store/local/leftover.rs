//! What a killed server left behind: a Postgres that still runs, or a stale pid file.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, lchown};
use std::path::Path;
use std::time::Instant;

use super::error::{LocalError, about};
use super::launch::{self, POLL, STOP_TIMEOUT};
use super::paths::Paths;

/// Stops a Postgres that a killed server left running on the cluster, and clears a pid file that
/// names a process of another kind.
///
/// The pid alone proves nothing: after a crash or in a new container it belongs to anyone.
pub(super) fn stop_leftover(paths: &Paths) -> Result<(), LocalError> {
    let path = paths.cluster.join("postmaster.pid");
    let deadline = Instant::now() + STOP_TIMEOUT;
    let mut asked = false;
    loop {
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(source) => {
                return Err(LocalError::Io { what: format!("cannot read {}", path.display()), source });
            }
        };
        let (pid, rest) = text.split_once('\n').unwrap_or((&text, ""));
        let Ok(pid) = pid.trim().parse::<u32>() else {
            // The file was cut off while it was written: Postgres itself refuses to start over such a file.
            return about(fs::remove_file(&path), || format!("cannot remove {}", path.display()));
        };
        if !is_postgres_on(pid, &paths.cluster) {
            if process_exists(pid) {
                // Postgres would take that process for its predecessor. The rest of the file stays:
                // by it Postgres finds backends that have outlived their postmaster.
                tracing::warn!(
                    pid,
                    "clearing a stale postmaster.pid, its number now belongs to another process"
                );
                let no_such_pid = i32::MAX;
                about(replace(&path, &format!("{no_such_pid}\n{rest}")), || {
                    format!("cannot write {}", path.display())
                })?;
            }
            return Ok(());
        }
        if !asked {
            tracing::warn!(pid, "stopping the local database that a killed server left running");
            launch::signal(pid, "INT")?;
            asked = true;
        }
        if Instant::now() > deadline {
            return Err(LocalError::StillRunning { pid, path: paths.cluster.clone() });
        }
        std::thread::sleep(POLL);
    }
}

fn process_exists(pid: u32) -> bool {
    Path::new("/proc").join(pid.to_string()).exists()
}

/// Whether that process is a postmaster on this very cluster (the kernel says so, not the pid file).
fn is_postgres_on(pid: u32, cluster: &Path) -> bool {
    let Ok(line) = fs::read(format!("/proc/{pid}/cmdline")) else { return false };
    let mut words = line.split(|byte| *byte == 0);
    let program = words.next().unwrap_or_default();
    program.ends_with(b"postgres") && words.any(|word| word == cluster.as_os_str().as_encoded_bytes())
}

/// Puts a new file in the place of an old one, for the same owner. We may be root in a directory of
/// another user's, so nothing here follows a symbolic link.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let old = fs::symlink_metadata(path)?;
    let new = path.with_extension("pid.new");
    match fs::remove_file(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let mut file = File::options().write(true).create_new(true).mode(0o600).open(&new)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    lchown(&new, Some(old.uid()), Some(old.gid()))?;
    fs::rename(&new, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_living_process_that_is_not_postgres_is_not_taken_for_it() {
        assert!(process_exists(std::process::id()));
        assert!(!is_postgres_on(std::process::id(), Path::new("/srv/data/postgres/cluster")));
    }
}
