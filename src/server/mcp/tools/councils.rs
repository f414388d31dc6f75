//! `list_councils`.

use serde_json::{Map, Value, json};

use super::offer::{Effect, Offer, schema};
use crate::council::budget::Usd;
use crate::council::estimate::{Estimate, Kept};
use crate::council::formats::list::MODES;
use crate::identity::Permission;
use crate::server::asking;
use crate::server::mcp::asker::Asker;
use crate::server::mcp::tool_answer::ToolAnswer;
use crate::server::presets;
use crate::server::problem::Problem;

pub(super) const NAME: &str = "list_councils";

/// The question that is estimated, of a usual length.
const USUAL_QUESTION: &str = "Which of two designs should we take for our service, one database for all tenants or one for \
    each? We have about two hundred tenants, a small team, and expect to grow tenfold within two years.";

pub(super) fn offer() -> Offer {
    let cost = json!({"type": "number", "description": "USD for a usual question; absent when some price is not known."});
    let format = schema(
        json!({
            "format": {"type": "string"},
            "description": {"type": "string"},
            "cost_usd": cost,
            "calls": {"type": "integer"}
        }),
        &["format", "description"],
    );
    let preset = schema(
        json!({
            "preset": {"type": "string"},
            "shared": {"type": "boolean", "description": "Given to everybody by an administrator."},
            "cost_usd": cost,
            "calls": {"type": "integer"},
            "problem": {"type": "string", "description": "Why nothing can be asked with it."}
        }),
        &["preset", "shared"],
    );
    Offer {
        name: NAME,
        title: "List formats and presets",
        description: "Who is in the council, which formats and presets ask_council knows, and what each costs for a question of a \
                      usual length.",
        effect: Effect::Reads,
        input: schema(json!({}), &[]),
        output: schema(
            json!({
                "members": {"type": "array", "items": {"type": "string"}},
                "chairman": {"type": "string"},
                "formats": {"type": "array", "items": format},
                "presets": {"type": "array", "items": preset}
            }),
            &["members", "chairman", "formats", "presets"],
        ),
    }
}

pub(super) async fn call(asker: &Asker) -> Result<ToolAnswer, Problem> {
    asker.caller.may(Permission::Read)?;
    let (settings, _) = asker.app.settings(&asker.caller.scope()).await?;
    let members: Vec<String> =
        settings.council_models.iter().map(|member| member.name().to_owned()).collect();
    let mut formats = Vec::new();
    let mut lines = vec![
        format!("Members: {}. Chairman: {}.", members.join(", "), settings.chairman_model),
        "\nFormats:".to_owned(),
    ];
    for mode in MODES {
        let mut format = json!({"format": mode, "description": description(mode)});
        let cost = cost_of(asker, json!({"mode": mode})).await?;
        lines.push(format!("- {mode}: {}{}", description(mode), said(&cost)));
        add(&mut format, cost);
        formats.push(format);
    }
    let mut presets = Vec::new();
    let on_offer = presets::views(&asker.app, &asker.caller).await?;
    lines.push(if on_offer.is_empty() { "\nThere are no presets." } else { "\nPresets:" }.to_owned());
    for preset in on_offer {
        let cost = cost_of(asker, json!({"preset_id": preset.id})).await?;
        lines.push(format!("- {}{}", preset.name, said(&cost)));
        let mut view = json!({"preset": preset.name, "shared": preset.shared});
        add(&mut view, cost);
        presets.push(view);
    }
    let structured = json!({
        "members": members, "chairman": settings.chairman_model, "formats": formats, "presets": presets
    });
    Ok(ToolAnswer { text: lines.join("\n"), structured })
}

/// What the usual question probably costs this way, or why it cannot be asked.
async fn cost_of(asker: &Asker, how: Value) -> Result<Result<Estimate, String>, Problem> {
    let mut body = how.as_object().cloned().unwrap_or_else(Map::new);
    body.insert("content".to_owned(), json!(USUAL_QUESTION));
    match asking::plan(&asker.app, &asker.caller, None, &Value::Object(body), None).await {
        Ok(plan) => Ok(Ok(asker.app.runs.estimate(&plan, &Kept::default()))),
        Err(problem) if problem.is_about_fields() => Ok(Err(problem.sentences().join("; "))),
        Err(problem) => Err(problem),
    }
}

fn add(view: &mut Value, cost: Result<Estimate, String>) {
    match cost {
        Ok(estimate) => {
            view["calls"] = json!(estimate.calls);
            if let Some(usd) = estimate.whole_cost_usd() {
                view["cost_usd"] = json!(usd);
            }
        }
        Err(problem) => view["problem"] = json!(problem),
    }
}

fn said(cost: &Result<Estimate, String>) -> String {
    match cost {
        Ok(estimate) => match estimate.whole_cost_usd() {
            Some(usd) => format!(" (about {}, {} calls)", Usd(usd), estimate.calls),
            None => format!(" ({} calls, price unknown)", estimate.calls),
        },
        Err(problem) => format!(" (cannot be asked: {problem})"),
    }
}

/// What a format is, for choosing one.
fn description(mode: &str) -> &'static str {
    match mode {
        "debate" => {
            "They state positions, criticise each other by name, answer their critics, and the chairman judges. For \
                     questions with sides."
        }
        "arena" => {
            "Opening statements, rebuttals of everybody by everybody, closing statements, then a conclusion. For \
                    questions where arguments have to be weighed."
        }
        "decomposition" => {
            "A question with several parts is taken apart, the council answers each part, and the answers are \
                            merged. For long questions."
        }
        _ => {
            "They answer independently, review each other blind, and a chairman writes the answer. For most questions."
        }
    }
}
