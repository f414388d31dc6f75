//! From what is wanted to a bench that can be worked on, with the settings and presets of this moment.

use serde_json::{Value, json};

use super::suite_file::BenchRequest;
use crate::bench::expected;
use crate::bench::stored::Bench;
use crate::bench::suite::{self, Asks, Single, Suite, Variant, VariantSpec};
use crate::council::field::name_problem;
use crate::council::stages::answers;
use crate::id::{BenchId, PresetId, UserId};
use crate::llm::Models as _;
use crate::server::app::App;
use crate::server::command_line::{Asker, request_fields};
use crate::store::benches::{self, BenchRow};
use crate::store::{Scope, StoreError};

/// The most that a bench may cost where nobody says more, in USD.
const MAX_COST_USD: f64 = 1.0;

/// A bench that begins, or that was begun under this name and asked the same; `problems` gets a sentence for
/// everything that is wrong.
///
/// # Errors
/// When the database cannot be asked.
pub(super) async fn begin(
    app: &App,
    user: &UserId,
    request: BenchRequest,
    problems: &mut Vec<String>,
) -> anyhow::Result<Option<Bench>> {
    let name = request.name.as_str();
    if name_problem(name, 100).is_some() {
        problems.push(format!("{name:?} is no name of a bench: 1 to 100 characters"));
    }
    let known = if problems.is_empty() { named(app, user, name).await? } else { None };
    if let Some(row) = known {
        if row.digest == suite::digest(&request.questions, &request.variants, request.judge.as_deref()) {
            let max_cost_usd = request.max_cost_usd.unwrap_or(row.max_cost_usd);
            let bench = Bench::load(&app.db, user, row).await?;
            return Ok(Some(Bench { max_cost_usd, ..bench }));
        }
        problems.push(format!(
            "there is a bench {name:?} that asked something else: choose another --name, or go on with it by --resume {name:?}"
        ));
    }
    let suite = suite(app, user, &request, problems).await?;
    if !problems.is_empty() {
        return Ok(None);
    }
    Ok(Some(Bench {
        id: BenchId::generate(),
        user: user.clone(),
        name: name.to_owned(),
        suite,
        max_cost_usd: request.max_cost_usd.unwrap_or(MAX_COST_USD),
        digest: suite::digest(&request.questions, &request.variants, request.judge.as_deref()),
        questions: request.questions,
        outcomes: Default::default(),
    }))
}

async fn named(app: &App, user: &UserId, name: &str) -> Result<Option<BenchRow>, StoreError> {
    let mut tx = app.db.begin(&Scope::User(user.clone())).await?;
    benches::find_named(&mut tx, name).await
}

/// The bench of this name, as it was begun.
///
/// # Errors
/// When the database cannot be asked, or a newer version began it.
pub(super) async fn resume(
    app: &App,
    user: &UserId,
    name: &str,
    problems: &mut Vec<String>,
) -> anyhow::Result<Option<Bench>> {
    let Some(row) = named(app, user, name).await? else {
        problems.push(format!("{user} has no bench {name:?}"));
        return Ok(None);
    };
    Ok(Some(Bench::load(&app.db, user, row).await?))
}

/// What is compared, with the settings and presets of this moment.
async fn suite(
    app: &App,
    user: &UserId,
    request: &BenchRequest,
    problems: &mut Vec<String>,
) -> anyhow::Result<Suite> {
    let asker = Asker::new(app, user.clone());
    let settings = match asker.settings().await {
        Ok(settings) => settings,
        Err(wrong) => anyhow::bail!("the settings cannot be read: {}", wrong.join("; ")),
    };
    let alone = |model: &String| Single {
        model: model.clone(),
        sampling: settings.sampling(&answers::ANSWER),
        timeouts: settings.timeouts(&answers::ANSWER),
    };
    let presets = asker.presets().await?;
    let mut variants = Vec::new();
    for spec in &request.variants {
        let asks = match &spec.model {
            Some(model) => Asks::Model(alone(model)),
            None => match council(&asker, spec, &presets).await {
                Ok(asks) => asks,
                Err(wrong) => {
                    let named = |problem| format!("variant {:?}: {problem}", spec.name);
                    problems.extend(wrong.into_iter().map(named));
                    continue;
                }
            },
        };
        variants.push(Variant { name: spec.name.clone(), asks });
    }
    let judge = request.judge.as_ref().map(|model| Single { sampling: Default::default(), ..alone(model) });
    let mut suite = Suite { variants, judge, simulated: false };
    let asked = expected::models(&suite);
    let is_unknown =
        |model: &str| !app.models.is_available(model) || app.models.unknown_provider(model).is_some();
    let unknown = asked.iter().filter(|model| is_unknown(model));
    problems.extend(unknown.map(|model| match app.models.nearest(model, &[]) {
        Some(nearest) => format!("there is no model {model:?}; the nearest is {nearest:?}"),
        None => format!("there is no model {model:?}"),
    }));
    suite.simulated = asked.iter().any(|model| app.models.is_simulated(model));
    Ok(suite)
}

async fn council(
    asker: &Asker<'_>,
    spec: &VariantSpec,
    presets: &[(String, PresetId)],
) -> Result<Asks, Vec<String>> {
    let mut problems = Vec::new();
    let known = request_fields();
    let unknown = spec.request.keys().filter(|field| !known.contains(*field));
    problems.extend(unknown.map(|field| format!("{field} is no field of a request")));
    let mut body = spec.request.clone();
    body.insert("content".to_owned(), json!("?"));
    if let Some(wanted) = &spec.preset {
        match presets.iter().find(|(name, _)| name == wanted) {
            Some((_, id)) => drop(body.insert("preset_id".to_owned(), json!(id))),
            None => problems.push(format!("there is no preset {wanted:?}")),
        }
    }
    match asker.plan(&Value::Object(body)).await {
        Ok(plan) if problems.is_empty() => Ok(Asks::Council(Box::new(plan))),
        Ok(_) => Err(problems),
        Err(wrong) => Err(problems.into_iter().chain(wrong).collect()),
    }
}
