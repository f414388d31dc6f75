//! The council's settings: instance defaults, and each user's own layer on top of them.

use std::collections::BTreeMap;

use serde_json::Value;

use super::field::{FieldError, Fields};
pub use super::member::{MAX_MEMBERS, MIN_MEMBERS, Member};
use super::options::{OptionLayer, OptionSettings};
use super::setting::{Key, Kind, ModelGroup, Setting, settings};
use crate::llm::{Purpose, Sampling, Timeouts};

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
        /// The region that models of Amazon Bedrock are asked in. Saying another one moves those that are named here,
        /// each to its id there; an empty text is the provider's own region.
        region: Option<String> = None, Setting { key: Key::None, ..Setting::of(Kind::Name) };
        /// Whether system prompts are sent with reviews.
        use_system_prompt_stage2: bool = true, Setting::of(Kind::Flag);
        /// Whether system prompts are sent with the chairman's answer.
        use_system_prompt_stage3: bool = true, Setting::of(Kind::Flag);
        /// Whether a member's vote for itself counts as it was cast, or not at all. Left out, it counts corrected by how
        /// much that model has preferred itself before (`self_votes` in a request or among the default options).
        count_self_votes: Option<bool> = None, Setting::of(Kind::Flag);
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
    /// Reads a layer from a request body, and an error for every field of a wrong type. Such fields are left out of the
    /// layer, so that the values of the others can be checked as well. Unknown fields are ignored, as existing clients
    /// need.
    ///
    /// # Errors
    /// When the body is no object.
    pub fn parse(body: &Value) -> Result<(Self, Vec<FieldError>), Vec<FieldError>> {
        let mut fields = Fields::of(body)?;
        let layer = Self::read(&mut fields);
        let errors = match fields.finish(|| layer) {
            Ok(layer) => return Ok((layer, Vec::new())),
            Err(errors) => errors,
        };
        // A list with a wrong item would otherwise be read as a shorter one.
        let mut rest = body.clone();
        if let Some(rest) = rest.as_object_mut() {
            let wrong: Vec<&str> = errors.iter().filter_map(|error| error.field.split('.').next()).collect();
            rest.retain(|name, _| !wrong.contains(&name.as_str()));
        }
        let layer = Self::read(&mut Fields::of(&rest)?);
        Ok((layer, errors))
    }
}

impl Settings {
    /// Every setting, in the order of definition.
    #[must_use]
    pub fn all() -> Vec<&'static Setting> {
        Self::default().values().into_iter().map(|(setting, _)| setting).collect()
    }

    /// Everything that is wrong with these settings except for the default options, which a plan checks
    /// ([`plan::settings_problems`](super::plan::settings_problems)).
    #[must_use]
    pub fn problems(&self) -> Vec<FieldError> {
        let all = self.values();
        let mut problems = Vec::new();
        for (setting, value) in &all {
            problems.extend(value.problems(setting.name, setting.kind));
            problems.extend(setting.rule.map(|rule| rule(&all)).unwrap_or_default());
        }
        problems
    }

    /// Every model that a setting names, with its key in the configuration; within a group no two may be the same.
    pub fn model_groups(&mut self) -> Vec<ModelGroup<'_>> {
        let mut groups: Vec<ModelGroup<'_>> = Vec::new();
        for (setting, value) in self.values_mut() {
            let Some(key) = setting.key().filter(|_| setting.kind.names_models()) else { continue };
            let found = value.model_groups(&key);
            match groups.last_mut().filter(|_| setting.same_group) {
                Some(group) => group.extend(found.into_iter().flatten()),
                None => groups.extend(found),
            }
        }
        groups
    }

    /// Every model that a setting names, by its field in the API (`council_models.1`).
    pub fn named_models(&mut self) -> Vec<(String, &mut String)> {
        let mut named = Vec::new();
        for (setting, value) in self.values_mut() {
            let Some(key) = setting.key().filter(|_| setting.kind.names_models()) else { continue };
            // The placeholder for the words of a table is in angle brackets.
            let words = key.split_once('<').map(|(_, words)| format!(".<{words}")).unwrap_or_default();
            let is_list = !matches!(setting.kind, Kind::Model);
            for group in value.model_groups(&format!("{}{words}", setting.name)) {
                named.extend(
                    group
                        .into_iter()
                        .enumerate()
                        .map(|(at, (key, model))| (if is_list { format!("{key}.{at}") } else { key }, model)),
                );
            }
        }
        named
    }

    /// Every model that may be a member in a run: the council's, and those that an option may ask instead.
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
    fn every_place_of_a_model_has_the_name_of_its_field() {
        let mut settings = settings();
        settings.region = Some("eu-west-1".into());
        let named: Vec<(String, String)> =
            settings.named_models().into_iter().map(|(place, model)| (place, model.clone())).collect();
        let at =
            |place: &str| named.iter().find(|(known, _)| known == place).map(|(_, model)| model.as_str());
        assert_eq!(at("council_models.1"), Some("b/two"));
        assert_eq!((at("chairman_model"), at("utility_model")), (Some("a/one"), Some("c/title")));
        assert!(!named.iter().any(|(_, model)| model == "eu-west-1"));
    }

    #[test]
    fn wrong_types_are_all_named() {
        let body = json!({"council_models": ["a", 7], "chairman_model": 3, "count_self_votes": "yes"});
        let (layer, errors) = SettingsLayer::parse(&body).unwrap();
        assert_eq!(fields(&errors), ["council_models.1", "chairman_model", "count_self_votes"]);
        assert_eq!(layer, SettingsLayer::default());
    }

    #[test]
    fn what_is_of_the_right_type_is_read_beside_what_is_not() {
        let body = json!({"council_models": ["a", 7], "title_model": "two words"});
        let (layer, errors) = SettingsLayer::parse(&body).unwrap();
        assert_eq!(fields(&errors), ["council_models.1"]);
        assert_eq!(fields(&settings().with(&layer).problems()), ["title_model"]);
    }
}
