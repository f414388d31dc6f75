//! The council's settings: what is in force for the caller, and the caller's own layer.

use actix_web::{get, post, put, web};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::app::{App, read};
use super::attachments::AttachmentLimits;
use super::extract::{Body, Caller};
use super::missing::MissingModel;
use super::problem::{Problem, ProblemBody};
use super::query::Query;
use super::regions::{self, RegionReport};
use crate::config::AuthMode;
use crate::council::formats::list as formats;
use crate::council::options::OptionSettings;
use crate::council::plan::MAX_CONTENT_CHARS;
use crate::council::plan::settings_problems;
use crate::council::prompts::own::OwnPrompt;
use crate::council::ranking::self_votes::SelfVotes;
use crate::council::settings::{MAX_MEMBERS, Member, Settings, SettingsLayer};
use crate::identity::Permission;
use crate::llm::{ModelInfo, ModelList, Models};
use crate::store::{audit, settings};

/// The settings in force, and what this server can do.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ConfigView {
    pub council_models: Vec<Member>,
    /// Their models' ids alone, for clients that know no more of a member. `PUT /api/config` takes them as
    /// `council_models`, too.
    pub council_model_ids: Vec<String>,
    pub chairman_model: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chairman_alias: Option<String>,
    pub chairman_fallbacks: Vec<String>,
    pub title_model: String,
    pub utility_model: String,
    /// The region that models of Amazon Bedrock are asked in; null where no provider has regions.
    pub region: Option<String>,
    /// What a change of the region did: in the answer to the request that made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region_report: Option<RegionReport>,
    pub use_system_prompt_stage2: bool,
    pub use_system_prompt_stage3: bool,
    /// What votes for one's own answer count where a request and its default options do not say.
    pub self_votes: SelfVotes,
    /// `self_votes` as the flag of older clients: whether votes for one's own answer count as they were cast.
    pub count_self_votes: bool,
    #[serde(flatten)]
    pub options: OptionSettings,
    /// Which texts that models are asked with are the administrator's own.
    pub prompts: Vec<OwnPrompt>,
    /// What these settings name that is not on its provider's list.
    pub missing_models: Vec<MissingModel>,
    /// Whether the caller has no settings of their own.
    pub is_default: bool,
    pub features: Features,
    /// Whether the web can be searched here: without, options that search are refused.
    pub web_search_available: bool,
    /// Who is asked then: `tavily`, `searxng`, `model` or `simulated`.
    pub search_provider: Option<&'static str>,
    /// The formats on offer.
    pub modes: Vec<&'static str>,
    #[serde(flatten)]
    pub bounds: formats::Bounds,
    pub limits: Limits,
    /// What may come with a question; absent where no files are taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attachments: Option<AttachmentLimits>,
}

/// What is available here.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Features {
    pub search: bool,
    pub research: bool,
    pub cache: bool,
    /// Whether questions can be asked on a schedule.
    pub schedules: bool,
    #[serde(flatten)]
    pub formats: formats::Available,
    /// Whether people sign in; without, there is one local user.
    pub auth: bool,
    /// Whether any seat of the council in force is played by the simulated provider.
    pub simulated: bool,
}

/// Bounds the web app should know before it sends.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Limits {
    pub max_content_chars: usize,
    pub max_members: usize,
}

pub(super) fn view(app: &App, settings: Settings, is_default: bool) -> ConfigView {
    let simulated = settings
        .council_models
        .iter()
        .map(|member| member.model.as_str())
        .chain([settings.chairman_model.as_str()])
        .any(|model| app.models.is_simulated(model));
    let search = app.models.search_backend();
    ConfigView {
        web_search_available: search.is_some(),
        search_provider: search.as_ref().map(|backend| backend.name),
        prompts: app.config.prompts.all(),
        missing_models: app.missing_models(&settings),
        region: app.models.regions().map(|regions| settings.region.clone().unwrap_or(regions.default)),
        region_report: None,
        council_model_ids: settings.council_models.iter().map(|member| member.model.clone()).collect(),
        council_models: settings.council_models,
        chairman_model: settings.chairman_model,
        chairman_alias: settings.chairman_alias,
        chairman_fallbacks: settings.chairman_fallbacks,
        title_model: settings.title_model,
        utility_model: settings.utility_model,
        use_system_prompt_stage2: settings.use_system_prompt_stage2,
        use_system_prompt_stage3: settings.use_system_prompt_stage3,
        self_votes: settings.count_self_votes.map(SelfVotes::from_flag).unwrap_or_default(),
        count_self_votes: settings.count_self_votes == Some(true),
        options: settings.options,
        is_default,
        features: Features {
            search: search.is_some(),
            research: search.is_some(),
            cache: true,
            schedules: app.config.schedules.max_per_user > 0,
            formats: formats::AVAILABLE,
            auth: app.config.auth.mode == AuthMode::Proxy,
            simulated,
        },
        modes: formats::MODES.to_vec(),
        bounds: formats::bounds(),
        attachments: AttachmentLimits::of(app),
        limits: Limits { max_content_chars: MAX_CONTENT_CHARS, max_members: MAX_MEMBERS },
    }
}

