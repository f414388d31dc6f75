//! Starting a program as an unprivileged user, and a Postgres that ends with us.

use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io;
use std::os::unix::fs::{MetadataExt as _, lchown};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::binaries::Binaries;
use super::error::{LocalError, about};

/// How long Postgres may take to stop, and how often that is checked.
pub(super) const STOP_TIMEOUT: Duration = Duration::from_secs(60);
pub(super) const POLL: Duration = Duration::from_millis(20);

/// Holds Postgres for us. Its standard input is a pipe from the server: when that closes, because
/// the server stopped or was killed, Postgres is asked for a fast shutdown. The shell waits, so
/// waiting for the shell is waiting for Postgres.
const SUPERVISOR: &str = r#"
exec 3<&0
"$@" </dev/null 3<&- &
postgres=$!
( cat <&3 >/dev/null; kill -INT "$postgres" ) 2>/dev/null &
watcher=$!
exec 3<&-
wait "$postgres"
status=$?
kill "$watcher" 2>/dev/null
exit "$status"
"#;

/// Removes a throwaway cluster when its Postgres has ended, which a missing pid file shows (it waits a minute at most).
const REMOVER: &str = r#"
cat >/dev/null
tries=0
while [ -e "$1" ] && [ "$tries" -lt 600 ]; do sleep 0.1; tries=$((tries + 1)); done
rm -rf "$2" "$3"
"#;

/// How to run a program so that it is not root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Launcher {
    /// We are an ordinary user already.
    AsWeAre { uid: u32 },
    /// We are root and become this user.
    AsUser { name: &'static str, uid: u32, gid: u32 },
    /// We are root, and the other users cannot reach the directory: a user namespace in which we
    /// have an ordinary user's id. Files belong to root outside.
    Namespace { uid: u32, gid: u32 },
}

impl fmt::Display for Launcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AsWeAre { uid } => write!(f, "user id {uid}"),
            Self::AsUser { name, .. } => write!(f, "{name}"),
            Self::Namespace { uid, .. } => write!(f, "user id {uid} in a user namespace"),
        }
    }
}

impl Launcher {
    /// The first way that works with `root`, the directory the cluster is to live in.
    pub(super) fn choose(root: &Path, binaries: &Binaries) -> Result<Self, LocalError> {
        let uid = id(&["-u"])?.unwrap_or(u32::MAX);
        if uid != 0 {
            let owner = about(std::fs::metadata(root), || format!("cannot read {}", root.display()))?.uid();
            if owner != uid {
                return Err(LocalError::NotOurs { path: root.to_owned(), owner });
            }
            return Ok(Self::AsWeAre { uid });
        }
        let mut tried = Vec::new();
        let mut candidates = Vec::new();
        for name in ["postgres", "nobody"] {
            match (id(&["-u", name])?, id(&["-g", name])?) {
                (Some(uid), Some(gid)) if uid != 0 => candidates.push(Self::AsUser { name, uid, gid }),
                _ => tried.push(format!("there is no user {name}")),
            }
        }
        // Any id but 0 will do in a namespace of our own.
        candidates.push(Self::Namespace { uid: 1000, gid: 1000 });
        for candidate in candidates {
            match candidate.works(root, binaries) {
                Ok(()) => return Ok(candidate),
                Err(reason) => tried.push(format!("as {candidate}: {reason}")),
            }
        }
        Err(LocalError::NoUser { tried: tried.join("; ") })
    }

