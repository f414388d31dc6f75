//! Everything that is stored of the caller, as one ZIP file.

use actix_web::http::header;
use actix_web::{HttpResponse, get, web};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::archive::{self, Archive, ExportError};
use super::conversation_files::{self, Written};
use crate::attachments::beginning;
use crate::identity::{AuthMethod, Permission};
use crate::objects::Objects;
use crate::server::app::App;
use crate::server::extract::Caller;
use crate::server::problem::{Problem, ProblemBody};
use crate::server::shape::naive;
use crate::store::export::{Cursor, LISTINGS, Listing};
use crate::store::{Db, Scope, StoreError, attachments, audit, conversations};
use crate::version::VERSION;

/// The version of how the files are laid out: raised when a program that reads them would break.
const FORMAT: u32 = 1;
const CONVERSATIONS_AT_ONCE: i64 = 50;
const FILES_AT_ONCE: u32 = 100;
/// How much of a file's id stands before its name.
const FILE_ID_CHARS: usize = 12;
/// How much of a file's own name is kept, in bytes: no system takes one of more than 255 with the id before it, and Windows no
/// path of more than 260 characters.
const MAX_NAME_BYTES: usize = 180;
/// The longest ending that a name keeps when it is shortened, in bytes.
const MAX_ENDING_BYTES: usize = 20;

const README: &str = "\
# Your data

This is everything that this LLM Council stores of you.

- `conversations/`: each conversation twice, as Markdown to read and as JSON with every answer, review and figure. What you
  have deleted and can still bring back is there too, and says so.
- `settings.json`, `presets.json`, `spending_limits.json`: what you have set.
- `folders.json`: the folders of your list; each conversation's file names its own.
- `scheduled_questions.json`, `scheduled_results.json`: what you want asked again and again, and what came of it.
- `shared_conversations.json`: what you share by a link, for whom and until when.
- `library.json`, `library_versions.json`: your prompts and rubrics, with what they said before.
- `tokens.json`, `webhooks.json`, `devices.json`: their names and addresses. Secrets are in no file.
- `feedback.json`, `earlier_answers.json`, `cached_questions.json`, `benches.json`, `bench_items.json`, `rankings.json`: what
  else was kept of your questions.
- `runs.json`, `usage.json`: each question's run, and each call of a model with its tokens and its cost.
- `account.json`, `holds.json`, `access.json`, `access_reads.json`, `audit.json`: who you are here, whether a hold is on your
  data, which administrators were let in to read it and what they read, and what you have done that is kept on record.
- `attachments.json`, `attachments/`: the files that your questions came with, or that you have uploaded for one, each under the
  beginning of its id and its name. Names are shortened and have `_` where Windows could not unpack them otherwise.
- `projects.json`, `project_files.json`, `project_memberships.json`: the projects that you are in by name, what their files are called,
  and with which role. The files themselves are the projects'.
- `index.json`: how many there are of each, and the version of this layout.
";

/// How many there are of what, and how the files are laid out.
#[derive(Serialize)]
struct Index<'a> {
    format: u32,
    program: &'static str,
    version: &'static str,
    user: &'a str,
    exported_at: String,
    counts: Map<String, Value>,
    /// Lists that are only given to people in their browser, and not to a token.
    left_out: Vec<&'static str>,
}

/// Everything that is stored of the caller, as a ZIP file: conversations as Markdown and JSON, settings, presets, feedback,
/// the ledger and all else. It is written while it is sent. A token gets it without the lists of tokens, webhooks and devices.
#[utoipa::path(tag = "me", responses(
    (status = 200, description = "A ZIP file", content_type = "application/zip"), (status = 401, body = ProblemBody),
    (status = 403, body = ProblemBody)))]
#[get("/me/export")]
pub(in crate::server) async fn download(
    app: web::Data<App>,
    caller: Caller,
) -> Result<HttpResponse, Problem> {
    caller.may(Permission::Read)?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    audit::append(&mut tx, &caller.user, "user.export", None, &json!({})).await?;
    tx.commit().await?;
    let now = Timestamp::now();
    let name = format!("llm-council-{}.zip", now.to_zoned(TimeZone::UTC).date());
    let (archive, pieces) = Archive::new();
    let export = Export {
        archive,
        db: app.db.clone(),
        objects: app.objects.clone(),
        scope: caller.scope(),
        user: caller.user.to_string(),
        in_person: !matches!(caller.via, AuthMethod::Token { .. }),
        now,
    };
    Ok(HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, "application/zip"))
        .insert_header((header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")))
        // It is compressed already.
        .insert_header((header::CONTENT_ENCODING, "identity"))
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .streaming(archive::sent(export.write(), pieces)))
}

/// One copy under way.
struct Export {
    archive: Archive,
    db: Db,
    objects: Objects,
    scope: Scope,
    user: String,
    in_person: bool,
    now: Timestamp,
}

