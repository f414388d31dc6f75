//! What the configuration says about Bedrock. Nothing is read from the environment here.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;

use super::regions::{self, REGIONS};
use crate::llm::kind::{OwnKey, OwnValue, Problem, Variable};
use crate::llm::settings::ProviderSettings;

/// The region if neither the configuration nor the environment names one.
const DEFAULT_REGION: &str = "us-east-2";

/// The keys that it has beyond those of all providers.
pub(super) const KEYS: &[OwnKey] = &[
    OwnKey {
        name: "region",
        value: OwnValue::Text,
        default: "",
        doc: "Bedrock: the region of models whose id names none. By default `AWS_REGION`, else us-east-2.",
        example: "eu-west-1",
    },
    OwnKey {
        name: "regions",
        value: OwnValue::List,
        default: "",
        doc: "Bedrock: the regions that may be asked, which users choose among. By default all that are known.",
        example: "eu-west-1, eu-central-1",
    },
    OwnKey {
        name: "credentials",
        value: OwnValue::Choice(&["key", "environment", "profile", "container", "instance"]),
        default: "key",
        doc: "Bedrock: what lets requests in. `key`: the bearer key `api_key`. The others sign (SigV4): with the keys in \
              the `environment` (`AWS_ACCESS_KEY_ID` …), of a `profile` of the AWS command line, or of the role of the \
              `container` (ECS, EKS pod identity) or of the machine (`instance`). Nothing is looked for elsewhere.",
        example: "",
    },
    OwnKey {
        name: "profile",
        value: OwnValue::Text,
        default: "",
        doc: "Bedrock: the profile of `credentials = \"profile\"`. By default `AWS_PROFILE`, else `default`.",
        example: "",
    },
    OwnKey {
        name: "control_url",
        value: OwnValue::Url,
        default: "",
        doc: "Bedrock: where the lists of models are asked for (a VPC endpoint). By default \
              `https://bedrock.<region>.amazonaws.com`.",
        example: "",
    },
];

/// The environment variables that set the API key of the provider `bedrock`.
pub(super) const VARIABLES: &[Variable] = &[
    Variable { name: "BEDROCK_API_KEY", provider: "bedrock", key: "api_key" },
    Variable { name: "AWS_BEARER_TOKEN_BEDROCK", provider: "bedrock", key: "api_key" },
];

/// Those environment variables of AWS's own programs that are read here.
pub(super) const READS: &[&str] = &[
    "AWS_REGION",
    "AWS_DEFAULT_REGION",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_PROFILE",
    "AWS_DEFAULT_PROFILE",
    "AWS_SHARED_CREDENTIALS_FILE",
    "AWS_CONFIG_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
    "AWS_EC2_METADATA_SERVICE_ENDPOINT",
    "HOME",
    "USERPROFILE",
];

/// How requests are authenticated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum CredentialSource {
    /// With a bearer key; nothing is signed.
    #[default]
    Key,
    /// `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and, where there is one, `AWS_SESSION_TOKEN`.
    Environment,
    /// The files that the AWS command line keeps.
    Profile,
    /// The role of a container (ECS, EKS pod identity).
    Container,
    /// The role of a machine (EC2), from its metadata service.
    Instance,
}

/// The environment variables of AWS's own programs. `Debug` shows their names only.
#[derive(Clone, Default)]
pub(super) struct AwsEnvironment(BTreeMap<String, String>);

impl AwsEnvironment {
    pub fn new(variables: BTreeMap<String, String>) -> Self {
        Self(variables)
    }

    /// A variable that is set and not empty.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(|value| value.trim()).filter(|value| !value.is_empty())
    }
}

impl fmt::Debug for AwsEnvironment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// The settings that only Bedrock has.
#[derive(Debug)]
pub(super) struct Settings {
    /// The region of models whose id names none.
    pub region: String,
    /// The regions that may be asked.
    pub regions: Vec<String>,
    /// Whether the configuration names `regions`.
    pub has_own_regions: bool,
    pub credentials: CredentialSource,
    /// Which profile of the shared files; by default `AWS_PROFILE`, else `default`.
    pub profile: Option<String>,
    /// The address of the lists of models, instead of AWS's own addresses.
    pub control_url: Option<String>,
    pub environment: AwsEnvironment,
}

/// [`Settings`] as they are configured.
#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
struct Own {
    region: Option<String>,
    regions: Vec<String>,
    credentials: CredentialSource,
    profile: Option<String>,
    control_url: Option<String>,
}

