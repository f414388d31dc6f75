//! What the options that better a draft are set to, for clients that show it before they ask.

use actix_web::{get, web};
use serde::Serialize;

use super::app::App;
use super::extract::Caller;
use super::problem::{Problem, ProblemBody};
use crate::council::options::adversary;
use crate::council::options::adversary::severity::{NO_ISSUES, Severity};
use crate::council::options::refinement::critique::{PRAISE, PRAISE_CHARS};
use crate::council::options::refinement::{DEFAULT_ITERATIONS, MAX_ITERATIONS, MIN_SUBSTANTIVE};
use crate::identity::Permission;

/// How a draft is refined.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct RefinementConfig {
    /// The iterations at most, where the request does not say.
    pub default_max_iterations: u8,
    /// The most that a request may ask for; 1 is the least.
    pub max_iterations_limit: u8,
    /// How many critiques that name faults it takes for a revision.
    pub min_critiques_for_revision: usize,
    /// What critics say who found nothing. A critique with one of these, without a word that faults
    /// are told with, and shorter than `non_substantive_below_chars`, is praise.
    pub non_substantive_phrases: Vec<&'static str>,
    pub non_substantive_below_chars: usize,
    /// Who criticises: the caller's council.
    pub critic_models: Vec<String>,
    /// Who writes the draft and revises it, unless it fails and another one writes.
    pub chairman_model: String,
}

/// How an answer is attacked.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct AdversaryConfig {
    /// Who attacks, by the caller's settings.
    pub adversary_model: String,
    /// Every severity, the gravest first.
    pub severity_levels: Vec<Severity>,
    /// Those after which the answer is revised.
    pub revision_threshold: Vec<Severity>,
    /// What an attack says that found nothing; looked for where it states no severity.
    pub no_issues_phrases: Vec<&'static str>,
}

/// How a draft is refined for the caller.
#[utoipa::path(tag = "settings", responses(
    (status = 200, body = RefinementConfig), (status = 401, body = ProblemBody)))]
#[get("/refinement/config")]
pub(super) async fn refinement_config(
    app: web::Data<App>,
    caller: Caller,
) -> Result<web::Json<RefinementConfig>, Problem> {
    caller.may(Permission::Read)?;
    let (settings, _) = app.settings(&caller.scope()).await?;
    Ok(web::Json(RefinementConfig {
        default_max_iterations: DEFAULT_ITERATIONS,
        max_iterations_limit: MAX_ITERATIONS,
        min_critiques_for_revision: MIN_SUBSTANTIVE,
        non_substantive_phrases: PRAISE.to_vec(),
        non_substantive_below_chars: PRAISE_CHARS,
        critic_models: settings.council_models.into_iter().map(|member| member.model).collect(),
        chairman_model: settings.chairman_model,
    }))
}

/// How an answer is attacked for the caller.
#[utoipa::path(tag = "settings", responses(
    (status = 200, body = AdversaryConfig), (status = 401, body = ProblemBody)))]
#[get("/adversary/config")]
pub(super) async fn adversary_config(
    app: web::Data<App>,
    caller: Caller,
) -> Result<web::Json<AdversaryConfig>, Problem> {
    caller.may(Permission::Read)?;
    let (settings, _) = app.settings(&caller.scope()).await?;
    Ok(web::Json(AdversaryConfig {
        adversary_model: adversary::model(&settings).to_owned(),
        severity_levels: Severity::ALL.to_vec(),
        revision_threshold: Severity::ALL.into_iter().filter(|severity| severity.is_grave()).collect(),
        no_issues_phrases: NO_ISSUES.to_vec(),
    }))
}
