//! Earlier versions: for reading, and to go back to.

use actix_web::{get, post, web};

use super::shape::{LibraryEntryView, LibraryVersionView};
use super::{WHAT, named, put_version, to_change, version_read};
use crate::council::field::{FieldErrorKind, Fields};
use crate::id::LibraryEntryId;
use crate::identity::Permission;
use crate::server::app::App;
use crate::server::extract::{Body, Caller, id};
use crate::server::problem::{Problem, ProblemBody};
use crate::store::StoreError;
use crate::store::library::{self, Content};

/// One version of an entry, with its text.
#[utoipa::path(tag = "library", params(("id" = String, Path), ("version" = i32, Path)), responses(
    (status = 200, body = LibraryVersionView), (status = 401, body = ProblemBody), (status = 404, body = ProblemBody)))]
#[get("/library/{id}/versions/{version}")]
pub(in crate::server) async fn read_version(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<(String, String)>,
) -> Result<web::Json<LibraryVersionView>, Problem> {
    caller.may(Permission::Read)?;
    let entry: LibraryEntryId = id(&path.0, WHAT)?;
    let number: i32 = path.1.parse().map_err(|_| Problem::not_found("Version"))?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    let version = library::find_version(&mut tx, entry, number).await;
    let version = version.map_err(|error| Problem::from(error).naming("Version"))?;
    Ok(web::Json(LibraryVersionView { id: entry, head: version.head.into(), text: version.text }))
}

/// Which version is brought back.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes the fields that are read one by one, to name every wrong one")]
struct LibraryRestoreRequest {
    /// The version whose name and text count again.
    from: i32,
    /// The newest version that the caller has read. Where it is not the newest any more, nothing is changed (409).
    version: i32,
}

/// Lets an entry of the caller's say again what it said in an earlier version: as a new version. Whether it is shared stays as it is.
#[utoipa::path(tag = "library", params(("id" = String, Path)), request_body = LibraryRestoreRequest, responses(
    (status = 200, body = LibraryEntryView), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 404, body = ProblemBody),
    (status = 409, body = ProblemBody, description = "It was changed since it was read"), (status = 422, body = ProblemBody)))]
#[post("/library/{id}/restore")]
pub(in crate::server) async fn restore(
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
    let from: Option<i32> = fields.take("from", "a whole number");
    if from.is_none() && !fields.has("from") {
        fields.refuse("from", FieldErrorKind::Missing, "say which version to bring back");
    }
    let base = version_read(&mut fields);
    let earlier = match from {
        None => None,
        Some(from) => match library::find_version(&mut tx, id, from).await {
            Ok(version) => Some(version),
            Err(StoreError::NotFound) => {
                fields.refuse("from", FieldErrorKind::Value, "is not a version that is kept");
                None
            }
            Err(error) => return Err(named(error)),
        },
    };
    fields.finish(|| ())?;
    let Some(earlier) = earlier else { return Err(Problem::internal()) };
    let content = Content { name: &earlier.head.name, text: &earlier.text, is_shared: before.is_shared };
    put_version(tx, &caller, &before, (base, content)).await
}