    /// Tries it: enter the directory, write there, run `postgres`.
    fn works(&self, root: &Path, binaries: &Binaries) -> Result<(), String> {
        about(lchown(root, Some(self.file_owner()), None), || {
            format!("cannot change the owner of {}", root.display())
        })
        .map_err(|error| error.to_string())?;
        let output = self
            .command(Path::new("/bin/sh"))
            .args(["-c", r#"cd "$1" && test -w . && exec "$2" --version"#, "sh"])
            .arg(root)
            .arg(binaries.dir().join("postgres"))
            .current_dir("/")
            .stdin(Stdio::null())
            .output()
            .map_err(|error| error.to_string())?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        Err(if said.is_empty() { format!("it cannot write to {}", root.display()) } else { said })
    }

    /// A command that runs `program` that way.
    pub(super) fn command(&self, program: &Path) -> Command {
        let mut command = match self {
            Self::AsWeAre { .. } => Command::new(program),
            Self::AsUser { uid, gid, .. } => {
                let mut command = Command::new(program);
                command.uid(*uid).gid(*gid);
                command
            }
            Self::Namespace { uid, gid } => {
                let mut command = Command::new("unshare");
                command
                    .arg("--user")
                    .arg(format!("--map-user={uid}"))
                    .arg(format!("--map-group={gid}"))
                    .arg("--")
                    .arg(program);
                command
            }
        };
        // The server's own environment may hold settings meant for clients (PGHOST, PGDATA …) and
        // secrets that Postgres has no use for.
        for (name, _) in std::env::vars_os() {
            let keep = ["PATH", "LANG", "TZ", "LD_LIBRARY_PATH"];
            if !keep.iter().any(|kept| name == *kept) {
                command.env_remove(name);
            }
        }
        command
    }

    /// Starts Postgres under its supervisor, in a process group of its own: Ctrl-C at the terminal
    /// is for the server, which drains its runs before it lets the database go.
    pub(super) fn supervise(
        &self,
        binaries: &Binaries,
        arguments: &[OsString],
        root: &Path,
        log: File,
    ) -> Result<Child, LocalError> {
        let copy = about(log.try_clone(), || "cannot share the log of PostgreSQL".to_owned())?;
        let mut command = self.command(Path::new("/bin/sh"));
        command
            .args(["-c", SUPERVISOR, "sh"])
            .arg(binaries.dir().join("postgres"))
            .args(arguments)
            .current_dir(root)
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(log)
            .stderr(copy);
        about(command.spawn(), || "cannot start PostgreSQL".to_owned())
    }

    /// Who owns the files, seen from outside.
    pub(super) fn file_owner(&self) -> u32 {
        match self {
            Self::AsWeAre { uid } | Self::AsUser { uid, .. } => *uid,
            Self::Namespace { .. } => 0,
        }
    }

    /// Who we are.
    pub(super) fn own_uid(&self) -> u32 {
        match self {
            Self::AsWeAre { uid } => *uid,
            Self::AsUser { .. } | Self::Namespace { .. } => 0,
        }
    }

    /// Gives a directory and everything in it to the user Postgres will run as: an earlier start
    /// may have been another user's.
    pub(super) fn give_to_user(&self, path: &Path) -> Result<(), LocalError> {
        let (uid, gid) = match self {
            Self::AsWeAre { .. } => return Ok(()),
            Self::AsUser { uid, gid, .. } => (*uid, *gid),
            Self::Namespace { .. } => (0, 0),
        };
        about(chown_tree(path, uid, gid), || {
            format!("cannot change the owner of {} to {self}", path.display())
        })
    }
}

/// Never follows a symbolic link; skips what is right already, so that a large cluster costs nothing.
fn chown_tree(path: &Path, uid: u32, gid: u32) -> io::Result<()> {
    let metadata = match std::fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        // A Postgres that is just stopping removes its own files.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    if metadata.uid() != uid || metadata.gid() != gid {
        lchown(path, Some(uid), Some(gid))?;
    }
    if metadata.is_dir() {
        for entry in std::fs::read_dir(path)? {
            chown_tree(&entry?.path(), uid, gid)?;
        }
    }
    Ok(())
}

/// Asks `id` (there is no way to ask the system without unsafe code); `None` for an unknown user.
fn id(arguments: &[&str]) -> Result<Option<u32>, LocalError> {
    let output = about(Command::new("id").args(arguments).stdin(Stdio::null()).output(), || {
        "cannot run id".to_owned()
    })?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().parse().ok().filter(|_| output.status.success()))
}

/// Sends a signal by name.
pub(super) fn signal(pid: u32, name: &str) -> Result<(), LocalError> {
    let status = Command::new("/bin/sh")
        .args(["-c", r#"kill -s "$1" "$2""#, "sh", name])
        .arg(pid.to_string())
        .status();
    about(status, || format!("cannot signal process {pid}"))?;
    // That it is gone already is as good; the caller looks again.
    Ok(())
}

/// A process that removes these directories when its standard input has closed and Postgres has ended.
pub(super) fn remover(pid_file: &Path, data_dir: &Path, socket_dir: &Path) -> Result<Child, LocalError> {
    let mut command = Command::new("/bin/sh");
    command
        .args(["-c", REMOVER, "sh"])
        .args([pid_file, data_dir, socket_dir])
        .current_dir("/")
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    about(command.spawn(), || "cannot start the remover".to_owned())
}
