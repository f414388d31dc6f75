//! What searches the web here, whether it works, and how much it is used.

use actix_web::{get, web};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use crate::council::searching::SEARCH;
use crate::llm::{ErrorKind, Models};
use crate::search;
use crate::server::app::App;
use crate::server::days;
use crate::server::extract::Caller;
use crate::server::problem::{Problem, ProblemBody};
use crate::server::query::Query;
use crate::server::shape::naive;
use crate::store::Scope;
use crate::store::usage::{self, PurposeUse};

/// Which days.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
pub(in crate::server) struct SearchQuery {
    /// First day (`2026-11-01`), UTC; 30 days ago when left out.
    from: Option<String>,
    /// Last day, UTC; today when left out. `until` says the same.
    #[serde(alias = "until")]
    to: Option<String>,
}

/// What searches the web, and the results of the searches.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(in crate::server) struct SearchReport {
    /// `tavily`, `searxng`, `model` or `simulated`; null where the web is not searched.
    backend: Option<&'static str>,
    /// What is asked: `search:<backend>`, or the model that searches.
    model: Option<String>,
    /// Whether what it finds is made up.
    simulated: bool,
    /// As far as this server process knows, since it started.
    state: SearchState,
    /// By what was asked, most searches first, over all servers.
    usage: Vec<SearchUsage>,
}

/// Whether it works. Each server process knows its own searches.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(in crate::server) struct SearchState {
    /// When the backend was last checked: at the start of the server. Null for models.
    checked_at: Option<String>,
    /// Why that failed; null where it did not.
    check_failure: Option<SearchFailure>,
    /// When a search last succeeded.
    last_success_at: Option<String>,
    /// The last try of a search that failed.
    last_failure: Option<SearchFailure>,
    /// How much longer searches fail at once, in milliseconds, because too many in a row have failed; null while
    /// they are made.
    paused_ms: Option<u64>,
}

/// Why something failed.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(in crate::server) struct SearchFailure {
    at: String,
    error_kind: ErrorKind,
    /// For people.
    message: String,
    /// The HTTP status, where there was one.
    status: Option<u16>,
}

/// Searches in the ledger, added up.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(in crate::server) struct SearchUsage {
    /// What was asked.
    model: String,
    searches: i64,
    failed_searches: i64,
    /// The sum of the known costs in USD; null when none is known.
    cost_usd: Option<f64>,
    /// Searches whose cost is unknown, and which are therefore not in the sum.
    unpriced_searches: i64,
    /// How long half of the successful ones took at most, in milliseconds.
    median_latency_ms: Option<f64>,
}

impl From<search::Failure> for SearchFailure {
    fn from(failure: search::Failure) -> Self {
        let search::Failure { at, kind, message, status } = failure;
        Self { at: naive(at), error_kind: kind, message, status }
    }
}

impl From<(String, PurposeUse)> for SearchUsage {
    fn from((model, used): (String, PurposeUse)) -> Self {
        Self {
            model,
            searches: used.calls,
            failed_searches: used.failed_calls,
            cost_usd: used.cost_usd,
            unpriced_searches: used.unpriced_calls,
            median_latency_ms: used.median_latency_ms,
        }
    }
}

/// What searches the web here, and how that goes.
#[utoipa::path(tag = "admin", params(SearchQuery), responses(
    (status = 200, body = SearchReport), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 422, body = ProblemBody)))]
#[get("/admin/search")]
pub(in crate::server) async fn report(
    app: web::Data<App>,
    caller: Caller,
    query: Query<SearchQuery>,
) -> Result<web::Json<SearchReport>, Problem> {
    caller.admin()?;
    let today = Timestamp::now().to_zoned(TimeZone::UTC).date();
    let month_ago = today.checked_sub(jiff::Span::new().days(30)).unwrap_or(today);
    let from = days::read("from", query.from.as_deref())?.unwrap_or(month_ago);
    let to = days::read("to", query.to.as_deref())?.unwrap_or(today);
    let span = days::span(Some(from), Some(to), "to")?;
    let mut tx = app.db.begin(&Scope::Admin).await?;
    let rows = usage::of_purpose(&mut tx, SEARCH.name, span).await?;
    drop(tx);
    let backend = app.models.search_backend();
    Ok(web::Json(SearchReport {
        backend: backend.as_ref().map(|backend| backend.name),
        simulated: backend.as_ref().is_some_and(|backend| backend.simulated),
        model: backend.map(|backend| backend.model),
        state: state(&app),
        usage: rows.into_iter().map(SearchUsage::from).collect(),
    }))
}

fn state(app: &App) -> SearchState {
    let known = app.search.snapshot();
    let (checked_at, check_failure) = known.checked.unzip();
    let paused = app.models.search_paused();
    SearchState {
        checked_at: checked_at.map(naive),
        check_failure: check_failure.flatten().map(SearchFailure::from),
        last_success_at: known.last_success.map(naive),
        last_failure: known.last_failure.map(SearchFailure::from),
        paused_ms: paused.and_then(|pause| u64::try_from(pause.as_millis()).ok()),
    }
}
