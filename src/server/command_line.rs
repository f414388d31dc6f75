//! What commands that answer questions in their own process need from this room: the same plans as over HTTP, for a
//! user who is named on the command line.

use std::collections::BTreeSet;

use serde_json::Value;
use utoipa::PartialSchema as _;
use utoipa::openapi::{RefOr, Schema};

use super::app::App;
use super::asking;
use super::extract::Caller;
use super::presets::MOST_ON_OFFER;
use super::problem::Problem;
use super::runs::MessageRequest;
use super::shape::{self, Message};
use crate::council::Plan;
use crate::council::plan::Context;
use crate::council::prompts::history::Turn;
use crate::council::settings::Settings;
use crate::id::{MessageId, PresetId, RunId, UserId};
use crate::identity::{AuthMethod, Identity};
use crate::runs::ephemeral::EphemeralOutcome;
use crate::store::{StoreError, presets};

/// The user whom a command asks for.
pub struct Asker<'a> {
    app: &'a App,
    caller: Caller,
}

impl<'a> Asker<'a> {
    /// This user, without groups and without an administrator's rights.
    #[must_use]
    pub fn new(app: &'a App, user: UserId) -> Self {
        let identity = Identity {
            user,
            email: None,
            name: None,
            groups: Vec::new(),
            is_admin: false,
            via: AuthMethod::Local,
        };
        Self { app, caller: Caller(identity) }
    }

    /// The plan of a request body in a new conversation.
    ///
    /// # Errors
    /// A sentence for everything that is wrong with it.
    pub async fn plan(&self, body: &Value) -> Result<Plan, Vec<String>> {
        asking::plan(self.app, &self.caller, None, body, None).await.map_err(|problem| problem.sentences())
    }

    /// The settings in force.
    ///
    /// # Errors
    /// Why they cannot be read.
    pub async fn settings(&self) -> Result<Settings, Vec<String>> {
        let settings = self.app.settings(&self.caller.scope()).await;
        settings.map(|(settings, _)| settings).map_err(|problem: Problem| problem.sentences())
    }

    /// The presets on offer, by name.
    ///
    /// # Errors
    /// When the database cannot be asked.
    pub async fn presets(&self) -> Result<Vec<(String, PresetId)>, StoreError> {
        let mut tx = self.app.db.begin(&self.caller.scope()).await?;
        // The user's own come first where everybody's have the same name.
        let mut presets = presets::list(&mut tx, MOST_ON_OFFER, 0).await?;
        presets.sort_by_key(|preset| preset.shared);
        Ok(presets.into_iter().map(|preset| (preset.name, preset.id)).collect())
    }
}

/// The fields that a question over HTTP may have.
#[must_use]
pub fn request_fields() -> BTreeSet<String> {
    match MessageRequest::schema() {
        RefOr::T(Schema::Object(question)) => question.properties.keys().cloned().collect(),
        RefOr::T(_) | RefOr::Ref(_) => BTreeSet::new(),
    }
}

/// The plan of a request body where nothing is kept: by the configured settings, after these turns.
///
/// # Errors
/// A sentence for everything that is wrong with it.
pub fn plan_without_database(app: &App, body: &Value, history: Vec<Turn>) -> Result<Plan, Vec<String>> {
    let settings = app.defaults();
    let options = settings.options.requests.default_options.clone();
    let first = history.is_empty();
    let (search, prompts) = (app.search_context(), app.config.prompts.clone());
    let context = Context { settings, history, first, search, prompts, ..Context::default() };
    let plan = Plan::parse_over(body, &options, context)
        .map(|plan| plan.compared_as(|model| app.models.offers_embeddings(model)));
    let mut problems = app.unknown_providers(body);
    match plan {
        Ok(plan) if problems.is_empty() => return Ok(plan),
        Ok(_) => {}
        Err(wrong) => problems.extend(wrong),
    }
    Err(Problem::from(problems).sentences())
}

/// The settings in force where nothing is kept, as `GET /api/config` would have them.
#[must_use]
pub fn configured(app: &App) -> Value {
    let view = super::settings::view(app, app.defaults(), true);
    serde_json::to_value(view).expect("settings are plain data with string keys")
}

/// An answer that nobody keeps, as `GET /api/conversations/{id}` would have it.
#[must_use]
pub fn answer(run: RunId, message: MessageId, outcome: EphemeralOutcome) -> Value {
    let EphemeralOutcome { status, error, deliberation } = outcome;
    let other_names = Box::new(deliberation.format.other_names(deliberation.stage3.as_ref()));
    let message = Message::Assistant {
        id: message,
        created_at: shape::naive(jiff::Timestamp::now()),
        parent_id: None,
        run_id: Some(run),
        status: Some(status),
        error,
        error_kind: None,
        earlier_runs: Vec::new(),
        brief: None,
        other_names,
        deliberation: Box::new(deliberation),
    };
    serde_json::to_value(message).expect("a message is plain data with string keys")
}
