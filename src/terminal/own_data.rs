//! Saves everything that a server stores about the caller to one file.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use super::exit;
use super::query::Interrupts;
use super::session::Trouble;
use super::session::http::Http;
use super::text::one_line;

/// Downloads it to a file that does not exist yet. A download that breaks off or is interrupted leaves no file.
///
/// # Errors
/// When the file cannot be written, or the server refuses or disconnects.
pub async fn save(http: Http, file: &Path) -> Result<u8, Trouble> {
    let name = one_line(&file.display().to_string()).into_owned();
    let mut interrupts = Interrupts::listen();
    let mut created = fs::OpenOptions::new().write(true).create_new(true).open(file).map_err(|error| {
        Trouble::Failed(if error.kind() == io::ErrorKind::AlreadyExists {
            format!("{name} is there already, and stays as it is")
        } else {
            format!("{name} cannot be written: {error}")
        })
    })?;
    let received = tokio::select! {
        received = receive(&http, &mut created) => received.map(Some),
        () = interrupts.next() => Ok(None),
    };
    let ended = match received {
        Ok(Some(bytes)) => {
            eprintln!("Saved: {name} ({bytes} bytes)");
            return Ok(exit::ANSWERED);
        }
        Ok(None) => Ok(exit::CANCELLED),
        Err(trouble) => Err(trouble),
    };
    drop(created);
    // The interruption is reported; that the partial file could not be removed matters less.
    if let Err(error) = fs::remove_file(file) {
        eprintln!("{name} is not whole and could not be removed: {error}");
    }
    ended
}

async fn receive(http: &Http, file: &mut fs::File) -> Result<u64, Trouble> {
    let not_written = |error: io::Error| Trouble::Failed(format!("the file cannot be written: {error}"));
    let mut response = http.download("/api/me/export").await?;
    let mut bytes = 0;
    while let Some(piece) = response.chunk().await.map_err(|error| http.broken(&error))? {
        file.write_all(&piece).map_err(not_written)?;
        bytes += u64::try_from(piece.len()).unwrap_or(u64::MAX);
    }
    file.sync_all().map_err(not_written)?;
    Ok(bytes)
}
