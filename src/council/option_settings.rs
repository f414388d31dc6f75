//! Combines the settings of all options into one type. The options are listed in [`options`](super::options).

use utoipa::openapi::{ObjectBuilder, RefOr, Schema};

use super::setting::{Key, Kind, RunOptions, Setting, Valued, settings};

/// Defines one type for the settings of these options, and one for a layer of them.
macro_rules! option_settings {
    ($($option:ident: $settings:ident, $layer:ident;)*) => {
        /// What the options of a run are set to, in force for one user.
        #[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(default)]
        pub struct OptionSettings {
            $(#[serde(flatten)] pub $option: $settings,)*
        }

        /// One layer of them: what is absent comes from the layer below.
        #[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(default)]
        pub struct OptionLayer {
            $(#[serde(flatten)] pub $option: $layer,)*
        }

        impl OptionSettings {
            /// These settings with a layer on top of them.
            #[must_use]
            pub fn with(&self, layer: &OptionLayer) -> Self {
                Self { $($option: self.$option.with(&layer.$option),)* }
            }

            /// These settings as a layer that names every one.
            #[must_use]
            pub fn as_layer(&self) -> OptionLayer {
                OptionLayer { $($option: self.$option.as_layer(),)* }
            }

            pub(in crate::council) fn values(&self) -> Vec<$crate::council::setting::Valued<'_>> {
                [$(self.$option.values()),*].into_iter().flatten().collect()
            }

            pub(in crate::council) fn values_mut(&mut self) -> Vec<$crate::council::setting::ValuedMut<'_>> {
                [$(self.$option.values_mut()),*].into_iter().flatten().collect()
            }
        }

        impl OptionLayer {
            pub(in crate::council) fn read(fields: &mut $crate::council::field::Fields<'_>) -> Self {
                Self { $($option: $layer::read(fields),)* }
            }

            /// This layer with `newer` on top of it.
            #[must_use]
            pub fn overlaid(self, newer: Self) -> Self {
                Self { $($option: self.$option.overlaid(newer.$option),)* }
            }
        }

        impl utoipa::ToSchema for OptionSettings {}
        impl utoipa::PartialSchema for OptionSettings {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                let about = "What the options of a run are set to, in force for one user.";
                $crate::council::option_settings::one_object(
                    about,
                    [$($settings::schema()),*],
                    &OptionSettings::default().values(),
                )
            }
        }

        impl utoipa::ToSchema for OptionLayer {}
        impl utoipa::PartialSchema for OptionLayer {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                let about = "One layer of them: what is absent comes from the layer below.";
                $crate::council::option_settings::one_object(
                    about,
                    [$($layer::schema()),*],
                    &OptionSettings::default().values(),
                )
            }
        }
    };
}

pub(in crate::council) use option_settings;

settings! {
    /// What a request is taken to say.
    RequestSettings,
    /// One layer of it.
    RequestLayer {
        /// What a request's options are when it leaves them out (`use_cot`, …).
        default_options: RunOptions as std::collections::BTreeMap<String, serde_json::Value> = RunOptions::new(),
            Setting {
                key: Key::None,
                ..Setting::of(Kind::Options)
            };
    }
}

/// Merges the properties of these schemas into one object, with the bounds of their settings.
pub fn one_object(
    about: &str,
    parts: impl IntoIterator<Item = RefOr<Schema>>,
    settings: &[Valued<'_>],
) -> RefOr<Schema> {
    let mut object = ObjectBuilder::new().description(Some(about)).build();
    for part in parts {
        if let RefOr::T(Schema::Object(part)) = part {
            object.properties.extend(part.properties);
        }
    }
    for (setting, _) in settings {
        if let Some(RefOr::T(Schema::Object(property))) = object.properties.get_mut(setting.name) {
            property.description = setting.bounded_description().or(property.description.take());
        }
    }
    object.into()
}
