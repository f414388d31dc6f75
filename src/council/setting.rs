//! What a setting is. Each is defined once, with [`settings!`], in the file of the option that it belongs to: its
//! type, its default, its bounds, its key in the configuration and its description. The settings in force, the
//! layers of admins and users, the API's schema, the checks, and the configuration's keys and reference are all made
//! from that.

use std::collections::{BTreeMap, BTreeSet};

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::field::{FieldError, FieldErrorKind, Fields};
use super::member::{
    MAX_MEMBERS, Member, is_a_name, member_problems, members, model_problem, name_rule, reviewer_problems,
    too_long,
};
use crate::llm::{Sampling, Timeouts};

/// Default options of runs, by the names of the request's fields.
pub type RunOptions = serde_json::Map<String, Value>;

/// Models of which no two may be the same, each with its key in the configuration.
pub type ModelGroup<'s> = Vec<(String, &'s mut String)>;

/// What the value of a setting may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    Flag,
    /// A whole number, both bounds included.
    Number(u64, u64),
    /// A number, both bounds included.
    Decimal(f64, f64),
    /// A name for people.
    Name,
    Model,
    /// A model that makes vectors of texts, and so is not on the lists of models that answer.
    EmbeddingModel,
    /// At least this many different models, or none.
    Models(usize),
    /// Models to be tried one after the other.
    Fallbacks,
    Members,
    /// Models that review, or none.
    Reviewers,
    /// A table with a list of models under each of these words.
    ModelsUnder(&'static [&'static str]),
    /// Options of a request.
    Options,
    /// A value for each kind of call. The configuration has separate keys for the parts.
    PerCall,
}

impl Kind {
    /// What the JSON has to be, for the error message about anything else.
    #[must_use]
    pub fn expected(self) -> String {
        match self {
            Self::Flag => "true or false".to_owned(),
            Self::Number(..) => "a whole number".to_owned(),
            Self::Decimal(..) => "a number".to_owned(),
            Self::Name => "a string".to_owned(),
            Self::Model | Self::EmbeddingModel => "a model id".to_owned(),
            Self::Models(_) | Self::Fallbacks => "a list of model ids".to_owned(),
            Self::Members | Self::Reviewers => "a list of models".to_owned(),
            Self::ModelsUnder(words) => {
                let (last, others) = words.split_last().expect("a table has words");
                format!("lists of model ids under {} or {last}", others.join(", "))
            }
            Self::Options => "an object of options of a request".to_owned(),
            Self::PerCall => "an object".to_owned(),
        }
    }

    /// Whether its values are models that may be asked for an answer.
    #[must_use]
    pub fn names_models(self) -> bool {
        !matches!(self, Self::Name | Self::EmbeddingModel)
    }

    /// Both bounds of a number.
    fn bounds(self) -> Option<(f64, f64)> {
        match self {
            #[expect(clippy::cast_precision_loss, reason = "bounds are small")]
            Self::Number(low, high) => Some((low as f64, high as f64)),
            Self::Decimal(low, high) => Some((low, high)),
            Self::Flag
            | Self::Name
            | Self::Model
            | Self::EmbeddingModel
            | Self::Models(_)
            | Self::Fallbacks
            | Self::Members
            | Self::Reviewers
            | Self::ModelsUnder(_)
            | Self::Options
            | Self::PerCall => None,
        }
    }
}

/// Where a setting stands in the configuration.
#[derive(Debug, Clone, Copy)]
pub enum Key {
    /// Under `council`, by the setting's name.
    Usual,
    /// Under `council`, by another name. The placeholder for the words of [`Kind::ModelsUnder`] is in angle brackets.
    Other(&'static str),
    /// Elsewhere, by this key.
    At(&'static str),
    /// Nowhere.
    None,
}

/// One setting: everything about it except its type.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// Its field in the API and in stored settings.
    pub name: &'static str,
    pub kind: Kind,
    pub key: Key,
    /// The value where no layer sets one.
    pub default: fn() -> Value,
    /// The lines of its description.
    pub about: &'static [&'static str],
    /// Its text in the configuration's reference, where that is not its description.
    pub reference: Option<&'static str>,
    pub example: &'static str,
    /// The name of the setting that the configuration falls back to where this one is absent.
    pub or: Option<&'static str>,
    /// Why it must be set, where the default provider has none built in: "the provider … has …".
    pub required: Option<&'static str>,
    /// Whether the models that it names may answer, and therefore review.
    pub may_review: bool,
    /// Whether its models form one group with those of the setting before it.
    pub same_group: bool,
    pub rule: Option<Rule>,
}

