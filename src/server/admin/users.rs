//! Who uses this server.

use actix_web::{get, web};
use serde::Deserialize;

use crate::server::app::App;
use crate::server::extract::Caller;
use crate::server::filter;
use crate::server::page::PageQuery;
use crate::server::problem::{Problem, ProblemBody};
use crate::server::query::Query;
use crate::server::shape::admin::{UserRow, Users};
use crate::store::{Scope, usage};

/// Which users.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
pub(in crate::server) struct UsersQuery {
    /// Only users whose id, name or email contains this.
    search: Option<String>,
}

/// The users of this server.
#[utoipa::path(tag = "admin", params(UsersQuery, PageQuery), responses(
    (status = 200, body = Users), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 422, body = ProblemBody)))]
#[get("/admin/users")]
pub(in crate::server) async fn list(
    app: web::Data<App>,
    caller: Caller,
    query: Query<UsersQuery>,
    page: Query<PageQuery>,
) -> Result<web::Json<Users>, Problem> {
    caller.admin()?;
    let (limit, offset) = page.bounds();
    let search = filter::text("search", query.search.as_deref())?;
    let rows = usage::users(&mut app.db.begin(&Scope::Admin).await?, search, limit, offset).await?;
    let users = rows.into_iter().map(|row| UserRow::of(row, &app.gate)).collect();
    Ok(web::Json(Users { users }))
}