/// The settings in force for the caller.
#[utoipa::path(tag = "settings", responses((status = 200, body = ConfigView), (status = 401, body = ProblemBody)))]
#[get("/config")]
pub(super) async fn show(app: web::Data<App>, caller: Caller) -> Result<web::Json<ConfigView>, Problem> {
    caller.may(Permission::Read)?;
    let (settings, is_default) = app.settings(&caller.scope()).await?;
    Ok(web::Json(view(&app, settings, is_default)))
}

/// Changes the caller's own settings; what is left out stays as it is. All or nothing.
#[utoipa::path(tag = "settings", request_body = SettingsLayer, responses(
    (status = 200, body = ConfigView), (status = 401, body = ProblemBody), (status = 422, body = ProblemBody)))]
#[put("/config")]
pub(super) async fn change(
    app: web::Data<App>,
    caller: Caller,
    body: Body,
) -> Result<web::Json<ConfigView>, Problem> {
    caller.may(Permission::Ask)?;
    let (newer, mut problems) = SettingsLayer::parse(&body.0)?;
    let scope = caller.scope();
    let mut tx = app.db.begin(&scope).await?;
    let layers = settings::layers_to_change(&mut tx).await?;
    let below = match layers.instance {
        Some(layer) => app.defaults().with(&read(layer)?),
        None => app.defaults(),
    };
    let own = layers.user.map(read).transpose()?.unwrap_or_default();
    let (own, region_report) = regions::moved(&app, own, newer, &below, &mut problems)?;
    let in_force = below.with(&own);
    problems.extend(settings_problems(&in_force));
    problems.extend(app.unknown_providers(&body.0));
    if !problems.is_empty() {
        return Err(problems.into());
    }
    settings::save_user(&mut tx, &json!(own)).await?;
    audit::append(&mut tx, &caller.user, "settings.change", None, &json!({})).await?;
    tx.commit().await?;
    Ok(web::Json(ConfigView { region_report, ..view(&app, in_force, false) }))
}

/// Drops the caller's own settings.
#[utoipa::path(tag = "settings", responses((status = 200, body = ConfigView), (status = 401, body = ProblemBody)))]
#[post("/config/reset")]
pub(super) async fn reset(app: web::Data<App>, caller: Caller) -> Result<web::Json<ConfigView>, Problem> {
    caller.may(Permission::Ask)?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    settings::reset_user(&mut tx).await?;
    audit::append(&mut tx, &caller.user, "settings.reset", None, &json!({})).await?;
    tx.commit().await?;
    let (settings, is_default) = app.settings(&caller.scope()).await?;
    Ok(web::Json(view(&app, settings, is_default)))
}

/// Models to choose a council from, by their ids.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct CouncilModels {
    pub models: Vec<String>,
}

/// Suggested models: those that the caller's settings name, the council's first, then those of this server's defaults.
/// `GET /api/models` lists all that can be asked.
#[utoipa::path(tag = "settings", responses((status = 200, body = CouncilModels), (status = 401, body = ProblemBody)))]
#[get("/config/models")]
pub(super) async fn council_models(
    app: web::Data<App>,
    caller: Caller,
) -> Result<web::Json<CouncilModels>, Problem> {
    caller.may(Permission::Read)?;
    let (settings, _) = app.settings(&caller.scope()).await?;
    let mut models: Vec<String> = Vec::new();
    for mut named in [settings, app.defaults()] {
        let council: Vec<String> = named.council_models.iter().map(|member| member.model.clone()).collect();
        let others = named.named_models().into_iter().map(|(_, model)| model.clone());
        for model in council.into_iter().chain(others) {
            if !models.contains(&model) {
                models.push(model);
            }
        }
    }
    Ok(web::Json(CouncilModels { models }))
}

/// Which models to list.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ModelsQuery {
    /// Of Amazon Bedrock those of this region; by default of the caller's.
    region: Option<String>,
}

/// The models on offer, by provider; of Amazon Bedrock those of one region.
#[utoipa::path(tag = "settings", params(ModelsQuery), responses(
    (status = 200, body = ModelList), (status = 401, body = ProblemBody)))]
#[get("/models")]
pub(super) async fn list_models(
    app: web::Data<App>,
    caller: Caller,
    query: Query<ModelsQuery>,
) -> Result<web::Json<ModelList>, Problem> {
    caller.may(Permission::Read)?;
    let list = app.models.models().await;
    let Some(regions) = app.models.regions() else { return Ok(web::Json((*list).clone())) };
    let region = match query.into_inner().region {
        Some(region) => region,
        None => app.settings(&caller.scope()).await?.0.region.unwrap_or(regions.default),
    };
    let is_there = |model: &&ModelInfo| {
        model.provider != regions.provider || model.region.as_ref().is_none_or(|other| *other == region)
    };
    let models = list.models.iter().filter(is_there).cloned().collect();
    Ok(web::Json(ModelList { models, errors: list.errors.clone() }))
}
