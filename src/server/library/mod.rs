//! The library: prompts to put into a question, and rubrics that reviewers judge by; own and shared, each with its versions.

pub(super) mod rubric;
mod shape;
pub(super) mod versions;

use actix_web::{delete, get, post, put, web};
use serde::Deserialize;
use serde_json::json;

use super::app::App;
use super::extract::{Body, Caller, id};
use super::problem::{Problem, ProblemBody};
use super::query::Query;
use super::shape::Status;
use crate::council::field::{FieldErrorKind, Fields};
use crate::council::options::rubric::{MAX_CHARS as MAX_RUBRIC_CHARS, MAX_NAME_CHARS, name_problem};
use crate::id::LibraryEntryId;
use crate::identity::Permission;
use crate::store::library::{self, Content, Entry, Filter, Kind};
use crate::store::{Scope, StoreError, Tx, audit};
use shape::{DeletedLibraryEntry, LibraryEntryView, LibraryList, LibrarySummary};

/// How many entries one person may have.
const MOST: i64 = 500;
/// How many versions of an entry are kept.
const MOST_VERSIONS: i32 = 200;
const MAX_PROMPT_CHARS: usize = 20_000;
const MAX_PER_PAGE: u32 = 200;
const MAX_QUERY_CHARS: usize = 200;
const WHAT: &str = "Entry";

fn named(error: StoreError) -> Problem {
    Problem::from(error).naming(WHAT)
}

/// Which entries to list.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ListQuery {
    /// `prompt` or `rubric`; both by default.
    kind: Option<String>,
    /// What their names contain, in any case.
    q: Option<String>,
    /// How many at most, 1 to 200.
    limit: Option<u32>,
    /// How many to skip.
    offset: Option<u32>,
}

/// The caller's prompts and rubrics, and those that are shared with everybody, by name.
#[utoipa::path(tag = "library", params(ListQuery), responses(
    (status = 200, body = LibraryList), (status = 401, body = ProblemBody), (status = 422, body = ProblemBody)))]
#[get("/library")]
pub(super) async fn list(
    app: web::Data<App>,
    caller: Caller,
    query: Query<ListQuery>,
) -> Result<web::Json<LibraryList>, Problem> {
    caller.may(Permission::Read)?;
    let kind = match query.kind.as_deref() {
        None => None,
        Some(name) => {
            Some(Kind::parse(name).ok_or_else(|| Problem::field("kind", "must be prompt or rubric"))?)
        }
    };
    let name = query.q.as_deref().map(str::trim);
    if name.is_some_and(|name| name.chars().count() > MAX_QUERY_CHARS || name.contains('\0')) {
        let rule = format!("must be {MAX_QUERY_CHARS} characters at most, without U+0000");
        return Err(Problem::field("q", &rule));
    }
    let filter = Filter {
        kind,
        name,
        limit: query.limit.unwrap_or(50).clamp(1, MAX_PER_PAGE),
        offset: query.offset.unwrap_or(0),
    };
    let (entries, total) = library::list(&mut app.db.begin(&caller.scope()).await?, filter).await?;
    let entries = entries.into_iter().map(|entry| LibrarySummary::new(entry, &caller)).collect();
    Ok(web::Json(LibraryList { entries, total }))
}

/// What an entry is to say; in a change, what is left out stays.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes the fields that are read one by one, to name every wrong one")]
struct LibraryEntryRequest {
    /// `prompt` or `rubric`; it cannot be changed.
    kind: Option<String>,
    /// 1 to 100 characters; a new entry needs one.
    name: Option<String>,
    /// A prompt has 20,000 characters at most, a rubric 8,000; a new entry needs one.
    text: Option<String>,
    /// Whether everybody on this server can read it.
    #[schema(default = false)]
    shared: Option<bool>,
    /// In a change: the version that the caller has read. Where it is not the newest any more, nothing is changed (409).
    version: Option<i32>,
}

/// The content that a request gives an entry, on top of its present content.
struct EntryInput {
    name: String,
    text: String,
    is_shared: bool,
}

