//! A check of what this server stands on: configuration, database, sign-in, providers, and each model of the council.

use std::sync::Arc;

use actix_web::{HttpRequest, post, web};
use async_trait::async_trait;
use serde_json::json;

use crate::council::field::{FieldErrorKind, Fields};
use crate::council::member::model_problem;
use crate::council::stage::Stage;
use crate::doctor::{Asker, Database, ExaminationOptions, Report, SeenRequest, Server, examine};
use crate::llm::{CallError, ChatRequest, ErrorKind, Models, Reply};
use crate::runs::{Payer, Runs, StartError};
use crate::server::app::App;
use crate::server::budgets;
use crate::server::extract::{Caller, body_if_any};
use crate::server::problem::{Problem, ProblemBody};
use crate::store::{Scope, audit};

/// The ledger's format and stage for checks.
const CHECK: &str = "check";
const STAGE: Stage = Stage::named(CHECK);

/// The most models in addition to those of the council.
const MAX_MODELS: usize = 50;
/// The most that a check may cost, in USD.
const MAX_COST_USD: f64 = 100.0;

/// What to check. All of it may be left out, and so may the body.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes the fields that are read one by one, to name every wrong one")]
struct CheckRequest {
    /// Models to ask in addition to those of the council, at most 50.
    models: Option<Vec<String>>,
    /// The most that it may cost, in USD. Left out: 0.01, and models of unknown price are asked as well.
    max_cost_usd: Option<f64>,
    /// Ask for streamed replies only.
    stream: Option<bool>,
}

/// Asks in the name of a payer, so that budgets apply and the ledger records it.
struct Paying {
    runs: Runs,
    payer: Payer,
}

#[async_trait]
impl Asker for Paying {
    async fn ask(&self, models: Arc<dyn Models>, request: ChatRequest) -> Result<Reply, CallError> {
        let asked = self.runs.call_once_of(models, self.payer.clone(), CHECK, STAGE, request).await;
        asked.unwrap_or_else(|error| {
            let is_budget = matches!(error, StartError::OverBudget(_));
            let kind = if is_budget { ErrorKind::Budget } else { ErrorKind::Cancelled };
            Err(CallError::new(kind, Problem::from(error).sentences().join("; ")))
        })
    }
}

/// Examines configuration, database, storage and sign-in, reads every provider's list, and asks each model of the
/// council for a word, streamed and whole, and for JSON and a call of a tool where it is said to take these. One
/// check at a time; budgets hold for its calls, and the ledger has them under the format `check`.
#[utoipa::path(tag = "admin", request_body = Option<CheckRequest>, responses(
    (status = 200, body = Report), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
#[post("/admin/providers/check")]
pub(in crate::server) async fn check(
    app: web::Data<App>,
    caller: Caller,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<web::Json<Report>, Problem> {
    caller.admin()?;
    let options = options(&body_if_any(&request, payload).await?)?;
    let _examining = app.examining.try_lock().map_err(|_| Problem::check_under_way())?;
    // Without the database nothing can be paid for, so no model is asked; the rest can still be examined.
    let payer = match budgets::payer(&app, &caller).await {
        Ok(payer) => Some(payer),
        Err(problem) => {
            tracing::warn!(%problem, "the providers are checked without asking models");
            None
        }
    };
    if payer.is_some() {
        let details = json!({"models": options.models, "max_cost_usd": options.max_cost_usd, "stream": options.only_streamed});
        let mut tx = app.db.begin(&Scope::Admin).await?;
        audit::append(&mut tx, &caller.user, "providers.check", None, &details).await?;
        tx.commit().await?;
    }
    let asker = payer.map(|payer| Paying { runs: app.runs.clone(), payer });
    let seen = SeenRequest {
        peer: request.peer_addr().map(|peer| peer.ip()),
        headers: request.headers().keys().map(|name| name.as_str().to_owned()).collect(),
    };
    let local = app.config.database.url.is_none();
    let database = Database::At { options: Box::new(app.db.connect_options()), local };
    let asker = asker.as_ref().map(|asker| asker as &dyn Asker);
    let server = Server {
        config: &app.config,
        gate: &app.gate,
        objects: &app.objects,
        database: &database,
        db: Some(&app.db),
    };
    examine(server, Some(&seen), &options, asker).await.map(web::Json).map_err(|error| {
        tracing::error!(%error, "the providers of this server cannot be set up again");
        Problem::internal()
    })
}

fn options(body: &serde_json::Value) -> Result<ExaminationOptions, Problem> {
    let mut fields = Fields::of(body)?;
    let models: Option<Vec<String>> = fields.take("models", "a list of model ids");
    let max_cost_usd: Option<f64> = fields.take("max_cost_usd", "a number of US dollars");
    let stream: Option<bool> = fields.take("stream", "true or false");
    let models = models.unwrap_or_default();
    if models.len() > MAX_MODELS {
        fields.refuse("models", FieldErrorKind::Value, format!("must be at most {MAX_MODELS} models"));
    }
    for (at, model) in models.iter().enumerate() {
        fields.refuse_all(model_problem(&format!("models.{at}"), model));
    }
    if max_cost_usd.is_some_and(|usd| !(0.0..=MAX_COST_USD).contains(&usd)) {
        let message = format!("must be from 0 to {MAX_COST_USD} US dollars");
        fields.refuse("max_cost_usd", FieldErrorKind::Value, message);
    }
    let options = ExaminationOptions { models, max_cost_usd, only_streamed: stream.unwrap_or(false) };
    Ok(fields.finish(|| options)?)
}
