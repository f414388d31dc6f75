//! The council's settings: instance defaults, and each user's own layer on top of them.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::field::{FieldError, FieldErrorKind, Fields};
use super::option_settings::{OptionLayer, OptionSettings};
use super::plan;
use crate::llm::{Purpose, Sampling, Timeouts};

/// The most members a council may have (labels, orders and the Kemeny search are made for it).
pub const MAX_MEMBERS: usize = 7;
/// The fewest members that can review each other.
pub const MIN_MEMBERS: usize = 2;
const MAX_NAME_CHARS: usize = 200;
const MAX_PROMPT_CHARS: usize = 20_000;

/// A model on the council. In JSON a bare string is accepted as a model id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Member {
    /// `provider:model`, or a bare id for the default provider.
    pub model: String,
    /// The name shown for this seat; needed when the same model sits twice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alias: Option<String>,
    /// A system prompt of this member's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
}

impl Member {
    /// A member without alias or prompt.
    pub fn plain(model: impl Into<String>) -> Self {
        Self { model: model.into(), alias: None, system_prompt: None }
    }

    /// The seat's name, unique in its council: the alias, else the model id.
    #[must_use]
    pub fn name(&self) -> &str {
        self.alias.as_deref().unwrap_or(&self.model)
    }
}

impl<'de> Deserialize<'de> for Member {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Shape {
            Id(String),
            Full { model: String, alias: Option<String>, system_prompt: Option<String> },
        }
        let given = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        Ok(match Shape::deserialize(deserializer)? {
            Shape::Id(model) => Self::plain(model),
            Shape::Full { model, alias, system_prompt } => Self {
                model,
                alias: given(alias).map(|alias| alias.trim().to_owned()),
                system_prompt: given(system_prompt),
            },
        })
    }
}

/// The settings in force for one user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Settings {
    /// The council, 2 to 7 members, in this order.
    pub council_models: Vec<Member>,
    /// The model that writes the final answer.
    pub chairman_model: String,
    /// The chairman's shown name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chairman_alias: Option<String>,
    /// Who writes when the chairman fails, in this order; the best-ranked member comes last.
    #[serde(default)]
    pub chairman_fallbacks: Vec<String>,
    /// The model that titles conversations.
    pub title_model: String,
    /// A fast model for small questions about the question.
    pub utility_model: String,
    /// Whether members' own prompts apply in review.
    #[serde(default = "yes")]
    pub use_system_prompt_stage2: bool,
    /// Whether the chairman's own prompt, if it is a member, applies in synthesis.
    #[serde(default = "yes")]
    pub use_system_prompt_stage3: bool,
    /// Whether a reviewer's vote for its own answer counts in the headline.
    #[serde(default)]
    pub count_self_votes: bool,
    /// What the options of a run are set to.
    #[serde(flatten)]
    pub options: OptionSettings,
    /// Sampling per kind of call; absent means the provider's default.
    #[serde(default)]
    #[schema(value_type = BTreeMap<String, Object>)]
    pub sampling: BTreeMap<Purpose, Sampling>,
    /// Time limits per kind of call; absent means the built-in ones.
    #[serde(default)]
    #[schema(value_type = BTreeMap<String, Object>)]
    pub timeouts: BTreeMap<Purpose, Timeouts>,
    /// How many model calls of one run are in flight at once; further ones wait for their turn.
    #[serde(default = "calls_in_flight")]
    pub calls_in_flight: usize,
}

fn yes() -> bool {
    true
}

/// A council of seven, its late answers and the title fit into it.
fn calls_in_flight() -> usize {
    16
}

/// One layer of settings: what is absent comes from the layer below.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct SettingsLayer {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub council_models: Option<Vec<Member>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chairman_model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chairman_alias: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chairman_fallbacks: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title_model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub utility_model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub use_system_prompt_stage2: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub use_system_prompt_stage3: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count_self_votes: Option<bool>,
    #[serde(flatten)]
    pub options: OptionLayer,
}

impl SettingsLayer {
    /// Reads a layer from a request body. Unknown fields are ignored, as existing clients need.
    ///
    /// # Errors
    /// Every field of a wrong type.
    pub fn parse(body: &Value) -> Result<Self, Vec<FieldError>> {
        let mut fields = Fields::of(body)?;
        let flag = "true or false";
        let layer = Self {
            council_models: members(&mut fields, "council_models"),
            chairman_model: fields.take("chairman_model", "a model id"),
            chairman_alias: fields.take("chairman_alias", "a string"),
            chairman_fallbacks: fields.take("chairman_fallbacks", "a list of model ids"),
            title_model: fields.take("title_model", "a model id"),
            utility_model: fields.take("utility_model", "a model id"),
            use_system_prompt_stage2: fields.take("use_system_prompt_stage2", flag),
            use_system_prompt_stage3: fields.take("use_system_prompt_stage3", flag),
            count_self_votes: fields.take("count_self_votes", flag),
            options: OptionLayer::parse(&mut fields),
        };
        fields.finish(|| layer)
    }