impl Setting {
    /// A setting of this kind, with nothing else specified. [`settings!`] adds its name, description and
    /// default.
    #[must_use]
    pub const fn of(kind: Kind) -> Self {
        Self {
            name: "",
            kind,
            key: Key::Usual,
            default: || Value::Null,
            about: &[],
            reference: None,
            example: "",
            or: None,
            required: None,
            may_review: false,
            same_group: false,
            rule: None,
        }
    }

    /// Its key in the configuration.
    #[must_use]
    pub fn key(&self) -> Option<String> {
        match self.key {
            Key::Usual => Some(format!("council.{}", self.name)),
            Key::Other(key) => Some(format!("council.{key}")),
            Key::At(key) => Some(key.to_owned()),
            Key::None => None,
        }
    }

    /// Its text in the configuration's reference.
    #[must_use]
    pub fn reference(&self) -> String {
        self.reference.map_or_else(|| self.description(), str::to_owned)
    }

    fn description(&self) -> String {
        self.about.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ")
    }

    /// Its description in the API's schema if it has bounds, which are added to the end.
    pub(super) fn bounded_description(&self) -> Option<String> {
        let (low, high) = self.kind.bounds()?;
        Some(format!("{}; {low} to {high}.", self.description().trim_end_matches('.')))
    }
}

