//! The settings that everybody starts from.

use actix_web::{get, post, put, web};
use serde_json::json;

use crate::council::plan::settings_problems;
use crate::council::settings::SettingsLayer;
use crate::server::app::{App, read};
use crate::server::extract::{Body, Caller};
use crate::server::problem::{Problem, ProblemBody};
use crate::server::regions;
use crate::server::settings::{ConfigView, view};
use crate::store::{Scope, audit, settings};

/// The settings of everybody who has none of their own.
#[utoipa::path(tag = "admin", responses(
    (status = 200, body = ConfigView), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody)))]
#[get("/admin/config")]
pub(in crate::server) async fn show(
    app: web::Data<App>,
    caller: Caller,
) -> Result<web::Json<ConfigView>, Problem> {
    caller.admin()?;
    let mut tx = app.db.begin(&Scope::Admin).await?;
    let layer = settings::instance(&mut tx).await?.map(read).transpose()?;
    let layer = layer.unwrap_or_default();
    let is_default = layer == SettingsLayer::default();
    let in_force = app.defaults().with(&layer);
    Ok(web::Json(view(&app, in_force, is_default)))
}

/// Changes them; what is left out stays as it is. People's own settings stay on top.
#[utoipa::path(tag = "admin", request_body = SettingsLayer, responses(
    (status = 200, body = ConfigView), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 422, body = ProblemBody)))]
#[put("/admin/config")]
pub(in crate::server) async fn change(
    app: web::Data<App>,
    caller: Caller,
    body: Body,
) -> Result<web::Json<ConfigView>, Problem> {
    caller.admin()?;
    let (newer, mut problems) = SettingsLayer::parse(&body.0)?;
    let mut tx = app.db.begin(&Scope::Admin).await?;
    let layer = settings::instance_to_change(&mut tx).await?.map(read).transpose()?.unwrap_or_default();
    let (layer, region_report) = regions::moved(&app, layer, newer, &app.defaults(), &mut problems)?;
    let in_force = app.defaults().with(&layer);
    problems.extend(settings_problems(&in_force));
    problems.extend(app.unknown_providers(&body.0));
    if !problems.is_empty() {
        return Err(problems.into());
    }
    settings::save_instance(&mut tx, &json!(layer), &caller.user).await?;
    audit::append(&mut tx, &caller.user, "instance_settings.change", None, &json!({})).await?;
    tx.commit().await?;
    Ok(web::Json(ConfigView { region_report, ..view(&app, in_force, false) }))
}

/// Goes back to the configured council.
#[utoipa::path(tag = "admin", responses(
    (status = 200, body = ConfigView), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody)))]
#[post("/admin/config/reset")]
pub(in crate::server) async fn reset(
    app: web::Data<App>,
    caller: Caller,
) -> Result<web::Json<ConfigView>, Problem> {
    caller.admin()?;
    let mut tx = app.db.begin(&Scope::Admin).await?;
    settings::save_instance(&mut tx, &json!(SettingsLayer::default()), &caller.user).await?;
    audit::append(&mut tx, &caller.user, "instance_settings.reset", None, &json!({})).await?;
    tx.commit().await?;
    Ok(web::Json(view(&app, app.defaults(), true)))
}
