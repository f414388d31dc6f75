//! The council's settings: instance defaults, and each user's own layer on top of them.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::field::{FieldError, FieldErrorKind, Fields};
use super::options::{OptionLayer, OptionSettings};
use super::setting::{Key, Kind, ModelGroup, Setting, settings};
use crate::invisible::{is_hidden, is_joiner};
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

settings! {
    /// The settings in force for one user.
    Settings,
    /// One layer of settings: what is absent comes from the layer below.
    SettingsLayer {
        /// The council, 2 to 7 members, in this order.
        council_models: Vec<Member> = Vec::new(), Setting {
            key: Key::Other("models"),
            reference: Some("The members, 2 to 7. An item may be a table `{ model, alias, system_prompt }`. The defaults \
                             are those of `config.default.toml`; a default provider of another kind has none."),
            example: "~openai/gpt-latest, ~anthropic/claude-sonnet-latest",
            required: Some("no built-in council: set council.models, council.chairman and council.title_model \
                            (title_model may be left out: then the chairman does it)"),
            may_review: true,
            ..Setting::of(Kind::Members)
        };
        /// The model that writes the council's answer.
        chairman_model: String = String::new(), Setting {
            key: Key::Other("chairman"),
            example: "~google/gemini-pro-latest",
            required: Some("no built-in chairman: name a model"),
            ..Setting::of(Kind::Model)
        };
        /// The chairman's name on the page.
        chairman_alias: Option<String> = None, Setting { example: "Chair", ..Setting::of(Kind::Name) };
        /// Who writes when the chairman cannot, in this order; the best-ranked member comes last.
        chairman_fallbacks: Vec<String> = Vec::new(), Setting {
            reference: Some("Models that write it when the chairman cannot, in this order."),
            example: "~openai/gpt-latest",
            ..Setting::of(Kind::Fallbacks)
        };
        /// The model that names conversations. By default the chairman, unless there is a built-in one.
        title_model: String = String::new(), Setting {
            example: "~openai/gpt-mini-latest",
            or: Some("chairman_model"),
            ..Setting::of(Kind::Model)
        };
        /// The model for small tasks. By default the chairman, unless there is a built-in one.
        utility_model: String = String::new(), Setting {
            example: "~openai/gpt-mini-latest",
            or: Some("chairman_model"),
            ..Setting::of(Kind::Model)
        };
        /// Whether system prompts are sent with reviews.
        use_system_prompt_stage2: bool = true, Setting::of(Kind::Flag);
        /// Whether system prompts are sent with the chairman's answer.
        use_system_prompt_stage3: bool = true, Setting::of(Kind::Flag);
        /// Whether a member's vote for itself counts.
        count_self_votes: bool = false, Setting::of(Kind::Flag);
    }
    with options: OptionSettings, OptionLayer
    not in the layer {
        /// Sampling per kind of call; absent means the provider's default.
        sampling: BTreeMap<String, Sampling> as BTreeMap<String, Object> = BTreeMap::new(),
            Setting { key: Key::None, ..Setting::of(Kind::PerCall) };
        /// Time limits per kind of call; absent means the built-in ones.
        timeouts: BTreeMap<String, Timeouts> as BTreeMap<String, Object> = BTreeMap::new(),
            Setting { key: Key::None, ..Setting::of(Kind::PerCall) };
        /// The most model calls of one run at once; further ones wait for their turn. 16 never makes a council of
        /// seven wait.
        calls_in_flight: usize = 16, Setting::of(Kind::Number(1, 1_000));
    }
}

impl SettingsLayer {
    /// Reads a layer from a request body. Unknown fields are ignored, as existing clients need.
    ///
    /// # Errors
    /// Every field of a wrong type.
    pub fn parse(body: &Value) -> Result<Self, Vec<FieldError>> {
        let mut fields = Fields::of(body)?;
        let layer = Self::read(&mut fields);
        fields.finish(|| layer)
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
    /// Every setting there is, in the order of their definition.
    #[must_use]
    pub fn all() -> Vec<&'static Setting> {
        Self::default().values().into_iter().map(|(setting, _)| setting).collect()
    }

    /// Everything that is wrong with these settings.
    #[must_use]
    pub fn problems(&self) -> Vec<FieldError> {
        let mut problems = Vec::new();
        for (setting, value) in self.values() {
            problems.extend(value.problems(setting.name, setting.kind));
            problems.extend(setting.rule.map(|rule| rule(self)).unwrap_or_default());
        }
        problems
    }

    /// Every place that names a model.
    pub fn model_groups(&mut self) -> Vec<ModelGroup<'_>> {
        let mut groups: Vec<ModelGroup<'_>> = Vec::new();
        for (setting, value) in self.values_mut() {
            let Some(key) = setting.key().filter(|_| setting.kind != Kind::Name) else { continue };
            let found = value.model_groups(&key);
            match groups.last_mut().filter(|_| setting.same_group) {
                Some(group) => group.extend(found.into_iter().flatten()),
                None => groups.extend(found),
            }
        }
        groups
    }

    /// Every model that may sit in a run: the council's, and those that an option may ask in its place.
    pub fn models_that_may_review(&self) -> impl Iterator<Item = &str> {
        let named = self.values().into_iter().filter(|(setting, _)| setting.may_review);
        named.flat_map(|(_, value)| value.models())
    }

    /// Sampling for one kind of call.
    #[must_use]
    pub fn sampling(&self, purpose: &Purpose) -> Sampling {
        self.sampling.get(purpose.name).copied().unwrap_or_default()
    }

    /// Time limits for one kind of call.
    #[must_use]
    pub fn timeouts(&self, purpose: &Purpose) -> Timeouts {
        self.timeouts.get(purpose.name).copied().unwrap_or_default()
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
                format!("two members are called {:?}; give each its own alias", member.name()),
            ));
        }
    }
    problems
}

/// Everything that is wrong with a list of this kind.
pub(super) fn list_problems(field: &str, kind: Kind, models: &[String]) -> Vec<FieldError> {
    let mut problems = Vec::new();
    if kind == Kind::Fallbacks && models.len() > MAX_MEMBERS {
        problems.push(FieldError::value(field, format!("at most {MAX_MEMBERS} models")));
    }
    // An empty list is none at all: the option it belongs to is not offered.
    if let Kind::Models(least) = kind
        && !models.is_empty()
        && !(least..=MAX_MEMBERS).contains(&models.len())
    {
        let message =
            format!("must name {least} to {MAX_MEMBERS} models, or none; it names {}", models.len());
        problems.push(FieldError::value(field, message));
    }
    let mut seen = BTreeSet::new();
    for (place, model) in models.iter().enumerate() {
        problems.extend(model_problem(&format!("{field}.{place}"), model));
        if !seen.insert(model) && kind != Kind::Fallbacks {
            problems.push(FieldError::value(format!("{field}.{place}"), format!("{model:?} is named twice")));
        }
    }
    problems
}

/// What is wrong with a text of this kind, if anything.
pub(super) fn text_problem(field: &str, kind: Kind, text: &str) -> Option<FieldError> {
    if kind != Kind::Name {
        return model_problem(field, text);
    }
    (!is_a_name(text)).then(|| FieldError::value(field, name_rule()))
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
        && !text.chars().any(|c| c.is_control() || is_hidden(c) || is_joiner(c))
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
            title_model: "c/title".into(),
            utility_model: "c/title".into(),
            ..Settings::default()
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
