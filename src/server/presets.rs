//! Presets: named councils with their options, to save, to apply, and to ask with once.

use actix_web::{delete, get, post, web};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::app::{App, read};
use super::extract::{Body, Caller, id};
use super::page::WholeQuery;
use super::problem::{Problem, ProblemBody};
use super::query::Query;
use super::regions;
use super::settings::{self as settings_routes, ConfigView};
use super::shape::{Status, naive};
use crate::council::field::{FieldError, FieldErrorKind, Fields, name_problem};
use crate::council::plan::{default_problems, overlaid, settings_problems};
use crate::council::setting::RunOptions;
use crate::council::settings::{Settings, SettingsLayer};
use crate::id::PresetId;
use crate::identity::Permission;
use crate::store::{Scope, StoreError, Tx, audit, presets, settings};

/// How many presets one user may have, and how many everybody's there may be.
const MAX_PRESETS: i64 = 100;
/// How many can be on offer to one user: their own, and everybody's.
pub(super) const MOST_ON_OFFER: u32 = 200;
const MAX_NAME_CHARS: usize = 100;

/// What a preset holds, and a project for the questions in it.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Content {
    pub settings: SettingsLayer,
    pub options: RunOptions,
}

/// A preset.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct PresetView {
    pub id: PresetId,
    pub name: String,
    /// Given to everybody by an administrator; the others are the caller's own.
    pub shared: bool,
    /// What it changes of the settings.
    pub settings: SettingsLayer,
    /// What a request's options are with it, where the request leaves them out.
    #[schema(value_type = Object)]
    pub options: RunOptions,
    /// Naive UTC with microseconds.
    pub created_at: String,
    pub updated_at: String,
}

/// The presets on offer to the caller.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct PresetList {
    /// By name; there can be 100 own and 100 shared ones.
    pub presets: Vec<PresetView>,
    /// Over all pages.
    pub total: u64,
}

/// A preset that was saved.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct SavedPreset {
    pub status: Status,
    pub preset: PresetView,
    /// Whether it replaced one of the same name.
    pub updated: bool,
}

/// A preset that was deleted.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct DeletedPreset {
    pub status: Status,
    pub id: PresetId,
}

/// A preset to be saved.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes the fields that are read one by one, to name every wrong one")]
struct PresetRequest {
    name: String,
    /// What it changes; the caller's settings in force when left out.
    settings: Option<SettingsLayer>,
    /// The options of a request that it sets.
    #[schema(value_type = Option<Object>)]
    options: Option<RunOptions>,
    /// For everybody; administrators only.
    #[schema(default = false)]
    shared: Option<bool>,
}

/// What a request says of it.
pub(super) struct PresetInput {
    pub settings: Option<SettingsLayer>,
    pub options: Option<RunOptions>,
}

impl PresetInput {
    /// Reads the fields `settings` and `options`.
    pub(super) fn take(fields: &mut Fields<'_>) -> Self {
        let options: Option<RunOptions> = fields.take("options", "an object of options of a request");
        let given: Option<Value> = fields.take("settings", "an object of settings");
        let settings = given.and_then(|given| {
            let (layer, errors) = match SettingsLayer::parse(&given) {
                Ok((layer, errors)) => (Some(layer), errors),
                Err(errors) => (None, errors),
            };
            fields.refuse_all(errors.into_iter().map(|error| error.under("settings")));
            layer
        });
        Self { settings, options }
    }
}

impl Content {
    /// Refuses everything that is wrong with the preset over these settings, field by field.
    pub(super) fn checked(mut self, app: &App, in_force: &Settings, fields: &mut Fields<'_>) -> Self {
        // The options are checked apart from the settings.
        self.settings.options.requests.default_options = None;
        let mut under = in_force.with(&self.settings);
        under.options.requests.default_options.clear();
        fields.refuse_all(under.problems().into_iter().map(|error| error.under("settings")));
        fields.refuse_all(default_problems(&under, "options", &self.options));
        let unknown = app.unknown_providers(&json!(self.settings));
        fields.refuse_all(unknown.into_iter().map(|error| error.under("settings")));
        let unknown = app.unknown_providers(&json!(self.options));
        fields.refuse_all(unknown.into_iter().map(|error| error.under("options")));
        self
    }
}

fn view(preset: presets::Preset) -> Result<PresetView, Problem> {
    let content = content(preset.value)?;
    Ok(PresetView {
        id: preset.id,
        name: preset.name,
        shared: preset.shared,
        settings: content.settings,
        options: content.options,
        created_at: naive(preset.created_at),
        updated_at: naive(preset.updated_at),
    })
}

