//! Default options, from settings and presets, for requests that leave them out.

use serde_json::{Value, json};

use super::Plan;
use super::request::Context;
use crate::council::features;
use crate::council::field::FieldError;
use crate::council::formats::list as formats;
use crate::council::options::rubric::Rubric;
use crate::council::run_event::{Ignored, IgnoredFact};
use crate::council::searching::plan::SearchContext;
use crate::council::setting::RunOptions;
use crate::council::settings::Settings;

/// A request with the options that it leaves out taken from these defaults.
#[must_use]
fn with_defaults(body: &Value, defaults: &RunOptions) -> Value {
    let request = body;
    let mut body = body.clone();
    if let Some(fields) = body.as_object_mut() {
        for (name, value) in defaults {
            let given = fields.get(name).is_some_and(|value| !value.is_null());
            if !given && !features::is_overruled(request, name) {
                fields.insert(name.clone(), value.clone());
            }
        }
    }
    body
}

/// Default options with `newer` on top of them, which also overrule synonymous options.
#[must_use]
pub fn overlaid(mut defaults: RunOptions, newer: RunOptions) -> RunOptions {
    let said = Value::Object(newer.clone());
    defaults.retain(|name, _| !features::is_overruled(&said, name));
    defaults.extend(newer);
    defaults
}

/// Everything that is wrong with these settings, default options included.
#[must_use]
pub fn settings_problems(settings: &Settings) -> Vec<FieldError> {
    let mut problems = settings.problems();
    problems.extend(default_problems(
        settings,
        "default_options",
        &settings.options.requests.default_options,
    ));
    problems
}

/// What is wrong with default options under these settings; `field` is the path of the field that holds them.
#[must_use]
pub fn default_problems(settings: &Settings, field: &str, options: &RunOptions) -> Vec<FieldError> {
    let (known, unknown): (Vec<_>, Vec<_>) =
        options.iter().partition(|(name, _)| features::may_have_default(name));
    let mut problems: Vec<FieldError> = unknown
        .into_iter()
        .map(|(name, _)| FieldError::value(format!("{field}.{name}"), "is no option that can have a default"))
        .collect();
    // Unknown options are dropped, since there may be as many as fit into a body, and what follows is done per format.
    let options: RunOptions = known.into_iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    let mut found: Vec<FieldError> = Vec::new();
    // In every format, since each reads its own.
    let modes = formats::MODES.iter().map(|mode| json!({"mode": mode}));
    for mut request in std::iter::once(json!({})).chain(modes).chain(formats::requests()) {
        request["content"] = json!("?");
        // Whether there is a web search may change at any time.
        let search = Some(SearchContext::any());
        // So may the library.
        let rubric = Some(Rubric::any());
        let context = Context { settings: settings.clone(), search, rubric, ..Context::default() };
        for error in Plan::parse(&with_defaults(&request, &options), context).err().unwrap_or_default() {
            let error = FieldError { field: format!("{field}.{}", error.field), ..error };
            if !found.contains(&error) {
                found.push(error);
            }
        }
    }
    problems.extend(found);
    problems
}

impl Plan {
    /// Reads a request body, with these defaults for the options that it leaves out. A default that does not fit
    /// the request is dropped and listed in [`Plan::ignored`]: no request is refused for a field that it does not
    /// have.
    ///
    /// # Errors
    /// As [`Plan::parse`].
    pub fn parse_over(
        body: &Value,
        defaults: &RunOptions,
        context: Context,
    ) -> Result<Self, Vec<FieldError>> {
        if defaults.is_empty() {
            return Self::parse(body, context);
        }
        let errors = match Self::parse(&with_defaults(body, defaults), context.clone()) {
            Ok(plan) => return Ok(plan),
            Err(errors) => errors,
        };
        let is_given = |name: &str| body.get(name).is_some_and(|value| !value.is_null());
        let mut fitting = defaults.clone();
        let mut unfit = Vec::new();
        for FieldError { field, message, .. } in errors {
            // The error may be inside the default (`rubric.text`).
            let name = field.split('.').next().unwrap_or(&field);
            if !is_given(name) && fitting.remove(name).is_some() {
                unfit.push(Ignored::because(name, IgnoredFact::UnfitDefault { problem: message }));
            }
        }
        let mut plan = Self::parse(&with_defaults(body, &fitting), context)?;
        plan.ignored.extend(unfit);
        Ok(plan)
    }
}
