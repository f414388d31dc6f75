//! Options that a request leaves out, as settings and presets have them.

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

/// Default options with these on top of them, which also overrule what they say in other words.
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

/// What is wrong with default options under these settings; `field` is where they stand.
#[must_use]
pub fn default_problems(settings: &Settings, field: &str, options: &RunOptions) -> Vec<FieldError> {
    let (known, unknown): (Vec<_>, Vec<_>) =
        options.iter().partition(|(name, _)| features::may_have_default(name));
    let mut problems: Vec<FieldError> = unknown
        .into_iter()
        .map(|(name, _)| FieldError::value(format!("{field}.{name}"), "is no option that can have a default"))
        .collect();
    // There may be as many unknown ones as fit into a body, and what follows is done for every format.
    let options: RunOptions = known.into_iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    let mut found: Vec<FieldError> = Vec::new();
    // In every format, since each reads its own.
    let modes = formats::MODES.iter().map(|mode| json!({"mode": mode}));
    for mut request in std::iter::once(json!({})).chain(modes).chain(formats::requests()) {
        request["content"] = json!("?");
        // Whether anything can be searched may change at any time.
        let search = Some(SearchContext::any());
        // So may what is in the library.
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
    /// Reads a request body of which the options that it leaves out are these. One of them that does not
    /// fit this request is left out, which [`Plan::ignored`] tells: nobody is refused for a field that
    /// they have not sent.
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
            // What is wrong may stand inside of the default (`rubric.text`).
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