impl EntryInput {
    /// Reads its fields. `kind` is absent where it is wrong itself.
    fn read(fields: &mut Fields<'_>, kind: Option<Kind>, before: Option<&Entry>) -> Self {
        let name: Option<String> = fields.take("name", "a string");
        let name = name.map(|name| name.split_whitespace().collect::<Vec<_>>().join(" "));
        let text: Option<String> = fields.take("text", "a string");
        let shared: Option<bool> = fields.take("shared", "true or false");
        match name.as_deref() {
            Some(name) => {
                if let Some(problem) = name_problem(name) {
                    fields.refuse("name", FieldErrorKind::Value, problem);
                }
            }
            None if before.is_none() && !fields.has("name") => {
                let needed = format!("a name of 1 to {MAX_NAME_CHARS} characters is required");
                fields.refuse("name", FieldErrorKind::Missing, needed);
            }
            None => {}
        }
        let most = if kind == Some(Kind::Rubric) { MAX_RUBRIC_CHARS } else { MAX_PROMPT_CHARS };
        match text.as_deref() {
            Some(text) => {
                let chars = text.chars().count();
                if text.trim().is_empty() {
                    fields.refuse("text", FieldErrorKind::Value, "must not be empty");
                } else if chars > most {
                    let rule = format!("is {chars} characters long; at most {most} are accepted");
                    fields.refuse("text", FieldErrorKind::Value, rule);
                } else if text.contains('\0') {
                    fields.refuse("text", FieldErrorKind::Value, "must not contain U+0000");
                }
            }
            None if before.is_none() && !fields.has("text") => {
                fields.refuse("text", FieldErrorKind::Missing, "a text is required");
            }
            None => {}
        }
        Self {
            name: name.or_else(|| before.map(|before| before.name.clone())).unwrap_or_default(),
            text: text.or_else(|| before.map(|before| before.text.clone())).unwrap_or_default(),
            is_shared: shared.or_else(|| before.map(|before| before.is_shared)).unwrap_or(false),
        }
    }

    fn content(&self) -> Content<'_> {
        Content { name: &self.name, text: &self.text, is_shared: self.is_shared }
    }
}

/// An entry as the caller sees it.
async fn view(tx: &mut Tx, caller: &Caller, id: LibraryEntryId) -> Result<LibraryEntryView, Problem> {
    let entry = library::find(tx, id).await.map_err(named)?;
    let versions = library::versions(tx, id).await?;
    Ok(LibraryEntryView::new(entry, versions, caller))
}

/// An entry that the caller wants to change.
///
/// # Errors
/// 404 where they cannot see it, 403 where it is another's.
async fn to_change(tx: &mut Tx, caller: &Caller, id: LibraryEntryId) -> Result<Entry, Problem> {
    let entry = library::find(tx, id).await.map_err(named)?;
    if entry.owner == caller.user {
        Ok(entry)
    } else {
        Err(Problem::forbidden("only whoever has written it changes it; make a copy of your own"))
    }
}

/// Stores new content of an entry of the caller's, and records it. Unchanged content makes no new version.
async fn put_version(
    mut tx: Tx,
    caller: &Caller,
    before: &Entry,
    (base, content): (i32, Content<'_>),
) -> Result<web::Json<LibraryEntryView>, Problem> {
    let same = Content { name: &before.name, text: &before.text, is_shared: before.is_shared };
    if base != before.version {
        return Err(Problem::changed_meanwhile(before.version));
    }
    if content != same {
        if !library::change(&mut tx, before.id, base, content, MOST_VERSIONS).await.map_err(named)? {
            let now = library::find(&mut tx, before.id).await.map_err(named)?.version;
            return Err(Problem::changed_meanwhile(now));
        }
        let details = json!({"shared": content.is_shared, "version": base + 1});
        audit::append(&mut tx, &caller.user, "library.change", Some(&before.id.to_string()), &details)
            .await?;
    }
    let view = view(&mut tx, caller, before.id).await?;
    tx.commit().await?;
    Ok(web::Json(view))
}

/// The version that a request says it has read.
fn version_read(fields: &mut Fields<'_>) -> i32 {
    let version: Option<i32> = fields.take("version", "a whole number");
    if version.is_none() && !fields.has("version") {
        let needed = "say which version you have read, so that nobody's change is lost";
        fields.refuse("version", FieldErrorKind::Missing, needed);
    }
    version.unwrap_or_default()
}

/// Puts a prompt or a rubric into the library.
#[utoipa::path(tag = "library", request_body = LibraryEntryRequest, responses(
    (status = 200, body = LibraryEntryView), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 409, body = ProblemBody, description = "The caller has as many entries as there can be"),
    (status = 422, body = ProblemBody)))]
