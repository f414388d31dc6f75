//! Which version answers.

use actix_web::{get, web};
use serde::Serialize;

use super::extract::Caller;
use super::problem::{Problem, ProblemBody};
use crate::identity::Permission;
use crate::version;

/// The program that answers.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct VersionInfo {
    pub version: &'static str,
    /// The commit it was built from, or `unknown`.
    pub git_commit: &'static str,
    /// Its first seven characters, or `unknown`.
    pub git_commit_short: &'static str,
    /// When it was built (RFC 3339, UTC), or `unknown`.
    pub build_time: String,
}

/// The version of this server, its commit and when it was built.
#[utoipa::path(tag = "health", responses((status = 200, body = VersionInfo), (status = 401, body = ProblemBody)))]
#[get("/version")]
pub(super) async fn read(caller: Caller) -> Result<web::Json<VersionInfo>, Problem> {
    caller.may(Permission::Read)?;
    let git_commit = version::commit();
    Ok(web::Json(VersionInfo {
        version: version::VERSION,
        git_commit,
        git_commit_short: version::short(git_commit),
        build_time: version::build_time(),
    }))
}
