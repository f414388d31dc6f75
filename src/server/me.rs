//! The caller: who they are, and their personal access tokens.

use std::collections::BTreeSet;

use actix_web::{HttpResponse, delete, get, post, web};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use serde_json::json;

use super::app::App;
use super::extract::{Body, Caller, id};
use super::page::{PageQuery, paged};
use super::problem::{Problem, ProblemBody};
use super::query::Query;
use super::shape::{Status, naive};
use crate::config::AuthMode;
use crate::council::field::{FieldErrorKind, Fields, name_problem};
use crate::id::TokenId;
use crate::identity::{Permission, token};
use crate::store::tokens::{self, NewToken, Token};
use crate::store::{audit, users};

/// The longest name of a token, in characters.
const MAX_NAME_CHARS: usize = 100;
const MAX_DAYS: i64 = 366;
const DEFAULT_DAYS: i64 = 90;

/// The caller.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Me {
    pub authenticated: bool,
    /// The canonical user id.
    pub id: String,
    pub username: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    pub groups: Vec<String>,
    pub is_admin: bool,
    /// `proxy`, or `none` for the one local user.
    pub mode: &'static str,
    /// The key that a browser subscribes with to be notified of the caller's runs with the page closed; absent where this
    /// server sends no notifications.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub push_key: Option<String>,
}

/// Who the caller is.
#[utoipa::path(tag = "me", responses((status = 200, body = Me), (status = 401, body = ProblemBody)))]
#[get("/user")]
pub(super) async fn whoami(app: web::Data<App>, caller: Caller) -> Result<web::Json<Me>, Problem> {
    let mut tx = app.db.begin(&caller.scope()).await?;
    let (email, name) = (caller.email.as_deref(), caller.name.as_deref());
    users::touch(&mut tx, email, name, caller.groups_from_proxy()).await?;
    tx.commit().await?;
    Ok(web::Json(Me {
        authenticated: true,
        id: caller.user.to_string(),
        username: caller.user.to_string(),
        email: caller.email.clone(),
        display_name: caller.name.clone(),
        groups: caller.groups.clone(),
        is_admin: caller.is_admin,
        mode: match app.config.auth.mode {
            AuthMode::Proxy => "proxy",
            AuthMode::None => "none",
        },
        push_key: app.push.as_ref().map(|push| push.public_key().to_owned()),
    }))
}

/// A token without its secret.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct TokenView {
    pub id: TokenId,
    pub name: String,
    pub permissions: Vec<String>,
    pub created_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<String>,
}

impl From<Token> for TokenView {
    fn from(row: Token) -> Self {
        Self {
            id: row.id,
            name: row.name,
            permissions: row.permissions,
            created_at: naive(row.created_at),
            expires_at: row.expires_at.map(naive),
            last_used_at: row.last_used_at.map(naive),
            revoked_at: row.revoked_at.map(naive),
        }
    }
}

/// The caller's tokens, the newest first, with those that were revoked: a plain array, its paging in `X-Total-Count` and `Link`.
#[utoipa::path(tag = "me", params(PageQuery), responses(
    (status = 200, body = Vec<TokenView>), (status = 401, body = ProblemBody), (status = 422, body = ProblemBody)))]
#[get("/tokens")]
pub(super) async fn list_tokens(
    app: web::Data<App>,
    caller: Caller,
    page: Query<PageQuery>,
) -> Result<HttpResponse, Problem> {
    caller.in_person("tokens")?;
    let (limit, offset) = page.bounds();
    let (rows, total) = tokens::list(&mut app.db.begin(&caller.scope()).await?, limit, offset).await?;
    let mut response = paged("/api/tokens", limit, offset, total, []);
    Ok(response.json(rows.into_iter().map(TokenView::from).collect::<Vec<_>>()))
}

/// A token to be made.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes the fields that are read one by one, to name every wrong one")]
struct TokenRequest {
    name: String,
    /// `read`, `ask`; both when left out.
    permissions: Option<Vec<String>>,
    expires_in_days: Option<i64>,
}

/// A new token with its secret.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct CreatedToken {
    #[serde(flatten)]
    pub view: TokenView,
    pub token: String,
}

/// A token that was revoked.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct RevokedToken {
    pub status: Status,
    pub id: TokenId,
}

/// Makes a token. Its secret is in this answer and nowhere else.
#[utoipa::path(tag = "me", request_body = TokenRequest, responses(
    (status = 200, body = CreatedToken), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 422, body = ProblemBody)))]
#[post("/tokens")]
pub(super) async fn create_token(
    app: web::Data<App>,
    caller: Caller,
    body: Body,
) -> Result<web::Json<CreatedToken>, Problem> {
    caller.in_person("tokens")?;
    let mut fields = Fields::of(&body.0)?;
    let name: Option<String> = fields.take("name", "a string");
    let name = name.map(|name| name.trim().to_owned()).unwrap_or_default();
    if let Some(problem) = name_problem(&name, MAX_NAME_CHARS) {
        fields.refuse("name", FieldErrorKind::Value, problem);
    }
    let days: i64 = fields.take("expires_in_days", "a whole number of days").unwrap_or(DEFAULT_DAYS);
    if !(1..=MAX_DAYS).contains(&days) {
        fields.refuse("expires_in_days", FieldErrorKind::Value, format!("must be 1 to {MAX_DAYS}"));
    }
    let mut asked: Vec<String> = fields
        .take("permissions", "a list of permissions")
        .unwrap_or_else(|| vec!["read".into(), "ask".into()]);
    for (place, permission) in asked.iter().enumerate() {
        if Permission::parse(permission).is_none() {
            fields.refuse(format!("permissions.{place}"), FieldErrorKind::Value, "must be read or ask");
        }
    }
    if asked.is_empty() {
        fields.refuse("permissions", FieldErrorKind::Value, "a token needs a permission");
    }
    fields.finish(|| ())?;
    // Each once: what is stored is read with every request that comes with the token.
    let mut seen = BTreeSet::new();
    asked.retain(|permission| seen.insert(permission.clone()));
    let secret = token::generate();
    let new = NewToken {
        name: &name,
        hash: &token::hash(&secret),
        permissions: &asked,
        expires_at: Some(Timestamp::now() + SignedDuration::from_hours(24 * days)),
    };
    let mut tx = app.db.begin(&caller.scope()).await?;
    let row = tokens::create(&mut tx, &new).await?;
    audit::append(&mut tx, &caller.user, "token.create", Some(&row.id.to_string()), &json!({})).await?;
    tx.commit().await?;
    Ok(web::Json(CreatedToken { view: row.into(), token: secret }))
}

/// Revokes a token.
#[utoipa::path(tag = "me", params(("id" = String, Path)), responses(
    (status = 200, body = RevokedToken), (status = 401, body = ProblemBody), (status = 404, body = ProblemBody)))]
#[delete("/tokens/{id}")]
pub(super) async fn revoke_token(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<web::Json<RevokedToken>, Problem> {
    caller.in_person("tokens")?;
    let id: TokenId = id(&path, "Token")?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    tokens::revoke(&mut tx, id).await.map_err(|error| Problem::from(error).naming("Token"))?;
    audit::append(&mut tx, &caller.user, "token.revoke", Some(&id.to_string()), &json!({})).await?;
    tx.commit().await?;
    Ok(web::Json(RevokedToken { status: Status::Ok, id }))
}