/// Checks a setting against the others, which are all given; returns what is wrong.
pub type Rule = fn(&[Valued<'_>]) -> Vec<FieldError>;
/// A setting and its value.
pub type Valued<'v> = (&'static Setting, &'v dyn SettingValue);
/// A setting and its value, to be changed.
pub type ValuedMut<'v> = (&'static Setting, &'v mut dyn SettingValue);

/// The value of a setting, whatever its type.
pub trait SettingValue {
    /// Reads it from a request; a wrong value is recorded and read as `None`.
    fn read(fields: &mut Fields<'_>, name: &str, kind: Kind) -> Option<Self>
    where
        Self: Sized + DeserializeOwned,
    {
        fields.take(name, &kind.expected())
    }

    /// The value that a layer needs to put this one in force.
    #[must_use]
    fn said(&self) -> Self
    where
        Self: Sized + Clone,
    {
        self.clone()
    }

    /// The value in force if a layer has this one.
    #[must_use]
    fn meant(self) -> Self
    where
        Self: Sized,
    {
        self
    }

    /// What is wrong with the value by itself.
    fn problems(&self, _field: &str, _kind: Kind) -> Vec<FieldError> {
        Vec::new()
    }

    /// The models that it names.
    fn models(&self) -> Vec<&str> {
        Vec::new()
    }

    /// The models that it names, in groups, under this key of the configuration.
    fn model_groups(&mut self, _key: &str) -> Vec<ModelGroup<'_>> {
        Vec::new()
    }
}

impl SettingValue for bool {}
impl SettingValue for Option<bool> {}
impl SettingValue for RunOptions {}
impl SettingValue for BTreeMap<String, Sampling> {}
impl SettingValue for BTreeMap<String, Timeouts> {}

/// Everything that is wrong with a list of this kind.
pub(super) fn list_problems(field: &str, kind: Kind, models: &[String]) -> Vec<FieldError> {
    let mut problems = Vec::new();
    if kind == Kind::Fallbacks && models.len() > MAX_MEMBERS {
        problems.push(FieldError::value(field, format!("at most {MAX_MEMBERS} models")));
    }
    // An empty list is allowed: the option that it belongs to is then not offered.
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

fn number_problems(field: &str, kind: Kind, value: f64) -> Vec<FieldError> {
    let outside = kind.bounds().filter(|(low, high)| !(*low..=*high).contains(&value));
    let message = |(low, high)| format!("must be from {low} to {high}; it is {value}");
    outside.map(|bounds| FieldError::value(field, message(bounds))).into_iter().collect()
}

impl SettingValue for f64 {
    fn problems(&self, field: &str, kind: Kind) -> Vec<FieldError> {
        number_problems(field, kind, *self)
    }
}

impl SettingValue for u8 {
    fn problems(&self, field: &str, kind: Kind) -> Vec<FieldError> {
        number_problems(field, kind, f64::from(*self))
    }
}

impl SettingValue for usize {
    #[expect(clippy::cast_precision_loss, reason = "bounds are small")]
    fn problems(&self, field: &str, kind: Kind) -> Vec<FieldError> {
        number_problems(field, kind, *self as f64)
    }
}

impl SettingValue for String {
    fn problems(&self, field: &str, kind: Kind) -> Vec<FieldError> {
        text_problem(field, kind, self).into_iter().collect()
    }

    fn models(&self) -> Vec<&str> {
        vec![self]
    }

    fn model_groups(&mut self, key: &str) -> Vec<ModelGroup<'_>> {
        vec![vec![(key.to_owned(), self)]]
    }
}

/// A blank text removes the value of the layer below; `null` leaves it.
impl SettingValue for Option<String> {
    fn said(&self) -> Self {
        Some(self.clone().unwrap_or_default())
    }

    fn meant(self) -> Self {
        self.filter(|text| !text.trim().is_empty())
    }

    fn problems(&self, field: &str, kind: Kind) -> Vec<FieldError> {
        self.as_ref().and_then(|text| text_problem(field, kind, text)).into_iter().collect()
    }

    fn models(&self) -> Vec<&str> {
        self.as_deref().into_iter().collect()
    }

    fn model_groups(&mut self, key: &str) -> Vec<ModelGroup<'_>> {
        self.iter_mut().map(|model| vec![(key.to_owned(), model)]).collect()
    }
}

impl SettingValue for Vec<String> {
    fn read(fields: &mut Fields<'_>, name: &str, kind: Kind) -> Option<Self> {
        let models: Self = fields.take(name, &kind.expected())?;
        if let Some(problem) = too_long(models.len()) {
            fields.refuse(name, FieldErrorKind::Value, problem);
            return None;
        }
        Some(models)
    }

    fn problems(&self, field: &str, kind: Kind) -> Vec<FieldError> {
        list_problems(field, kind, self)
    }

    fn models(&self) -> Vec<&str> {
        self.iter().map(String::as_str).collect()
    }

    fn model_groups(&mut self, key: &str) -> Vec<ModelGroup<'_>> {
        vec![self.iter_mut().map(|model| (key.to_owned(), model)).collect()]
    }
}

impl SettingValue for Vec<Member> {
    fn read(fields: &mut Fields<'_>, name: &str, _kind: Kind) -> Option<Self> {
        members(fields, name)
    }

    fn problems(&self, field: &str, kind: Kind) -> Vec<FieldError> {
        if kind == Kind::Reviewers { reviewer_problems(field, self) } else { member_problems(field, self) }
    }

    fn models(&self) -> Vec<&str> {
        self.iter().map(|member| member.model.as_str()).collect()
    }

    fn model_groups(&mut self, key: &str) -> Vec<ModelGroup<'_>> {
        vec![self.iter_mut().map(|member| (key.to_owned(), &mut member.model)).collect()]
    }
}

