//! Where the answer is written: the standard output, or a file that is either complete or absent.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::terminal::exit;
use crate::terminal::session::Trouble;

/// See the module.
pub struct Out {
    writer: Box<dyn Write + Send>,
    /// The file that it becomes at the end, and its temporary name until then.
    file: Option<(PathBuf, PathBuf)>,
}

impl Out {
    /// The file at this path, or the standard output.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn open(path: Option<&Path>) -> Result<Self, Trouble> {
        let Some(path) = path.filter(|path| *path != Path::new("-")) else {
            return Ok(Self { writer: Box::new(BufWriter::new(io::stdout())), file: None });
        };
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{}.part", std::process::id()));
        let part = PathBuf::from(name);
        let file = File::create(&part).map_err(|error| {
            Trouble::Wrong(vec![format!("{} cannot be written: {error}", path.display())])
        })?;
        Ok(Self { writer: Box::new(BufWriter::new(file)), file: Some((part, path.to_owned())) })
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

    /// The code of an output that cannot be written any more.
    ///
    /// # Errors
    /// Unless its reader has simply left.
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
