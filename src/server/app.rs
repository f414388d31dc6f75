//! What every handler needs.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use tokio::sync::Notify;

use crate::attachments::Extractor;
use crate::config::Config;
use crate::council::searching::plan::SearchContext;
use crate::council::settings::{Settings, SettingsLayer};
use crate::identity::Gate;
use crate::llm::Models as _;
use crate::llm::registry::Registry;
use crate::objects::Objects;
use crate::outbox::{push, webhooks};
use crate::runs::Runs;
use crate::search;
use crate::shutdown::Shutdown;
use crate::store::{Db, Scope, Tx, settings};
use crate::telemetry::Telemetry;

use super::descriptors::Descriptors;
use super::problem::Problem;
use super::reviewers::Everybody;
use super::single_calls::SingleCalls;
use super::upload_slots::UploadSlots;

/// The server's parts. Nothing is global: several apps live in one process in the tests.
pub struct App {
    pub config: Arc<Config>,
    pub db: Db,
    pub runs: Runs,
    pub models: Arc<Registry>,
    /// Where large files are, if that is not the database.
    pub objects: Objects,
    pub search: search::Setup,
    pub webhooks: webhooks::Sender,
    /// Where notifications are configured.
    pub push: Option<push::Sender>,
    pub gate: Gate,
    pub shutdown: Shutdown,
    pub telemetry: Arc<Telemetry>,
    pub descriptors: Descriptors,
    pub reviewers: Everybody,
    /// Locked while the providers are checked: one check at a time.
    pub examining: tokio::sync::Mutex<()>,
    /// Reads files in processes of their own.
    pub extractor: Extractor,
    pub uploads: UploadSlots,
    pub single_calls: SingleCalls,
    /// Told when a schedule was made or changed here: it may be due sooner than the one that is waited for.
    pub scheduled: Notify,
    /// When a peer that is not trusted was last logged.
    pub peer_warned_at: Mutex<Option<Instant>>,
}

impl App {
    /// The settings in force for one user: the defaults, the instance's layer, the user's own.
    ///
    /// # Errors
    /// When the database cannot be asked, or holds a layer that cannot be read.
    pub async fn settings(&self, scope: &Scope) -> Result<(Settings, bool), Problem> {
        self.settings_in(&mut self.db.begin(scope).await?).await
    }

    /// Like [`App::settings`], within a transaction of the user's.
    pub async fn settings_in(&self, tx: &mut Tx) -> Result<(Settings, bool), Problem> {
        let layers = settings::layers(tx).await?;
        self.settings_of(layers)
    }

    /// The settings in force, from layers that were read already.
    ///
    /// # Errors
    /// 500 when a stored layer cannot be read.
    pub fn settings_of(&self, layers: settings::Layers) -> Result<(Settings, bool), Problem> {
        let mut settings = self.defaults();
        let is_default = layers.user.is_none();
        for layer in [layers.instance, layers.user].into_iter().flatten() {
            settings = settings.with(&read(layer)?);
        }
        Ok((settings, is_default))
    }

    /// Refuses new work that this server could not finish.
    ///
    /// # Errors
    /// 503 when it has too few file descriptors left.
    pub fn admit(&self) -> Result<(), Problem> {
        if self.descriptors.suffice() {
            return Ok(());
        }
        tracing::warn!("a question is refused: this process has too few file descriptors left");
        Err(Problem::full("this server has as many connections open as it may; try again in a moment"))
    }

    /// What requests that search are read against, where anything can be searched.
    #[must_use]
    pub fn search_context(&self) -> Option<SearchContext> {
        let today = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date().to_string();
        self.models.search_backend().map(|backend| SearchContext { backend, today })
    }
}

/// Reads a stored layer.
///
/// # Errors
/// 500 when it cannot be read: it was validated when it was stored.
pub fn read(layer: serde_json::Value) -> Result<SettingsLayer, Problem> {
    serde_json::from_value(layer).map_err(|error| {
        tracing::error!(%error, "stored settings cannot be read");
        Problem::internal()
    })
}
