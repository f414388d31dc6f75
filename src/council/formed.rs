//! The final answer in the requested form: its writer is given the form, held to it where the provider can enforce it,
//! and asked once more where the text does not have it.

use super::answer_form::{ANY_OBJECT, AnswerForm, INSTRUCTIONS, OF_CHOICE, OF_SCHEMA, REPAIR};
use super::brief::Brief;
use super::checking::{self, Writing};
use super::prompts::fence::{self, Fence};
use super::prompts::template::{Prompts, Template};
use super::run::Run;
use super::tool_use::joined::Joined;
use crate::llm::{CallError, CallFact, ChatMessage, ChatRequest, Reply};

/// Lets the model write. Where the answer has a form, the reply's text is a document of that form and nothing else,
/// unless it broke off at its token limit: then it is returned as it came.
///
/// # Errors
/// The failure of the call, after retries; or that the text still does not have the form after a second request.
pub async fn write(run: &Run, brief: &Brief, writing: Writing<'_>) -> Result<Reply, CallError> {
    let Some(form) = &brief.form else { return checking::write(run, brief, writing).await };
    let Writing { stage, key, mut request, view } = writing;
    request.schema = Some(form.schema());
    if let Some(last) = request.messages.last_mut() {
        last.content.push_str(&asking_for(run, brief, String::new()));
    }
    let first = Writing { stage: stage.clone(), key, request: request.clone(), view };
    let reply = checking::write(run, brief, first).await?;
    let problem = match form.read(&reply.text) {
        Ok(text) => return Ok(Reply { text, ..reply }),
        Err(_) if reply.finish_reason.as_deref() == Some("length") => return Ok(reply),
        Err(problem) => problem,
    };
    repair(run, brief, form, &Writing { stage, key, request, view }, (reply, &problem)).await
}

/// A prompt that asks for the answer, and for its form where it has one.
#[must_use]
pub fn asking_for(run: &Run, brief: &Brief, prompt: String) -> String {
    with_form(run, brief, prompt, &INSTRUCTIONS)
}

/// A prompt that asks for a choice among drafts, and states their form where they have one.
#[must_use]
pub fn choosing_among(run: &Run, brief: &Brief, prompt: String) -> String {
    with_form(run, brief, prompt, &OF_CHOICE)
}

fn with_form(run: &Run, brief: &Brief, prompt: String, template: &Template) -> String {
    match &brief.form {
        Some(form) => prompt + &form_instruction(form, &brief.prompts, &run.marker(), template),
        None => prompt,
    }
}

/// The instruction on this form for a model that answers alone; `marker` is that of the fences.
#[must_use]
pub fn instructions(form: &AnswerForm, prompts: &Prompts, marker: &str) -> String {
    form_instruction(form, prompts, marker, &INSTRUCTIONS)
}

fn form_instruction(form: &AnswerForm, prompts: &Prompts, marker: &str, template: &Template) -> String {
    prompts.fill(template, &[("shape", &shape(form, prompts, marker))])
}

fn shape(form: &AnswerForm, prompts: &Prompts, marker: &str) -> String {
    match &form.schema {
        None => prompts.text(&ANY_OBJECT).to_owned(),
        Some(schema) => {
            let fenced = Fence::new(marker).verbatim("JSON schema", &schema.to_string());
            prompts.fill(&OF_SCHEMA, &[("schema", &fenced)])
        }
    }
}

/// Asks the writer for the same text in the right form: a short call, with only its own text and not the material.
async fn repair(
    run: &Run,
    brief: &Brief,
    form: &AnswerForm,
    writing: &Writing<'_>,
    (reply, problem): (Reply, &str),
) -> Result<Reply, CallError> {
    let prompt = brief.prompts.fill(
        &REPAIR,
        &[
            ("problem", problem),
            ("text", &Fence::new(&run.marker()).wrap("Your text", &reply.text)),
            ("rule", brief.prompts.text(&fence::RULE)),
            ("shape", &shape(form, &brief.prompts, &run.marker())),
        ],
    );
    let request = ChatRequest { messages: vec![ChatMessage::user(prompt)], ..writing.request.clone() };
    let model = request.model.clone();
    let key = format!("{}/form", writing.key);
    let mut call = run.call(writing.stage.clone(), key, request).of_member(&model).part_of(writing.key);
    if writing.view.is_some() {
        call = call.keeping(&reply.text);
    }
    let mut joined = Joined::default();
    // Reported if the second try does not have the form either.
    let first = reply.text.clone();
    joined.add_turn(Reply { text: String::new(), ..reply });
    let again = match call.send().await {
        Ok(again) => again,
        Err(error) => return Err(joined.fail(error)),
    };
    match form.read(&again.text) {
        Ok(text) => Ok(joined.end(Reply { text, ..again })),
        Err(problem) => {
            let partial = Some(Box::new(Reply { text: first, ..again }));
            Err(joined.fail(CallError { partial, ..CallFact::NotOfForm { problem }.into() }))
        }
    }
}