#[post("/library")]
pub(super) async fn create(
    app: web::Data<App>,
    caller: Caller,
    body: Body,
) -> Result<web::Json<LibraryEntryView>, Problem> {
    caller.may(Permission::Ask)?;
    let mut fields = Fields::of(&body.0)?;
    let kind: Option<String> = fields.take("kind", "a string");
    let given = kind.as_deref().and_then(Kind::parse);
    if given.is_none() && !(kind.is_none() && fields.has("kind")) {
        let error = if kind.is_none() { FieldErrorKind::Missing } else { FieldErrorKind::Value };
        fields.refuse("kind", error, "must be prompt or rubric");
    }
    let input = EntryInput::read(&mut fields, given, None);
    fields.finish(|| ())?;
    let Some(kind) = given else { return Err(Problem::internal()) };

    let mut tx = app.db.begin(&caller.scope()).await?;
    let Some(id) = library::create(&mut tx, kind, input.content(), MOST).await? else {
        return Err(Problem::library_full(MOST));
    };
    let details = json!({"kind": kind.as_str(), "shared": input.is_shared});
    audit::append(&mut tx, &caller.user, "library.create", Some(&id.to_string()), &details).await?;
    let view = view(&mut tx, &caller, id).await?;
    tx.commit().await?;
    Ok(web::Json(view))
}

/// A prompt or a rubric in its newest version, with the list of its versions.
#[utoipa::path(tag = "library", params(("id" = String, Path)), responses(
    (status = 200, body = LibraryEntryView), (status = 401, body = ProblemBody), (status = 404, body = ProblemBody)))]
#[get("/library/{id}")]
pub(super) async fn read(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<web::Json<LibraryEntryView>, Problem> {
    caller.may(Permission::Read)?;
    let id: LibraryEntryId = id(&path, WHAT)?;
    Ok(web::Json(view(&mut app.db.begin(&caller.scope()).await?, &caller, id).await?))
}

/// Changes an entry of the caller's: what it said before stays as an earlier version. What runs were asked with stays as it is.
#[utoipa::path(tag = "library", params(("id" = String, Path)), request_body = LibraryEntryRequest, responses(
    (status = 200, body = LibraryEntryView), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 404, body = ProblemBody),
    (status = 409, body = ProblemBody, description = "It was changed since it was read"), (status = 422, body = ProblemBody)))]
#[put("/library/{id}")]
pub(super) async fn change(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
    body: Body,
) -> Result<web::Json<LibraryEntryView>, Problem> {
    caller.may(Permission::Ask)?;
    let id: LibraryEntryId = id(&path, WHAT)?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    let before = to_change(&mut tx, &caller, id).await?;
    let mut fields = Fields::of(&body.0)?;
    let base = version_read(&mut fields);
    let input = EntryInput::read(&mut fields, Some(before.kind), Some(&before));
    fields.finish(|| ())?;
    put_version(tx, &caller, &before, (base, input.content())).await
}

/// Deletes an entry with all its versions: one of the caller's, or for administrators a shared one.
#[utoipa::path(tag = "library", params(("id" = String, Path)), responses(
    (status = 200, body = DeletedLibraryEntry), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 404, body = ProblemBody)))]
#[delete("/library/{id}")]
pub(super) async fn remove(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<web::Json<DeletedLibraryEntry>, Problem> {
    caller.may(Permission::Ask)?;
    let id: LibraryEntryId = id(&path, WHAT)?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    let entry = library::find(&mut tx, id).await.map_err(named)?;
    if entry.owner != caller.user {
        caller.admin()?;
        drop(tx);
        tx = app.db.begin(&Scope::Admin).await?;
    }
    library::delete(&mut tx, id).await.map_err(named)?;
    let details = json!({"kind": entry.kind.as_str(), "shared": entry.is_shared});
    audit::append(&mut tx, &caller.user, "library.delete", Some(&id.to_string()), &details).await?;
    tx.commit().await?;
    Ok(web::Json(DeletedLibraryEntry { status: Status::Ok, id }))
}
