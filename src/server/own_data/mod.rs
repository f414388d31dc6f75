//! All of the caller's own data: an overview, a copy, and its deletion.

mod archive;
mod conversation_files;
pub(super) mod export;

use std::time::Duration;

use actix_web::{HttpResponse, delete, get, web};
use serde::Serialize;

use super::app::App;
use super::extract::{Body, Caller};
use super::problem::{Problem, ProblemBody};
use super::shape::Status;
use super::shape::own_data::{AccessView, OwnData};
use crate::council::field::{FieldErrorKind, Fields};
use crate::identity::{Identity, Permission, user};
use crate::store::erasure::{self, EraseOutcome};
use crate::store::{access, holds, retention};

/// How long an answer waits for the end of an erasure; what is left is done without anybody waiting.
const WAIT: Duration = Duration::from_secs(10);
/// How long it waits, after that, for an object store to have no file of theirs.
const WAIT_FOR_OBJECTS: Duration = Duration::from_secs(5);

/// What is kept of the caller, for how long, and who has looked at it.
#[utoipa::path(tag = "me", responses((status = 200, body = OwnData), (status = 401, body = ProblemBody)))]
#[get("/me/data")]
pub(super) async fn show(app: web::Data<App>, caller: Caller) -> Result<web::Json<OwnData>, Problem> {
    caller.may(Permission::Read)?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    let held_since = holds::own(&mut tx).await?.map(super::shape::naive);
    let rule = retention::read(&mut tx).await?;
    let access = access::about(&mut tx).await?.into_iter().map(AccessView::from).collect();
    let retention_days = rule.map(|rule| rule.days).filter(|days| *days > 0);
    Ok(web::Json(OwnData { held_since, retention_days, access }))
}

/// The word that confirms the deletion.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes the fields that are read one by one, to name every wrong one")]
struct ErasureRequest {
    /// The caller's user id, or the name they are shown under.
    confirm: String,
}

/// What came of it.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Erased {
    pub status: Status,
    /// Whether it is over. If not, it goes on by itself, and until then requests of this user are answered with 409.
    pub erased: bool,
}

/// Deletes everything that is stored of the caller, for good: runs under way are stopped first. What was paid stays in
/// the sums of the ledger, without the name. A user who comes back later is new here.
#[utoipa::path(tag = "me", request_body = ErasureRequest, responses(
    (status = 200, body = Erased, description = "Everything is deleted"),
    (status = 202, body = Erased, description = "It has begun and goes on by itself"),
    (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 409, body = ProblemBody, description = "There is a hold on the caller's data, or it is being deleted already"),
    (status = 422, body = ProblemBody)))]
#[delete("/me")]
pub(super) async fn erase(app: web::Data<App>, caller: Caller, body: Body) -> Result<HttpResponse, Problem> {
    caller.in_person("your data and its deletion")?;
    let mut fields = Fields::of(&body.0)?;
    let word: Option<String> = fields.take("confirm", "a string");
    if !word.is_some_and(|word| is_confirmed(&caller, &word)) {
        let rule = format!(
            "must be your user id, {}: everything that is stored of you is then deleted, and nobody can bring it back",
            caller.user
        );
        fields.refuse("confirm", FieldErrorKind::Value, rule);
    }
    fields.finish(|| ())?;
    // Once the erasure is under way this is refused, like every request.
    drop(app.db.begin(&caller.scope()).await?);
    match erasure::begin(&app.db, &caller.user).await? {
        EraseOutcome::Yes => {}
        EraseOutcome::Held => return Err(Problem::held()),
    }
    let erased = match tokio::time::timeout(WAIT, erasure::finish(&app.db, &caller.user)).await {
        Ok(Ok(())) => true,
        Ok(Err(error)) => {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "an erasure has begun and continues in the background"
            );
            false
        }
        Err(_) => false,
    };
    if erased && app.objects.is_there() {
        // Nothing points to their files any more. The regular sweep of such objects removes the rest.
        match tokio::time::timeout(WAIT_FOR_OBJECTS, app.objects.remove_loose(&app.db)).await {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => {
                let error = &error as &dyn std::error::Error;
                tracing::warn!(
                    error,
                    "the files of an erased user are still in the object store; trying again every minute"
                );
            }
            Err(_) => tracing::info!("the files of an erased user are being removed from the object store"),
        }
    }
    let mut response = if erased { HttpResponse::Ok() } else { HttpResponse::Accepted() };
    Ok(response.json(Erased { status: Status::Ok, erased }))
}

/// Whether this is the caller's user id, in any of its spellings, or the name they are shown under.
fn is_confirmed(caller: &Identity, word: &str) -> bool {
    let word = word.trim();
    user::canonical(word).is_some_and(|user| user == caller.user)
        || word == caller.user.as_str()
        || (!word.is_empty() && caller.name.as_deref().is_some_and(|name| name.trim() == word))
}