/// Defines settings and the layer of them: each setting by `/// its description` and
/// `name: type = default, Setting::of(kind);`.
///
/// `type as schema` names what the API's schema shows in place of a type that it does not know.
/// `with part: Settings, Layer` includes settings that are defined elsewhere. Settings under `not in the layer` can be
/// set in the configuration only.
macro_rules! settings {
    (
        $(#[$about:meta])* $name:ident,
        $(#[$layer_about:meta])* $layer:ident {
            $($(#[doc = $doc:tt])+ $field:ident: $type:ty $(as $schema:ty)? = $default:expr, $setting:expr;)*
        }
        $(with $part:ident: $part_type:ident, $part_layer:ident)?
        $(not in the layer {
            $($(#[doc = $fixed_doc:tt])+
              $fixed:ident: $fixed_type:ty $(as $fixed_schema:ty)? = $fixed_default:expr, $fixed_setting:expr;)*
        })?
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
        #[serde(default)]
        pub struct $name {
            $($(#[doc = $doc])+ $(#[schema(value_type = $schema)])? pub $field: $type,)*
            $(#[serde(flatten)] pub $part: $part_type,)?
            $($($(#[doc = $fixed_doc])+ $(#[schema(value_type = $fixed_schema)])? pub $fixed: $fixed_type,)*)?
        }

        $(#[$layer_about])*
        #[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
        #[serde(default)]
        pub struct $layer {
            $($(#[doc = $doc])+ #[serde(skip_serializing_if = "Option::is_none")]
              $(#[schema(value_type = Option<$schema>)])? pub $field: Option<$type>,)*
            $(#[serde(flatten)] pub $part: $part_layer,)?
        }

        impl Default for $name {
            fn default() -> Self {
                Self {
                    $($field: $default,)*
                    $($part: $part_type::default(),)?
                    $($($fixed: $fixed_default,)*)?
                }
            }
        }

        impl $name {
            /// These settings with a layer on top of them.
            #[must_use]
            pub fn with(&self, layer: &$layer) -> Self {
                use $crate::council::setting::SettingValue as _;
                Self {
                    $($field: layer.$field.clone().unwrap_or_else(|| self.$field.clone()).meant(),)*
                    $($part: self.$part.with(&layer.$part),)?
                    $($($fixed: self.$fixed.clone(),)*)?
                }
            }

            /// These settings as a layer that names every one that a layer can.
            #[must_use]
            pub fn as_layer(&self) -> $layer {
                use $crate::council::setting::SettingValue as _;
                $layer { $($field: Some(self.$field.said()),)* $($part: self.$part.as_layer(),)? }
            }

            /// Each setting with its value.
            pub(in crate::council) fn values(&self) -> Vec<$crate::council::setting::Valued<'_>> {
                let own: Vec<&dyn $crate::council::setting::SettingValue> = vec![$(&self.$field),*];
                let fixed: Vec<&dyn $crate::council::setting::SettingValue> = vec![$($(&self.$fixed),*)?];
                let mut values: Vec<_> = Self::SETTINGS.iter().zip(own).collect();
                $(values.extend(self.$part.values());)?
                values.extend(Self::FIXED.iter().zip(fixed));
                values
            }

            /// Each setting with its value, to be changed.
            pub(in crate::council) fn values_mut(&mut self) -> Vec<$crate::council::setting::ValuedMut<'_>> {
                let own: Vec<&mut dyn $crate::council::setting::SettingValue> = vec![$(&mut self.$field),*];
                let fixed: Vec<&mut dyn $crate::council::setting::SettingValue> = vec![$($(&mut self.$fixed),*)?];
                let mut values: Vec<_> = Self::SETTINGS.iter().zip(own).collect();
                $(values.extend(self.$part.values_mut());)?
                values.extend(Self::FIXED.iter().zip(fixed));
                values
            }

            const SETTINGS: &'static [$crate::council::setting::Setting] = &[
                $($crate::council::setting::Setting {
                    name: stringify!($field),
                    about: &[$($doc),+],
                    default: || serde_json::json!($name::default().$field),
                    ..$setting
                },)*
            ];
            const FIXED: &'static [$crate::council::setting::Setting] = &[
                $($($crate::council::setting::Setting {
                    name: stringify!($fixed),
                    about: &[$($fixed_doc),+],
                    default: || serde_json::json!($name::default().$fixed),
                    ..$fixed_setting
                },)*)?
            ];
        }

        impl $layer {
            /// Reads a layer from a request's fields.
            pub(in crate::council) fn read(fields: &mut $crate::council::field::Fields<'_>) -> Self {
                use $crate::council::setting::SettingValue as _;
                Self {
                    $($field: <$type>::read(fields, stringify!($field), $setting.kind),)*
                    $($part: $part_layer::read(fields),)?
                }
            }

            /// This layer with `newer` on top of it.
            #[must_use]
            pub fn overlaid(self, newer: Self) -> Self {
                Self {
                    $($field: newer.$field.or(self.$field),)*
                    $($part: self.$part.overlaid(newer.$part),)?
                }
            }
        }
    };
}
pub(crate) use settings;