pub(super) fn content(value: Value) -> Result<Content, Problem> {
    serde_json::from_value(value).map_err(|error| {
        tracing::error!(%error, "a stored preset, or a project's settings, cannot be read");
        Problem::internal()
    })
}

/// The caller's presets, and everybody's.
#[utoipa::path(tag = "settings", params(WholeQuery), responses(
    (status = 200, body = PresetList), (status = 401, body = ProblemBody), (status = 422, body = ProblemBody)))]
#[get("/settings/presets")]
pub(super) async fn list(
    app: web::Data<App>,
    caller: Caller,
    page: Query<WholeQuery>,
) -> Result<web::Json<PresetList>, Problem> {
    caller.may(Permission::Read)?;
    let (limit, offset) = page.bounds();
    let mut tx = app.db.begin(&caller.scope()).await?;
    let rows = presets::list(&mut tx, limit, offset).await?;
    let total = presets::count(&mut tx).await?;
    Ok(web::Json(PresetList { presets: rows.into_iter().map(view).collect::<Result<_, _>>()?, total }))
}

/// The caller's presets, and everybody's.
///
/// # Errors
/// When the database cannot be asked.
pub(super) async fn views(app: &App, caller: &Caller) -> Result<Vec<PresetView>, Problem> {
    on_offer(app, caller).await?.into_iter().map(view).collect()
}

/// Saves a preset under its name, over one of the same name.
#[utoipa::path(tag = "settings", request_body = PresetRequest, responses(
    (status = 200, body = SavedPreset), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 422, body = ProblemBody)))]
#[post("/settings/presets")]
pub(super) async fn save(
    app: web::Data<App>,
    caller: Caller,
    body: Body,
) -> Result<web::Json<SavedPreset>, Problem> {
    caller.may(Permission::Ask)?;
    let mut fields = Fields::of(&body.0)?;
    let name: Option<String> = fields.take("name", "a string");
    let name = name.map(|name| name.trim().to_owned()).unwrap_or_default();
    if let Some(problem) = name_problem(&name, MAX_NAME_CHARS) {
        fields.refuse("name", FieldErrorKind::Value, problem);
    }
    let shared = fields.take("shared", "true or false").unwrap_or(false);
    let PresetInput { settings, options } = PresetInput::take(&mut fields);
    if shared {
        caller.admin()?;
    }
    let (in_force, _) = app.settings(&caller.scope()).await?;
    let content = Content {
        options: options.unwrap_or_else(|| in_force.options.requests.default_options.clone()),
        settings: settings.unwrap_or_else(|| in_force.as_layer()),
    };
    let content = content.checked(&app, &in_force, &mut fields);
    fields.finish(|| ())?;

    let scope = if shared { Scope::Admin } else { caller.scope() };
    let mut tx = app.db.begin(&scope).await?;
    let value = json!(content);
    let Some((preset, updated)) = presets::save(&mut tx, &name, &value, MAX_PRESETS).await? else {
        let problem = format!("there are {MAX_PRESETS} presets already; delete one first");
        return Err(Problem::field("name", &problem));
    };
    let target = preset.id.to_string();
    audit::append(&mut tx, &caller.user, "preset.save", Some(&target), &json!({"shared": shared})).await?;
    tx.commit().await?;
    Ok(web::Json(SavedPreset { status: Status::Ok, preset: view(preset)?, updated }))
}

/// Makes a preset the caller's own settings and default options; other settings stay as they are.
#[utoipa::path(tag = "settings", params(("id" = String, Path)), responses(
    (status = 200, body = ConfigView), (status = 401, body = ProblemBody), (status = 404, body = ProblemBody),
    (status = 422, body = ProblemBody)))]
