//! The services that give keys to containers and machines. They are called only if the configuration says so.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, HeaderValue};
use reqwest::{Client, RequestBuilder};
use url::Url;

use super::keys::Keys;
use crate::llm::bedrock::settings::AwsEnvironment;
use crate::llm::exchange;

/// How long one request may take: these services are close by, or not there.
const TIME: Duration = Duration::from_secs(2);
/// The longest answer.
const MAX_BYTES: usize = 64 << 10;
/// Where ECS gives keys to its containers.
const CONTAINER: &str = "http://169.254.170.2";
/// The hosts that may be called over plain HTTP, besides this machine: those of ECS and of EKS.
const CONTAINER_HOSTS: [&str; 3] = ["169.254.170.2", "169.254.170.23", "fd00:ec2::23"];
/// The metadata service of EC2.
const INSTANCE: &str = "http://169.254.169.254";
/// How long a machine's token is valid, in seconds; it is used once.
const TOKEN_SECONDS: &str = "60";

/// A client of its own, without a proxy and with short time limits.
fn client() -> Result<Client, String> {
    let built =
        Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).timeout(TIME).build();
    built.map_err(|error| format!("the HTTP client for credentials cannot be set up: {error}"))
}

async fn answer(request: RequestBuilder, whom: &str) -> Result<Vec<u8>, String> {
    let failed = |error: reqwest::Error| {
        let what = if error.is_timeout() { "did not answer in time" } else { "cannot be reached" };
        format!("{whom} {what}")
    };
    let response = request.send().await.map_err(failed)?;
    if !response.status().is_success() {
        return Err(format!("{whom} answered HTTP {}", response.status().as_u16()));
    }
    let body = exchange::read_bounded(response, MAX_BYTES).await;
    match body.error {
        Some(error) => Err(failed(error)),
        None if body.over_bound => Err(format!("{whom} answered too much")),
        None => Ok(body.bytes),
    }
}

/// The keys of a container's role.
#[derive(Debug)]
pub(in crate::llm::bedrock) struct Container {
    client: Client,
    url: Url,
    /// The token sent with each request. A token in `token_file` is read each time instead, since it changes.
    token: Option<HeaderValue>,
    token_file: Option<PathBuf>,
}

impl Container {
    /// # Errors
    /// If the variables that containers have are missing, or name a host that is not trusted to give keys.
    pub fn new(env: &AwsEnvironment) -> Result<Self, String> {
        let full = env.get("AWS_CONTAINER_CREDENTIALS_FULL_URI");
        let address = match (env.get("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"), full) {
            (Some(path), _) => format!("{CONTAINER}{path}"),
            (None, Some(full)) => full.to_owned(),
            (None, None) => {
                let what = "neither AWS_CONTAINER_CREDENTIALS_RELATIVE_URI nor AWS_CONTAINER_CREDENTIALS_FULL_URI is set";
                return Err(format!("{what}: this is no container of ECS or EKS with a role"));
            }
        };
        let url = Url::parse(&address).ok().filter(is_trusted).ok_or_else(|| {
            "AWS_CONTAINER_CREDENTIALS_FULL_URI must begin with https://, or be an address of this machine, ECS or EKS"
                .to_owned()
        })?;
        let token = env.get("AWS_CONTAINER_AUTHORIZATION_TOKEN").map(header).transpose()?;
        let token_file = env.get("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE").map(PathBuf::from);
        Ok(Self { client: client()?, url, token, token_file })
    }

    pub async fn fetch(&self) -> Result<Keys, String> {
        let token = match &self.token_file {
            Some(file) => {
                let read = tokio::fs::read_to_string(file).await;
                let problem =
                    |error: std::io::Error| format!("{} cannot be read: {}", file.display(), error.kind());
                Some(header(read.map_err(problem)?.trim())?)
            }
            None => self.token.clone(),
        };
        let mut request = self.client.get(self.url.clone());
        if let Some(token) = token {
            request = request.header(AUTHORIZATION, token);
        }
        let whom = "the container's credentials service";
        Keys::read(&answer(request, whom).await?).map_err(|problem| format!("{whom}: {problem}"))
    }
}

/// A token as a header's value that is not shown.
fn header(token: &str) -> Result<HeaderValue, String> {
    let problem =
        |_| "the token for the container's credentials service cannot be sent in a header".to_owned();
    let mut value = HeaderValue::try_from(token).map_err(problem)?;
    value.set_sensitive(true);
    Ok(value)
}

/// Whether keys may come from there: what is sent over plain HTTP must not leave the machine.
fn is_trusted(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    let is_near = || host.parse::<IpAddr>().map_or(host == "localhost", |ip| ip.is_loopback());
    match url.scheme() {
        "https" => true,
        "http" => CONTAINER_HOSTS.contains(&host) || is_near(),
        _ => false,
    }
}

/// The keys of a machine's role.
#[derive(Debug)]
pub(in crate::llm::bedrock) struct Instance {
    client: Client,
    base: Url,
}

impl Instance {
    /// # Errors
    /// When the address in the environment is not a URL.
    pub fn new(env: &AwsEnvironment) -> Result<Self, String> {
        let address = env.get("AWS_EC2_METADATA_SERVICE_ENDPOINT").unwrap_or(INSTANCE);
        let is_http = |url: &Url| matches!(url.scheme(), "http" | "https") && url.has_host();
        let base = Url::parse(address).ok().filter(is_http);
        let base = base.ok_or_else(|| "AWS_EC2_METADATA_SERVICE_ENDPOINT is not a URL".to_owned())?;
        Ok(Self { client: client()?, base })
    }

    pub async fn fetch(&self) -> Result<Keys, String> {
        let whom = "the machine's metadata service";
        let at = |path: &[&str]| {
            let mut url = self.base.clone();
            if let Ok(mut segments) = url.path_segments_mut() {
                segments.pop_if_empty().push("latest").extend(path);
            }
            url
        };
        let asking = self
            .client
            .put(at(&["api", "token"]))
            .header("x-aws-ec2-metadata-token-ttl-seconds", TOKEN_SECONDS);
        let token = answer(asking, whom).await?;
        let mut token =
            HeaderValue::from_bytes(&token).map_err(|_| format!("{whom} gave no usable token"))?;
        token.set_sensitive(true);
        let roles = ["meta-data", "iam", "security-credentials"];
        let get = async |url: Url| {
            answer(self.client.get(url).header("x-aws-ec2-metadata-token", token.clone()), whom).await
        };
        // With a slash at the end, as the service itself redirects.
        let listed = get(at(&[&roles[..], &[""]].concat())).await?;
        let listed = String::from_utf8_lossy(&listed);
        let role = listed.lines().next().map(str::trim).filter(|role| !role.is_empty());
        let role = role.ok_or_else(|| format!("{whom} says that this machine has no role"))?;
        let keys = get(at(&[&roles[..], &[role]].concat())).await?;
        Keys::read(&keys).map_err(|problem| format!("{whom}: {problem}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_only_from_near() {
        for (address, trusted) in [
            ("http://169.254.170.2/x", true),
            ("http://169.254.170.23/x", true),
            ("http://[fd00:ec2::23]/x", true),
            ("http://127.0.0.1:9/x", true),
            ("http://[::1]/x", true),
            ("http://localhost/x", true),
            ("https://keys.example/x", true),
            ("http://keys.example/x", false),
            ("http://169.254.170.2.example/x", false),
            ("ftp://127.0.0.1/x", false),
        ] {
            assert_eq!(is_trusted(&Url::parse(address).unwrap()), trusted, "{address}");
        }
    }
}
