//! The regions of Amazon Bedrock: which there are, and moving a council from one to another.

use actix_web::{get, web};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::app::App;
use super::extract::Caller;
use super::problem::{Problem, ProblemBody};
use crate::council::field::FieldError;
use crate::council::settings::{Settings, SettingsLayer};
use crate::identity::Permission;
use crate::llm::{Moved, Region, Regions};

/// The regions to choose among.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct RegionList {
    /// The configured provider whose models are asked in regions; null where there is none.
    pub provider: Option<String>,
    /// The caller's region.
    pub region: Option<String>,
    /// The region of everybody who has chosen none.
    pub default: Option<String>,
    /// Empty without such a provider.
    pub regions: Vec<Region>,
}

/// What a change of the region did to the models that the settings name.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct RegionReport {
    pub region: String,
    pub moved: Vec<MovedModel>,
    /// The models that stay as they were, because the region lacks them.
    pub missing: Vec<LackingModel>,
}

/// A model with another id now.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct MovedModel {
    /// The field that names it, such as `council_models.1`.
    pub place: String,
    pub from: String,
    pub to: String,
}

/// A model that the region lacks.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct LackingModel {
    /// The field that names it.
    pub place: String,
    pub model: String,
    /// What is nearest to it there, the nearest first; at most three.
    pub nearest: Vec<String>,
}

/// The regions that models of Amazon Bedrock may be asked in, and the caller's.
#[utoipa::path(tag = "settings", responses((status = 200, body = RegionList), (status = 401, body = ProblemBody)))]
#[get("/settings/regions")]
pub(super) async fn list(app: web::Data<App>, caller: Caller) -> Result<web::Json<RegionList>, Problem> {
    caller.may(Permission::Read)?;
    let Some(Regions { provider, default, regions }) = app.models.regions() else {
        return Ok(web::Json(RegionList {
            provider: None,
            region: None,
            default: None,
            regions: Vec::new(),
        }));
    };
    let (settings, _) = app.settings(&caller.scope()).await?;
    Ok(web::Json(RegionList {
        provider: Some(provider),
        region: Some(settings.region.unwrap_or_else(|| default.clone())),
        default: Some(default),
        regions,
    }))
}

/// A user's or the instance's layer after a change, over the layers below it: where the change sets another region, the
/// models that are then in force are moved there. A region that is not on offer is added to `problems`, like problems
/// with other fields.
///
/// # Errors
/// When the layer cannot be read back.
pub(super) fn moved(
    app: &App,
    own: SettingsLayer,
    mut newer: SettingsLayer,
    below: &Settings,
    problems: &mut Vec<FieldError>,
) -> Result<(SettingsLayer, Option<RegionReport>), Problem> {
    let was = below.with(&own).region;
    let chosen = match newer.region.clone().flatten().map(|said| chosen(app, said.trim())) {
        None => None,
        Some(Ok(chosen)) => chosen,
        Some(Err(message)) => {
            problems.push(FieldError::value("region", message));
            // Nothing more is reported of it.
            newer.region = None;
            None
        }
    };
    let own = own.overlaid(newer);
    let Some(Chosen { region, default }) = chosen else { return Ok((own, None)) };
    if region == was.unwrap_or(default) {
        return Ok((own, None));
    }
    let before = below.with(&own);
    let mut after = before.clone();
    let mut report = RegionReport { region: region.clone(), moved: Vec::new(), missing: Vec::new() };
    for (place, model) in after.named_models() {
        match app.models.moved(model, &region) {
            // Models of other providers stay as they are.
            None => {}
            Some(Moved::To(to)) if to == *model => {}
            Some(Moved::To(to)) => {
                let from = std::mem::replace(model, to.clone());
                report.moved.push(MovedModel { place, from, to });
            }
            Some(Moved::Lacking { nearest }) => {
                report.missing.push(LackingModel { place, model: model.clone(), nearest });
            }
        }
    }
    Ok((own.overlaid(difference(&before, &after)?), Some(report)))
}

/// A region to be asked in.
struct Chosen {
    region: String,
    /// The provider's own.
    default: String,
}

/// The region that a change of the settings means; none where nothing has regions and none is named. Else what is wrong
/// with it.
fn chosen(app: &App, said: &str) -> Result<Option<Chosen>, String> {
    let Some(Regions { default, regions, .. }) = app.models.regions() else {
        let problem = "no provider of this server has regions";
        return if said.is_empty() { Ok(None) } else { Err(problem.to_owned()) };
    };
    // An empty text goes back to the provider's own region.
    let region = if said.is_empty() { default.clone() } else { said.to_owned() };
    if regions.iter().any(|known| known.id == region) {
        return Ok(Some(Chosen { region, default }));
    }
    let known: Vec<&str> = regions.iter().map(|known| known.id.as_str()).collect();
    Err(format!("{region:?} is not a region that may be asked here; there are {}", known.join(", ")))
}

/// The layer that makes one of the other. Values that do not differ are left to the layer that has them.
fn difference(before: &Settings, after: &Settings) -> Result<SettingsLayer, Problem> {
    let fields = |settings: &Settings| match json!(settings.as_layer()) {
        Value::Object(fields) => fields,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Map::new(),
    };
    let (before, after) = (fields(before), fields(after));
    let changed: Map<String, Value> =
        after.into_iter().filter(|(name, value)| before.get(name) != Some(value)).collect();
    serde_json::from_value(Value::Object(changed)).map_err(|error| {
        tracing::error!(%error, "a layer of settings cannot be read back");
        Problem::internal()
    })
}
