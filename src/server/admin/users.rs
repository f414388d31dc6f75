//! Who uses this server.

use actix_web::{get, web};

use super::page::PageQuery;
use crate::server::app::App;
use crate::server::extract::Caller;
use crate::server::problem::{Problem, ProblemBody};
use crate::server::shape::admin::{UserRow, Users};
use crate::store::{Scope, usage};

/// The users of this server.
#[utoipa::path(tag = "admin", params(PageQuery), responses(
    (status = 200, body = Users), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody)))]
#[get("/admin/users")]
pub(in crate::server) async fn list(
    app: web::Data<App>,
    caller: Caller,
    page: web::Query<PageQuery>,
) -> Result<web::Json<Users>, Problem> {
    caller.admin()?;
    let (limit, offset) = page.bounds();
    let rows = usage::users(&mut app.db.begin(&Scope::Admin).await?, limit, offset).await?;
    Ok(web::Json(Users { users: rows.into_iter().map(UserRow::from).collect() }))
}
