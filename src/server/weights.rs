//! What each model's ballot weighs by the caller's earlier runs.

use std::collections::BTreeMap;

use actix_web::{get, web};

use super::app::App;
use super::extract::Caller;
use super::problem::{Problem, ProblemBody};
use crate::council::ranking::weights::{ModelWeight, Weighing, WeightsInfo};
use crate::identity::Permission;
use crate::llm::floats;
use crate::store::analytics;

/// The weights of the caller's models: those of the council, pools and tiers in force, and all that
/// have a record. They are evened out over this list; in a run, over its reviewers. A floating name
/// (`~openai/gpt-latest`) is not among them: the models that answered under it are.
#[utoipa::path(tag = "weights", responses(
    (status = 200, body = WeightsInfo), (status = 401, body = ProblemBody)))]
#[get("/weights")]
pub(super) async fn list(app: web::Data<App>, caller: Caller) -> Result<web::Json<WeightsInfo>, Problem> {
    Ok(web::Json(weights(&app, &caller).await?))
}

/// One model's weight in that list. The id's slashes may stand as they are.
#[utoipa::path(tag = "weights", params(("model" = String, Path)), responses(
    (status = 200, body = ModelWeight), (status = 401, body = ProblemBody), (status = 404, body = ProblemBody)))]
#[get("/weights/{model:.*}")]
pub(super) async fn read(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<web::Json<ModelWeight>, Problem> {
    let mut info = weights(&app, &caller).await?;
    info.weights.remove(path.as_str()).map(web::Json).ok_or_else(|| Problem::not_found("Model"))
}

async fn weights(app: &App, caller: &Caller) -> Result<WeightsInfo, Problem> {
    caller.may(Permission::Read)?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    let (settings, _) = app.settings_in(&mut tx).await?;
    let records = analytics::records(&mut tx).await?;
    let records: BTreeMap<_, _> = records.into_iter().map(|(model, record)| (model, record.into())).collect();
    let known = records.keys().map(String::as_str);
    // Floating names have no weight: the models that have answered under them are in the records.
    let own = settings.models_that_may_review().filter(|model| !floats(model));
    let mut models: Vec<&str> = own.chain(known).collect();
    models.sort_unstable();
    models.dedup();
    Ok(Weighing { records: records.clone() }.weigh(models))
}