impl Export {
    async fn write(mut self) -> Result<(), ExportError> {
        self.archive.begin("README.md", self.now)?;
        self.archive.write(README).await?;
        let written = self.conversations().await?;
        let mut counts = Map::new();
        counts.insert("conversations".into(), written.conversations.into());
        counts.insert("messages".into(), written.messages.into());
        self.files().await?;
        let mut left_out = Vec::new();
        for listing in LISTINGS {
            if listing.only_in_person && !self.in_person {
                left_out.push(listing.name);
            } else {
                counts.insert(listing.name.into(), self.listing(listing).await?.into());
            }
        }
        self.archive.begin("index.json", self.now)?;
        let index = Index {
            format: FORMAT,
            program: "llm-council",
            version: VERSION,
            user: &self.user,
            exported_at: naive(self.now),
            counts,
            left_out,
        };
        let index = serde_json::to_string_pretty(&index)?;
        self.archive.write(&index).await?;
        self.archive.finish().await
    }

    async fn conversations(&mut self) -> Result<Written, ExportError> {
        let (mut written, mut last) = (Written::default(), None);
        loop {
            let mut tx = self.db.begin(&self.scope).await?;
            let page = conversations::after(&mut tx, last, CONVERSATIONS_AT_ONCE).await?;
            drop(tx);
            let Some(end) = page.last() else { return Ok(written) };
            last = Some(end.id);
            for row in page {
                written += conversation_files::write(&mut self.archive, &self.db, &self.scope, row).await?;
            }
        }
    }

    /// The files themselves, one in memory at a time.
    async fn files(&mut self) -> Result<(), ExportError> {
        let mut last = String::new();
        loop {
            let mut tx = self.db.begin(&self.scope).await?;
            let page = attachments::after(&mut tx, &last, FILES_AT_ONCE).await?;
            drop(tx);
            let Some(end) = page.last() else { return Ok(()) };
            last.clone_from(&end.id);
            for file in page {
                let find = || async {
                    let mut tx = self.db.begin(&self.scope).await?;
                    Ok::<_, ExportError>(((), attachments::content(&mut tx, &file.id).await?))
                };
                let ((), content) = match self.objects.read(find).await {
                    // The file has been deleted since.
                    Err(ExportError::Store(StoreError::NotFound)) => continue,
                    content => content?,
                };
                self.archive.begin(&name_in_copy(&file.id, &file.filename), file.created_at)?;
                self.archive.write_bytes(&content).await?;
            }
        }
    }

    /// A list as a JSON array, a row a line.
    async fn listing(&mut self, listing: Listing) -> Result<u64, ExportError> {
        self.archive.begin(&format!("{}.json", listing.name), self.now)?;
        self.archive.write("[").await?;
        let (mut count, mut cursor) = (0, Cursor::START);
        loop {
            let mut tx = self.db.begin(&self.scope).await?;
            let page = listing.page(&mut tx, &cursor).await?;
            drop(tx);
            let Some((rows, end)) = page else { break };
            cursor = end;
            for row in rows {
                self.archive.write(if count == 0 { "\n" } else { ",\n" }).await?;
                self.archive.write(&row).await?;
                count += 1;
            }
        }
        self.archive.write("\n]\n").await?;
        Ok(count)
    }
}

/// What a file is called in the copy, so that every system unpacks it: Windows leaves out those with certain characters.
fn name_in_copy(id: &str, filename: &str) -> String {
    let id: String = id.chars().take(FILE_ID_CHARS).collect();
    let plain = |c: char| if matches!(c, '<' | '>' | ':' | '"' | '|' | '?' | '*') { '_' } else { c };
    let name: String = filename.chars().map(plain).collect();
    let (stem, ending) = match name.rsplit_once('.') {
        Some((stem, ending)) if ending.len() <= MAX_ENDING_BYTES => (stem, format!(".{ending}")),
        _ => (name.as_str(), String::new()),
    };
    let (stem, _) = beginning(stem, MAX_NAME_BYTES - ending.len());
    format!("attachments/{id}-{stem}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_system_unpacks_the_files() {
        let id = "0123456789abcdef";
        for (filename, name) in [
            ("notes.md", "notes.md"),
            ("Q: \"why\" <now> a|b?*.txt", "Q_ _why_ _now_ a_b__.txt"),
            (".env", ".env"),
            ("Über Öl", "Über Öl"),
        ] {
            assert_eq!(name_in_copy(id, filename), format!("attachments/0123456789ab-{name}"));
        }
        for (filename, ending) in [
            (format!("{}.tar.gz", "ü".repeat(124)), ".gz"),
            ("x".repeat(255), "x"),
            (format!("a.{}", "x".repeat(253)), "x"),
        ] {
            let name = name_in_copy(id, &filename);
            let name = name.strip_prefix("attachments/").unwrap();
            assert!(name.len() <= 200 && name.ends_with(ending), "{name}");
        }
    }
}