    /// This layer with `newer` on top of it.
    #[must_use]
    pub fn overlaid(self, newer: Self) -> Self {
        Self {
            council_models: newer.council_models.or(self.council_models),
            chairman_model: newer.chairman_model.or(self.chairman_model),
            chairman_alias: newer.chairman_alias.or(self.chairman_alias),
            chairman_fallbacks: newer.chairman_fallbacks.or(self.chairman_fallbacks),
            title_model: newer.title_model.or(self.title_model),
            utility_model: newer.utility_model.or(self.utility_model),
            use_system_prompt_stage2: newer.use_system_prompt_stage2.or(self.use_system_prompt_stage2),
            use_system_prompt_stage3: newer.use_system_prompt_stage3.or(self.use_system_prompt_stage3),
            count_self_votes: newer.count_self_votes.or(self.count_self_votes),
            options: self.options.overlaid(newer.options),
        }
    }
}

/// Reads a list of members, naming each malformed seat.
pub(super) fn members(fields: &mut Fields<'_>, field: &str) -> Option<Vec<Member>> {
    let seats: Vec<Value> = fields.take(field, "a list of models")?;
    let mut members = Vec::with_capacity(seats.len());
    for (seat, value) in seats.iter().enumerate() {
        match Member::deserialize(value) {
            Ok(member) => members.push(member),
            Err(_) => fields.refuse(
                format!("{field}.{seat}"),
                FieldErrorKind::Type,
                "must be a model id or {model, alias?, system_prompt?}",
            ),
        }
    }
    Some(members)
}

impl Settings {
    /// These settings with a layer on top of them.
    #[must_use]
    pub fn with(&self, layer: &SettingsLayer) -> Self {
        let layer = layer.clone();
        Self {
            council_models: layer.council_models.unwrap_or_else(|| self.council_models.clone()),
            chairman_model: layer.chairman_model.unwrap_or_else(|| self.chairman_model.clone()),
            chairman_alias: layer
                .chairman_alias
                .or_else(|| self.chairman_alias.clone())
                .filter(|alias| !alias.trim().is_empty()),
            chairman_fallbacks: layer.chairman_fallbacks.unwrap_or_else(|| self.chairman_fallbacks.clone()),
            title_model: layer.title_model.unwrap_or_else(|| self.title_model.clone()),
            utility_model: layer.utility_model.unwrap_or_else(|| self.utility_model.clone()),
            use_system_prompt_stage2: layer.use_system_prompt_stage2.unwrap_or(self.use_system_prompt_stage2),
            use_system_prompt_stage3: layer.use_system_prompt_stage3.unwrap_or(self.use_system_prompt_stage3),
            count_self_votes: layer.count_self_votes.unwrap_or(self.count_self_votes),
            options: self.options.with(layer.options),
            sampling: self.sampling.clone(),
            timeouts: self.timeouts.clone(),
            calls_in_flight: self.calls_in_flight,
        }
    }

    /// These settings as a layer that names every one a user may change.
    #[must_use]
    pub fn as_layer(&self) -> SettingsLayer {
        SettingsLayer {
            council_models: Some(self.council_models.clone()),
            chairman_model: Some(self.chairman_model.clone()),
            // An empty alias takes away the one of the layer below.
            chairman_alias: Some(self.chairman_alias.clone().unwrap_or_default()),
            chairman_fallbacks: Some(self.chairman_fallbacks.clone()),
            title_model: Some(self.title_model.clone()),
            utility_model: Some(self.utility_model.clone()),
            use_system_prompt_stage2: Some(self.use_system_prompt_stage2),
            use_system_prompt_stage3: Some(self.use_system_prompt_stage3),
            count_self_votes: Some(self.count_self_votes),
            options: self.options.as_layer(),
        }
    }

    /// Everything that is wrong with these settings.
    #[must_use]
    pub fn problems(&self) -> Vec<FieldError> {
        let mut problems = member_problems("council_models", &self.council_models);
        for (field, model) in [
            ("chairman_model", &self.chairman_model),
            ("title_model", &self.title_model),
            ("utility_model", &self.utility_model),
        ] {
            problems.extend(model_problem(field, model));
        }
        for (seat, model) in self.chairman_fallbacks.iter().enumerate() {
            problems.extend(model_problem(&format!("chairman_fallbacks.{seat}"), model));
        }
        if self.chairman_fallbacks.len() > MAX_MEMBERS {
            problems.push(FieldError::value("chairman_fallbacks", format!("at most {MAX_MEMBERS} models")));
        }
        if self.chairman_alias.as_deref().is_some_and(|alias| !is_a_name(alias)) {
            problems.push(FieldError::value("chairman_alias", name_rule()));
        }
        problems.extend(self.options.problems());
        problems.extend(plan::default_problems(self, "default_options", &self.options.default_options));
        problems
    }

    /// Every model that may sit in a run: the council, the pools and the tiers.
    pub fn models_that_may_review(&self) -> impl Iterator<Item = &str> {
        let council = self.council_models.iter().map(|member| &member.model);
        let pools = self.options.routing_pools.values().flatten();
        let tiers = self.options.tier1_models.iter().chain(&self.options.tier2_models);
        council.chain(pools).chain(tiers).map(String::as_str)
    }

