//! `estimate`.

use serde_json::{Value, json};

use super::offer::{Effect, Offer, schema};
use super::question;
use crate::council::budget::Usd;
use crate::council::field::Fields;
use crate::server::mcp::asker::Asker;
use crate::server::mcp::tool_answer::ToolAnswer;
use crate::server::messages;
use crate::server::problem::Problem;

pub(super) const NAME: &str = "estimate";

pub(super) fn offer() -> Offer {
    Offer {
        name: NAME,
        title: "Estimate what a question costs",
        description: "What ask_council would probably cost with the same arguments, and whether the budgets have room for it. \
                      Nothing is asked, and it costs nothing.",
        effect: Effect::Reads,
        input: schema(Value::Object(question::properties()), &["question"]),
        output: schema(
            json!({
                "cost_usd": {"type": "number", "description": "Of the calls whose price is known; absent when none is."},
                "calls": {"type": "integer", "description": "How many calls of models it would probably take."},
                "unknown_price_models": {
                    "type": "array", "items": {"type": "string"}, "description": "Their calls are not in the sum."
                },
                "refusal": {"type": "string", "description": "Why it would be refused if it were asked now."}
            }),
            &["calls", "unknown_price_models"],
        ),
    }
}

pub(super) async fn call(asker: &Asker, arguments: &Value) -> Result<ToolAnswer, Problem> {
    let mut fields = Fields::of(arguments)?;
    let question = question::read(asker, &mut fields).await?;
    fields.finish(|| ())?;
    let body = Value::Object(question.body);
    let expected = messages::estimate_in(&asker.app, &asker.caller, question.conversation, &body).await?;
    let (estimate, refusal) = (expected.estimate, expected.refusal.map(|refusal| refusal.detail));
    let mut structured =
        json!({"calls": estimate.calls, "unknown_price_models": estimate.unknown_price_models});
    let mut text = match estimate.cost_usd {
        Some(usd) => {
            structured["cost_usd"] = json!(usd);
            format!("About {} for {} calls of models.", Usd(usd), estimate.calls)
        }
        None => format!("{} calls of models; what they cost is not known.", estimate.calls),
    };
    if estimate.cost_usd.is_some() && !estimate.unknown_price_models.is_empty() {
        let models = estimate.unknown_price_models.join(", ");
        text.push_str(&format!(" Not in it, for want of a price: {models}."));
    }
    if let Some(refusal) = refusal {
        text.push_str(&format!(" It would be refused now: {refusal}"));
        structured["refusal"] = json!(refusal);
    }
    Ok(ToolAnswer { text, structured })
}