#[post("/settings/presets/{id}/apply")]
pub(super) async fn apply(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<web::Json<ConfigView>, Problem> {
    caller.may(Permission::Ask)?;
    let id: PresetId = id(&path, "Preset")?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    let preset = presets::find(&mut tx, id).await.map_err(named)?;
    let content = content(preset.value)?;
    let mut newer = content.settings;
    let unknown = app.unknown_providers(&json!(newer));
    newer.options.requests.default_options = Some(content.options);
    let layers = settings::layers_to_change(&mut tx).await?;
    let below = match layers.instance {
        Some(layer) => app.defaults().with(&read(layer)?),
        None => app.defaults(),
    };
    let own = layers.user.map(read).transpose()?.unwrap_or_default();
    let mut problems = Vec::new();
    let (own, region_report) = regions::moved(&app, own, newer, &below, &mut problems)?;
    let in_force = below.with(&own);
    problems.extend(settings_problems(&in_force));
    problems.extend(unknown);
    if !problems.is_empty() {
        return Err(problems.into());
    }
    settings::save_user(&mut tx, &json!(own)).await?;
    audit::append(&mut tx, &caller.user, "preset.apply", Some(&id.to_string()), &json!({})).await?;
    tx.commit().await?;
    Ok(web::Json(ConfigView { region_report, ..settings_routes::view(&app, in_force, false) }))
}

/// Deletes one of the caller's presets; an administrator also one of everybody's.
#[utoipa::path(tag = "settings", params(("id" = String, Path)), responses(
    (status = 200, body = DeletedPreset), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 404, body = ProblemBody)))]
#[delete("/settings/presets/{id}")]
pub(super) async fn remove(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<web::Json<DeletedPreset>, Problem> {
    caller.may(Permission::Ask)?;
    let id: PresetId = id(&path, "Preset")?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    let shared = presets::find(&mut tx, id).await.map_err(named)?.shared;
    if shared {
        caller.admin()?;
        drop(tx);
        tx = app.db.begin(&Scope::Admin).await?;
    }
    presets::delete(&mut tx, id).await.map_err(named)?;
    let details = json!({"shared": shared});
    audit::append(&mut tx, &caller.user, "preset.delete", Some(&id.to_string()), &details).await?;
    tx.commit().await?;
    Ok(web::Json(DeletedPreset { status: Status::Ok, id }))
}

/// The presets on offer to the caller.
pub(super) async fn on_offer(app: &App, caller: &Caller) -> Result<Vec<presets::Preset>, Problem> {
    Ok(presets::list(&mut app.db.begin(&caller.scope()).await?, MOST_ON_OFFER, 0).await?)
}

/// What a request is read against.
pub(super) struct InForce {
    /// With the preset that the request names, else with those of the project that it is asked in.
    pub settings: Settings,
    /// The defaults for the options that it leaves out: the preset's alone, else the project's before the user's.
    pub options: RunOptions,
    /// What is wrong with the preset itself, or with it, or the project's settings, over these settings.
    pub problems: Vec<FieldError>,
}

/// The settings and the defaults that count for a request, in a project with these of its own.
pub(super) async fn in_force(
    tx: &mut Tx,
    settings: Settings,
    of_project: Option<Content>,
    body: &Value,
) -> Result<InForce, Problem> {
    let options = settings.options.requests.default_options.clone();
    let mut in_force = InForce { settings, options, problems: Vec::new() };
    let Some(named) = body.get("preset_id").filter(|value| !value.is_null()) else {
        if let Some(content) = of_project {
            in_force.settings = in_force.settings.with(&content.settings);
            in_force.options = overlaid(in_force.options, content.options);
            in_force.problems =
                unfit("project_id", "the settings of the project do not fit yours", &in_force.settings);
        }
        return Ok(in_force);
    };
    let preset = match named.as_str().and_then(|text| text.parse::<PresetId>().ok()) {
        None => None,
        Some(id) => match presets::find(tx, id).await {
            Err(StoreError::NotFound) => None,
            found => Some(found?),
        },
    };
    let Some(preset) = preset else {
        in_force.problems.push(FieldError::value("preset_id", "must be the id of a preset of yours"));
        return Ok(in_force);
    };
    let content = content(preset.value)?;
    in_force.settings = in_force.settings.with(&content.settings);
    // Default options in the settings do not count next to a preset's.
    in_force.settings.options.requests.default_options.clear();
    in_force.options = content.options;
    in_force.problems = unfit("preset_id", "does not fit your settings", &in_force.settings);
    Ok(in_force)
}

/// What is wrong with these settings: presets and a project's settings were checked only over the settings of the
/// person who saved them, as they were then. Default options that do not fit are left out of the request.
fn unfit(field: &str, what: &str, settings: &Settings) -> Vec<FieldError> {
    settings
        .problems()
        .into_iter()
        .map(|problem| FieldError::value(field, format!("{what}: {}: {}", problem.field, problem.message)))
        .collect()
}

fn named(error: StoreError) -> Problem {
    Problem::from(error).naming("Preset")
}