    /// Sampling for one kind of call.
    #[must_use]
    pub fn sampling(&self, purpose: Purpose) -> Sampling {
        self.sampling.get(&purpose).copied().unwrap_or_default()
    }

    /// Time limits for one kind of call.
    #[must_use]
    pub fn timeouts(&self, purpose: Purpose) -> Timeouts {
        self.timeouts.get(&purpose).copied().unwrap_or_default()
    }
}

/// Everything that is wrong with a council of these members.
pub(super) fn member_problems(field: &str, members: &[Member]) -> Vec<FieldError> {
    let mut problems = Vec::new();
    if !(MIN_MEMBERS..=MAX_MEMBERS).contains(&members.len()) {
        problems.push(FieldError::value(
            field,
            format!("a council has {MIN_MEMBERS} to {MAX_MEMBERS} members; this one has {}", members.len()),
        ));
    }
    for (seat, member) in members.iter().enumerate() {
        problems.extend(model_problem(&format!("{field}.{seat}.model"), &member.model));
        if member.alias.as_deref().is_some_and(|alias| !is_a_name(alias)) {
            problems.push(FieldError::value(format!("{field}.{seat}.alias"), name_rule()));
        }
        let is_wrong = |prompt: &str| prompt.chars().count() > MAX_PROMPT_CHARS || prompt.contains('\0');
        if member.system_prompt.as_deref().is_some_and(is_wrong) {
            problems.push(FieldError::value(
                format!("{field}.{seat}.system_prompt"),
                format!("at most {MAX_PROMPT_CHARS} characters, and no U+0000"),
            ));
        }
        if members[..seat].iter().any(|earlier| earlier.name() == member.name()) {
            problems.push(FieldError::value(
                format!("{field}.{seat}"),
                format!("two seats are called {:?}; give each its own alias", member.name()),
            ));
        }
    }
    problems
}

/// What is wrong with a model id, if anything.
pub(super) fn model_problem(field: &str, model: &str) -> Option<FieldError> {
    (!is_a_name(model) || model.contains(char::is_whitespace)).then(|| {
        FieldError::value(
            field,
            format!(
                "must be a model id: 1 to {MAX_NAME_CHARS} characters without spaces or control characters"
            ),
        )
    })
}

fn is_a_name(text: &str) -> bool {
    !text.trim().is_empty()
        && text.chars().count() <= MAX_NAME_CHARS
        && !text.chars().any(|c| c.is_control() || is_invisible(c))
}

/// Zero-width and bidirectional format characters, which make two names look like one.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

fn name_rule() -> String {
    format!("must be 1 to {MAX_NAME_CHARS} characters without control or invisible characters")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn settings() -> Settings {
        Settings {
            council_models: vec![Member::plain("a/one"), Member::plain("b/two")],
            chairman_model: "a/one".into(),
            chairman_alias: None,
            chairman_fallbacks: vec![],
            title_model: "c/title".into(),
            utility_model: "c/title".into(),
            use_system_prompt_stage2: true,
            use_system_prompt_stage3: true,
            count_self_votes: false,
            options: OptionSettings::default(),
            sampling: BTreeMap::new(),
            timeouts: BTreeMap::new(),
            calls_in_flight: calls_in_flight(),
        }
    }

    fn fields(problems: &[FieldError]) -> Vec<&str> {
        problems.iter().map(|problem| problem.field.as_str()).collect()
    }

    #[test]
    fn every_wrong_field_is_named_at_once() {
        let layer = SettingsLayer {
            council_models: Some(vec![Member::plain("")]),
            chairman_model: Some("two words".into()),
            title_model: Some(String::new()),
            ..SettingsLayer::default()
        };
        let problems = settings().with(&layer).problems();
        assert_eq!(
            fields(&problems),
            ["council_models", "council_models.0.model", "chairman_model", "title_model"]
        );
    }

    #[test]
    fn wrong_types_are_all_named() {
        let body = json!({"council_models": ["a", 7], "chairman_model": 3, "count_self_votes": "yes"});
        let errors = SettingsLayer::parse(&body).unwrap_err();
        assert_eq!(fields(&errors), ["council_models.1", "chairman_model", "count_self_votes"]);
    }

    #[test]
    fn the_same_model_sits_twice_only_under_two_names() {
        let twice = vec![Member::plain("a/one"), Member::plain("a/one")];
        assert_eq!(fields(&member_problems("m", &twice)), ["m.1"]);
        let named = vec![
            Member { alias: Some("optimist".into()), ..Member::plain("a/one") },
            Member { alias: Some("sceptic".into()), ..Member::plain("a/one") },
        ];
        assert!(member_problems("m", &named).is_empty());
    }

    #[test]
    fn a_bare_string_is_a_member() {
        let member: Member = serde_json::from_value(json!("openai/gpt-5.1")).unwrap();
        assert_eq!(member, Member::plain("openai/gpt-5.1"));
    }
}
