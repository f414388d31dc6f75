//! The files that the AWS command line keeps: `~/.aws/credentials` and `~/.aws/config`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;

use super::keys::Keys;
use crate::llm::bedrock::settings::AwsEnvironment;

/// How long keys of a profile count as good. Like others, they are renewed five minutes before: other programs write
/// new ones into the files.
const TIME: Duration = Duration::from_secs(600);

/// Where a profile is looked for.
#[derive(Debug)]
pub(in crate::llm::bedrock) struct SharedFiles {
    profile: String,
    /// The credentials file, then the config file.
    files: Vec<PathBuf>,
}

impl SharedFiles {
    /// # Errors
    /// If there is neither a home directory nor a variable that says where the files are.
    pub fn new(profile: Option<&str>, env: &AwsEnvironment) -> Result<Self, String> {
        let named = profile.or_else(|| env.get("AWS_PROFILE")).or_else(|| env.get("AWS_DEFAULT_PROFILE"));
        let profile = named.unwrap_or("default").to_owned();
        let home = env.get("HOME").or_else(|| env.get("USERPROFILE")).map(PathBuf::from);
        let file = |variable: &str, name: &str| {
            let usual = || home.as_ref().map(|home| home.join(".aws").join(name));
            env.get(variable).map(PathBuf::from).or_else(usual)
        };
        let files = [file("AWS_SHARED_CREDENTIALS_FILE", "credentials"), file("AWS_CONFIG_FILE", "config")];
        let files: Vec<PathBuf> = files.into_iter().flatten().collect();
        if files.is_empty() {
            return Err("there is no home directory to look for .aws/credentials in".into());
        }
        Ok(Self { profile, files })
    }

    /// Reads the profile.
    ///
    /// # Errors
    /// What is missing, without repeating what the files hold.
    pub async fn fetch(&self) -> Result<Keys, String> {
        let mut found = BTreeMap::new();
        for file in &self.files {
            let text = match tokio::fs::read_to_string(file).await {
                Ok(text) => text,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(error) => return Err(format!("{} cannot be read: {}", file.display(), error.kind())),
            };
            for (name, value) in section(&text, &self.profile, file) {
                // The credentials file takes precedence.
                found.entry(name).or_insert(value);
            }
        }
        self.keys(found)
    }

    fn keys(&self, mut found: BTreeMap<String, String>) -> Result<Keys, String> {
        let profile = &self.profile;
        let taken = (found.remove("aws_access_key_id"), found.remove("aws_secret_access_key"));
        let (Some(access_key_id), Some(secret)) = taken else {
            let other =
                ["role_arn", "sso_session", "sso_start_url", "credential_process", "web_identity_token_file"];
            let files: Vec<String> = self.files.iter().map(|file| file.display().to_string()).collect();
            let files = files.join(" and ");
            return Err(match other.iter().find(|name| found.contains_key(**name)) {
                Some(other) => format!(
                    "the profile `{profile}` has no keys of its own but {other}, which this server does not follow; \
                     let the AWS command line write keys (aws configure export-credentials)"
                ),
                None if found.is_empty() => format!("there is no profile `{profile}` in {files}"),
                None => format!(
                    "the profile `{profile}` in {files} has no aws_access_key_id and aws_secret_access_key"
                ),
            });
        };
        let expires = Timestamp::now().checked_add(TIME).map_err(|error| error.to_string())?;
        Ok(Keys {
            access_key_id,
            secret_access_key: secret.into(),
            session_token: found.remove("aws_session_token").map(Into::into),
            expires: Some(expires),
        })
    }
}

/// The entries of a profile in one file. In the config file its heading is `[profile name]`, except for the default.
fn section(text: &str, profile: &str, file: &Path) -> BTreeMap<String, String> {
    let mut inside = false;
    let mut found = BTreeMap::new();
    for line in text.lines() {
        let line = line.trim();
        if let Some(heading) = line.strip_prefix('[').and_then(|line| line.split(']').next()) {
            let name = heading.trim();
            inside =
                name == profile || name.strip_prefix("profile ").is_some_and(|name| name.trim() == profile);
        } else if inside
            && !line.starts_with(['#', ';'])
            && let Some((name, value)) = line.split_once('=')
        {
            found.insert(name.trim().to_lowercase(), value.trim().to_owned());
        }
    }
    tracing::trace!(file = %file.display(), keys = found.len(), "a profile was looked for");
    found.retain(|_, value| !value.is_empty());
    found
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret as _;

    use super::*;

    fn env(pairs: &[(&str, &str)]) -> AwsEnvironment {
        AwsEnvironment::new(
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        )
    }

    fn write(folder: &Path, name: &str, text: &str) -> String {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    }

    #[tokio::test]
    async fn a_profile_is_put_together_of_both_files() {
        let folder = tempfile::tempdir().unwrap();
        let credentials = "# old\n[default]\naws_access_key_id = AK0\naws_secret_access_key=hidden0\n\n\
                           [team]\naws_access_key_id=AK1\naws_secret_access_key = hid=den1\naws_session_token = t1\n";
        let settings =
            "[profile team]\nregion = eu-west-1\naws_access_key_id = AK2\n[profile sso]\nsso_session = x\n";
        let credentials = write(folder.path(), "credentials", credentials);
        let settings = write(folder.path(), "config", settings);
        let at =
            [("AWS_SHARED_CREDENTIALS_FILE", credentials.as_str()), ("AWS_CONFIG_FILE", settings.as_str())];
        let fetch = async |profile: Option<&str>, more: &[(&str, &str)]| {
            SharedFiles::new(profile, &env(&[&at, more].concat())).unwrap().fetch().await
        };
        let keys = fetch(None, &[]).await.unwrap();
        assert_eq!((keys.access_key_id.as_str(), keys.session_token.is_none()), ("AK0", true));
        let keys = fetch(None, &[("AWS_PROFILE", "team")]).await.unwrap();
        assert_eq!(
            (keys.access_key_id.as_str(), keys.secret_access_key.expose_secret()),
            ("AK1", "hid=den1")
        );
        assert_eq!(keys.session_token.unwrap().expose_secret(), "t1");
        let problem = fetch(Some("sso"), &[("AWS_PROFILE", "team")]).await.unwrap_err();
        assert!(problem.contains("sso_session"), "{problem}");
        let problem = fetch(Some("nobody"), &[]).await.unwrap_err();
        assert!(problem.contains("no profile `nobody`") && !problem.contains("hid"), "{problem}");
    }

    #[tokio::test]
    async fn files_lie_in_the_home_and_need_not_be() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().display().to_string();
        let problem = SharedFiles::new(None, &env(&[("HOME", &home)])).unwrap().fetch().await.unwrap_err();
        assert!(problem.contains(".aws/credentials"), "{problem}");
        std::fs::create_dir(folder.path().join(".aws")).unwrap();
        write(
            &folder.path().join(".aws"),
            "config",
            "[default]\naws_access_key_id=A\naws_secret_access_key=B\n",
        );
        SharedFiles::new(None, &env(&[("HOME", &home)])).unwrap().fetch().await.unwrap();
        assert!(SharedFiles::new(None, &env(&[])).is_err());
    }
}
