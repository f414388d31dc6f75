//! What commands ask of this room that answer questions in their own process: the same plans as over HTTP, for a user
//! who is named on the command line.

use std::collections::BTreeSet;

use serde_json::Value;
use utoipa::PartialSchema as _;
use utoipa::openapi::{RefOr, Schema};

use super::app::App;
use super::extract::Caller;
use super::messages;
use super::problem::Problem;
use super::runs::MessageRequest;
use crate::council::Plan;
use crate::council::settings::Settings;
use crate::id::{PresetId, UserId};
use crate::identity::{AuthMethod, Identity};
use crate::store::{StoreError, presets};

/// Whoever a command asks for.
pub struct Asker<'a> {
    app: &'a App,
    caller: Caller,
}

impl<'a> Asker<'a> {
    /// This user, by nobody's groups and without an administrator's rights.
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

    /// What a request body becomes in a new conversation.
    ///
    /// # Errors
    /// A sentence for everything that is wrong with it.
    pub async fn plan(&self, body: &Value) -> Result<Plan, Vec<String>> {
        messages::plan(self.app, &self.caller, None, body).await.map_err(|problem| problem.sentences())
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
        let mut presets = presets::list(&mut tx).await?;
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
