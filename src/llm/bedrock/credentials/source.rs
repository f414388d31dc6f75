//! The places that keys come from.

use super::keys::Keys;
use super::metadata::{Container, Instance};
use super::shared_files::SharedFiles;
use crate::llm::bedrock::settings::{CredentialSource, Settings};

/// A place that keys come from.
#[derive(Debug)]
pub(in crate::llm::bedrock) enum Source {
    Fixed(Keys),
    Profile(SharedFiles),
    Container(Container),
    Instance(Instance),
}

impl Source {
    /// The source that the settings name; `None` for a bearer key.
    ///
    /// # Errors
    /// What is missing, in words that name it.
    pub fn new(settings: &Settings) -> Result<Option<Self>, String> {
        let env = &settings.environment;
        Ok(Some(match settings.credentials {
            CredentialSource::Key => return Ok(None),
            CredentialSource::Environment => {
                let named = |name: &str| env.get(name).ok_or_else(|| format!("{name} is not set"));
                Self::Fixed(Keys {
                    access_key_id: named("AWS_ACCESS_KEY_ID")?.to_owned(),
                    secret_access_key: named("AWS_SECRET_ACCESS_KEY")?.to_owned().into(),
                    session_token: env.get("AWS_SESSION_TOKEN").map(|token| token.to_owned().into()),
                    expires: None,
                })
            }
            CredentialSource::Profile => Self::Profile(SharedFiles::new(settings.profile.as_deref(), env)?),
            CredentialSource::Container => Self::Container(Container::new(env)?),
            CredentialSource::Instance => Self::Instance(Instance::new(env)?),
        }))
    }

    /// # Errors
    /// Why there are none, in words without a secret.
    pub async fn fetch(&self) -> Result<Keys, String> {
        match self {
            Self::Fixed(keys) => Ok(keys.clone()),
            Self::Profile(files) => files.fetch().await,
            Self::Container(container) => container.fetch().await,
            Self::Instance(instance) => instance.fetch().await,
        }
    }
}