impl Settings {
    /// # Errors
    /// What does not fit, without its value.
    pub fn of(settings: &ProviderSettings) -> Result<Self, Vec<String>> {
        let Own { region, regions, credentials, profile, control_url } = settings.read_own()?;
        let environment = AwsEnvironment::new(settings.environment.clone());
        let of_environment =
            || environment.get("AWS_REGION").or_else(|| environment.get("AWS_DEFAULT_REGION"));
        let said = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        let region = said(region).or_else(|| of_environment().map(str::to_owned));
        let region = region.unwrap_or_else(|| DEFAULT_REGION.to_owned());
        if !regions::is_region(&region) {
            return Err(vec![format!("region: `{}` is not a region", region.escape_debug())]);
        }
        let has_own_regions = !regions.is_empty();
        let mut regions = if regions.is_empty() {
            REGIONS.iter().map(|region| region.id.to_owned()).collect()
        } else {
            regions
        };
        if !regions.contains(&region) {
            regions.insert(0, region.clone());
        }
        Ok(Self {
            region,
            regions,
            has_own_regions,
            credentials,
            profile: said(profile),
            control_url,
            environment,
        })
    }
}

/// What is missing or does not go together.
pub(super) fn check(settings: &ProviderSettings) -> Vec<Problem> {
    let Ok(own) = settings.read_own::<Own>() else {
        // A value that cannot be read has been reported already.
        return Vec::new();
    };
    let mut problems = Vec::new();
    let named = own.region.iter().map(|region| ("region", region));
    for (key, region) in named.chain(own.regions.iter().map(|region| ("regions", region))) {
        if !regions::is_region(region) {
            problems.push(Problem::new(key, format!("{region:?} is not a region such as eu-west-1")));
        }
    }
    if let Some(region) = &own.region
        && !own.regions.is_empty()
        && !own.regions.contains(region)
    {
        problems.push(Problem::new("regions", format!("does not have the default region, {region}")));
    }
    let is_signed = own.credentials != CredentialSource::Key;
    if is_signed && settings.api_key.is_some() {
        let what = "is a bearer key, and credentials says that requests are signed: remove one of them";
        problems.push(Problem::new("api_key", what));
    }
    if !is_signed && settings.api_key.is_none() {
        let message = "is required, or providers.<name>.credentials to say what requests are signed with";
        problems.push(Problem { message: message.into(), ..Problem::required("api_key") });
    }
    if own.credentials != CredentialSource::Profile && own.profile.is_some() {
        problems.push(Problem::new("profile", "goes with credentials = \"profile\""));
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::super::provider::KIND;
    use super::*;

    fn settings() -> ProviderSettings {
        ProviderSettings::new("bedrock", &KIND)
    }

    #[test]
    fn the_region_is_the_configured_one_or_that_of_the_environment() {
        let region = |settings: &ProviderSettings| Settings::of(settings).unwrap().region;
        let mut from_env = settings();
        from_env.environment.insert("AWS_REGION".into(), "eu-west-1".into());
        assert_eq!(region(&settings()), "us-east-2");
        assert_eq!(region(&from_env), "eu-west-1");
        assert_eq!(region(&from_env.clone().with("region", "eu-west-3")), "eu-west-3");
        from_env.environment.insert("AWS_REGION".into(), "evil.example/x".into());
        assert!(Settings::of(&from_env).is_err());
    }

    #[test]
    fn what_does_not_go_together_is_named() {
        let keys = |settings: ProviderSettings| -> Vec<&str> {
            check(&settings).iter().map(|problem| problem.key).collect()
        };
        let with_key = || ProviderSettings { api_key: Some("k".to_owned().into()), ..settings() };
        assert_eq!(keys(settings()), ["api_key"]);
        assert_eq!(keys(with_key()), [""; 0]);
        assert_eq!(keys(with_key().with("credentials", "instance")), ["api_key"]);
        assert_eq!(keys(settings().with("credentials", "instance")), [""; 0]);
        assert_eq!(keys(with_key().with("region", "nowhere")), ["region"]);
        assert_eq!(
            keys(with_key().with("region", "eu-west-1").with("regions", vec!["us-east-1"])),
            ["regions"]
        );
        assert_eq!(keys(with_key().with("regions", vec!["x"]).with("profile", "p")), ["regions", "profile"]);
    }

    #[test]
    fn debug_shows_no_variable() {
        let mut settings = settings();
        settings.environment.insert("AWS_SECRET_ACCESS_KEY".into(), "hidden".into());
        let shown = format!("{:?}", Settings::of(&settings).unwrap());
        assert!(shown.contains("AWS_SECRET_ACCESS_KEY") && !shown.contains("hidden"), "{shown}");
    }
}
