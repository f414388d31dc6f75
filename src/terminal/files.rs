//! Files that go with questions: checked here, and uploaded before the question is asked.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::session::{Method, Session, Trouble};
use super::text::one_line;

/// The field of a request that names files.
pub const FIELD: &str = "attachments";

/// A file that the server has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attached {
    /// The hash of its content.
    pub id: String,
    pub name: String,
}

/// The value of [`FIELD`] for these files.
#[must_use]
pub fn field(files: &[Attached]) -> Value {
    files.iter().map(|file| json!({ "id": file.id, "filename": file.name })).collect()
}

/// Uploads these files for a question; `already` is how many it has.
///
/// # Errors
/// Everything that is wrong with them, as far as can be known before the first is sent; else why the server refuses
/// one.
pub async fn attach(
    session: &dyn Session,
    paths: &[PathBuf],
    already: usize,
) -> Result<Vec<Attached>, Trouble> {
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    let config = session.get("/api/config").await?;
    let limit = |name: &str| config.get("attachments")?.get(name)?.as_u64();
    let (Some(most), Some(bytes)) = (limit("max_per_question"), limit("max_bytes")) else {
        return Err(Trouble::Wrong(vec!["no files are taken here".to_owned()]));
    };
    let mut problems: Vec<String> = paths.iter().filter_map(|path| problem_of(path, bytes)).collect();
    if (already + paths.len()) as u64 > most {
        problems.push(format!("at most {most} files can go with one question"));
    }
    if !problems.is_empty() {
        return Err(Trouble::Wrong(problems));
    }
    let mut attached: Vec<Attached> = Vec::new();
    for path in paths {
        let file = upload(session, path).await?;
        if !attached.iter().any(|other| other.id == file.id) {
            attached.push(file);
        }
    }
    Ok(attached)
}

/// [`attach`] for one file that is named between questions.
///
/// # Errors
/// As [`attach`]; nothing was about to be asked.
pub async fn attach_one(
    session: &dyn Session,
    path: PathBuf,
    already: usize,
) -> Result<Vec<Attached>, Trouble> {
    attach(session, &[path], already).await.map_err(|trouble| {
        if let Trouble::Wrong(problems) = trouble { Trouble::Failed(problems.join("; ")) } else { trouble }
    })
}

/// Why a file would be refused, as far as that is known before it is sent.
fn problem_of(path: &Path, max_bytes: u64) -> Option<String> {
    let name = one_line(&path.display().to_string()).into_owned();
    match fs::metadata(path) {
        Err(error) => Some(format!("{name}: {error}")),
        Ok(found) if !found.is_file() => Some(format!("{name} is not a file")),
        Ok(found) if found.len() == 0 => Some(format!("{name} is empty")),
        Ok(found) if found.len() > max_bytes => {
            Some(format!("{name} has {} bytes, and at most {max_bytes} are taken", found.len()))
        }
        Ok(_) => None,
    }
}

async fn upload(session: &dyn Session, path: &Path) -> Result<Attached, Trouble> {
    let shown = one_line(&path.display().to_string()).into_owned();
    let of_file = |problem: &str| Trouble::Wrong(vec![format!("{shown}: {}", one_line(problem))]);
    let bytes = fs::read(path).map_err(|error| of_file(&error.to_string()))?;
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let taken = session.upload(&name, bytes).await.map_err(|trouble| match trouble {
        Trouble::Wrong(problems) => of_file(&problems.join("; ")),
        Trouble::Failed(problem) => of_file(&problem),
        trouble @ (Trouble::NotReachable(_)
        | Trouble::NotSignedIn(_)
        | Trouble::OverBudget(_)
        | Trouble::NotFound(_)) => trouble,
    })?;
    let text = |name: &str| taken.get(name).and_then(Value::as_str);
    let Some(id) = text("id") else {
        return Err(Trouble::Failed(format!("{} does not say what became of {shown}", session.place())));
    };
    if text("state") == Some("ready") {
        let name = text("filename").unwrap_or(&name).to_owned();
        return Ok(Attached { id: id.to_owned(), name });
    }
    let problem = text("problem").unwrap_or("nothing can be read of it");
    // It is of no use on the server either; if it stays there, the server removes it within a day.
    if let Err(trouble) = session.request(Method::DELETE, &format!("/api/attachments/{id}"), None).await {
        tracing::debug!(%trouble, "a file that cannot be used is left on the server");
    }
    Err(of_file(problem))
}
