//! Where the answer is written: the standard output, or a file that is either complete or absent. A device or a pipe is
//! written to like the standard output.

use std::fmt::Display;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::terminal::exit;
use crate::terminal::session::Trouble;

/// The output for the answer.
pub struct Out {
    writer: Box<dyn Write + Send>,
    /// The temporary file, and the path that it gets at the end.
    file: Option<(PathBuf, PathBuf)>,
}

impl Out {
    /// Opens this path, or the standard output.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn open(path: Option<&Path>) -> Result<Self, Trouble> {
        let Some(path) = path.filter(|path| *path != Path::new("-")) else {
            return Ok(Self::directly(io::stdout()));
        };
        let cannot =
            |why: &dyn Display| Trouble::Wrong(vec![format!("{} cannot be written: {why}", path.display())]);
        let found = match fs::metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            found => Some(found.map_err(|error| cannot(&error))?),
        };
        let opened = match found {
            Some(found) if found.is_dir() => return Err(cannot(&"it is a folder")),
            // No file may take its place: root could replace /dev/null.
            Some(found) if !found.is_file() => OpenOptions::new().write(true).open(path).map(Self::directly),
            // A link stays a link, and the file keeps its permissions.
            Some(found) => {
                fs::canonicalize(path).and_then(|place| Self::beside(place, Some(found.permissions())))
            }
            None => Self::beside(path.to_owned(), None),
        };
        opened.map_err(|error| cannot(&error))
    }

    /// An output that is written to directly.
    fn directly(to: impl Write + Send + 'static) -> Self {
        Self { writer: Box::new(BufWriter::new(to)), file: None }
    }

    /// A temporary file next to this path, which it gets at the end; with the permissions of the file that is there.
    fn beside(place: PathBuf, permissions: Option<Permissions>) -> io::Result<Self> {
        let mut name = place.as_os_str().to_owned();
        name.push(format!(".{}.part", std::process::id()));
        let part = PathBuf::from(name);
        let file = File::create(&part)?;
        let out = Self { writer: Box::new(BufWriter::new(file)), file: Some((part.clone(), place)) };
        if let Some(permissions) = permissions {
            fs::set_permissions(part, permissions)?;
        }
        Ok(out)
    }

    /// Writes a text, and shows it at once.
    ///
    /// # Errors
    /// When it cannot be written: a reader that has left, a full disk.
    pub fn write(&mut self, text: &str) -> io::Result<()> {
        self.writer.write_all(text.as_bytes())?;
        self.writer.flush()
    }

    /// Everything is written: the file gets its name.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(&mut self) -> io::Result<()> {
        self.writer.flush()?;
        match self.file.take() {
            Some((part, path)) => std::fs::rename(part, path),
            None => Ok(()),
        }
    }

    /// The exit code if the output can no longer be written.
    ///
    /// # Errors
    /// Unless its reader has left.
    pub fn broken(error: &io::Error) -> Result<u8, Trouble> {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Ok(exit::PIPE_CLOSED);
        }
        Err(Trouble::Failed(format!("the output cannot be written: {error}")))
    }
}

impl Drop for Out {
    fn drop(&mut self) {
        if let Some((part, _)) = &self.file {
            // Half an answer under the name of a whole one would be worse than none.
            drop(std::fs::remove_file(part));
        }
    }
}
