//! Commands for people at a terminal: from the command line to a session, and to the exit code.

mod ephemeral;
mod in_process_council;
mod login;
mod person;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use secrecy::SecretString;

use super::flags::Flags;
use crate::config::{AuthMode, Config};
use crate::id::UserId;
use crate::identity::user;
use crate::terminal::arguments::Where;
use crate::terminal::profile::{self, Profiles};
use crate::terminal::session::http::{self, Http};
use crate::terminal::session::{Session, Trouble};

use ephemeral::Ephemeral;
use in_process_council::InProcessCouncil;
pub(super) use login::Login;
use person::{print_error, profile_path};

/// The stack of each thread: a deliberation is held in this process, and a debug build's frames are large.
const STACK_BYTES: usize = 8 << 20;

/// A session, and what has to be ended after it.
struct Connected {
    session: Arc<dyn Session>,
    /// The session's HTTP client, where it speaks HTTP.
    http: Option<Http>,
    in_process: Option<InProcessCouncil>,
}

impl Connected {
    async fn open(place: &Where, flags: &Flags) -> anyhow::Result<Self> {
        let place = &place.with_environment(|name| std::env::var(name).ok());
        let may_be_elsewhere = !place.here && !place.ephemeral && place.user.is_none();
        if let Some(session) = if may_be_elsewhere { server(place)? } else { None } {
            return Ok(Self { session: Arc::new(session.clone()), http: Some(session), in_process: None });
        }
        let config = quiet(flags.load()?);
        if place.ephemeral {
            let session = Arc::new(Ephemeral::start(&config).await?);
            return Ok(Self { session, http: None, in_process: None });
        }
        let user = owner(&config, place)?;
        let in_process = InProcessCouncil::start(&config, user).await?;
        let http = in_process.session.clone();
        Ok(Self { session: Arc::new(http.clone()), http: Some(http), in_process: Some(in_process) })
    }

    /// Comes when a council in this process cannot go on, and says why.
    async fn failed(&self) -> anyhow::Error {
        match &self.in_process {
            Some(council) => council.failed().await,
            None => std::future::pending().await,
        }
    }

    /// Comes once the models and their prices are known here; a server knows them by itself.
    fn listed(&self) -> BoxFuture<'static, ()> {
        match &self.in_process {
            Some(council) => Box::pin(council.listed()),
            None => Box::pin(std::future::ready(())),
        }
    }

    async fn close(self) -> anyhow::Result<()> {
        match self.in_process {
            Some(council) => council.stop().await,
            None => Ok(()),
        }
    }
}

/// The server that is asked, if one is named or known.
fn server(place: &Where) -> Result<Option<Http>, Trouble> {
    let token = std::env::var("LLM_COUNCIL_TOKEN").ok().filter(|token| !token.is_empty());
    let token = token.map(SecretString::from);
    if let Some(address) = &place.server {
        let token = match token {
            Some(token) => Some(token),
            None => known_token(address)?,
        };
        return Http::server(address, token.as_ref()).map(Some);
    }
    let profiles = profile::read(profile_path().as_deref())?.profiles;
    let name = place.profile.as_deref().unwrap_or(profile::DEFAULT);
    match (profiles.get(name), &place.profile) {
        (Some(known), named) => {
            // One in the environment may be another server's, which this one must not be told.
            let token = token.filter(|_| named.is_none()).unwrap_or_else(|| known.token());
            Http::server(&known.server, Some(&token)).map(Some)
        }
        (None, None) => Ok(None),
        (None, Some(name)) => {
            let others: Vec<&str> = profiles.keys().map(String::as_str).collect();
            let there = if others.is_empty() { "there is none".to_owned() } else { others.join(", ") };
            Err(Trouble::Wrong(vec![format!(
                "there is no profile {name:?} ({there}): `llm-council login URL --profile {name}` makes it"
            )]))
        }
    }
}

/// The token that was kept for this address, however it is written.
fn known_token(address: &str) -> Result<Option<SecretString>, Trouble> {
    let profiles = profile::read(profile_path().as_deref())?.profiles;
    // What is no address is refused when it is asked.
    let Some(asked) = http::address(address) else { return Ok(None) };
    let same = |server: &str| http::address(server).as_ref() == Some(&asked);
    Ok(profiles.values().find(|profile| same(&profile.server)).map(profile::Profile::token))
}

/// People read the answer here, so the log gets only failures that are not tried again; notices are for operators.
fn quiet(mut config: Config) -> Config {
    "error".clone_into(&mut config.log.level);
    config.notices.clear();
    config.data_dir = data_dir(config.data_dir);
    config
}

/// A database without a configured place belongs to the person, not to the folder that they happen to be in.
fn data_dir(configured: PathBuf) -> PathBuf {
    if configured != Path::new("./data") || configured.exists() {
        return configured;
    }
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let share = absolute("XDG_DATA_HOME").or_else(|| absolute("HOME").map(|home| home.join(".local/share")));
    share.map_or(configured, |share| share.join("llm-council"))
}

fn owner(config: &Config, place: &Where) -> Result<UserId, Trouble> {
    match (&place.user, config.auth.mode) {
        (Some(name), _) => user::canonical(name).ok_or_else(|| {
            Trouble::Wrong(vec![format!("--user {name:?}: nobody can sign in with this name")])
        }),
        (None, AuthMode::None) => Ok(UserId::from_canonical(user::LOCAL)),
        (None, AuthMode::Proxy) => Err(Trouble::Wrong(vec![
            "people sign in here: say whose conversations by --user NAME, or ask the server by --server URL"
                .to_owned(),
        ])),
    }
}

/// Runs a command that begins with what the person's file says.
pub(super) fn with_profiles<F>(
    place: &Where,
    flags: &Flags,
    command: impl FnOnce(Arc<dyn Session>, Profiles) -> F,
) -> anyhow::Result<ExitCode>
where
    F: Future<Output = Result<u8, Trouble>>,
{
    match profile::read(profile_path().as_deref()) {
        Ok(profiles) => with_session(place, flags, |session| command(session, profiles)),
        Err(trouble) => Ok(print_error(&trouble)),
    }
}

/// Runs a command over a session; returns the exit code of the error where there is one.
pub(super) fn with_session<F>(
    place: &Where,
    flags: &Flags,
    command: impl FnOnce(Arc<dyn Session>) -> F,
) -> anyhow::Result<ExitCode>
where
    F: Future<Output = Result<u8, Trouble>>,
{
    with_connected(place, flags, |connected| {
        let listed = connected.listed();
        let command = command(connected.session.clone());
        Ok(async move {
            listed.await;
            command.await
        })
    })
}

/// Runs a command that speaks to the council by HTTP. It waits by itself for the models and their prices to be known,
/// where it needs them.
pub(super) fn with_http<F>(
    place: &Where,
    flags: &Flags,
    command: impl FnOnce(Http, BoxFuture<'static, ()>) -> F,
) -> anyhow::Result<ExitCode>
where
    F: Future<Output = Result<u8, Trouble>>,
{
    with_connected(place, flags, |connected| match connected.http.clone() {
        Some(http) => Ok(command(http, connected.listed())),
        None => {
            let why =
                "--ephemeral keeps nothing, and so there is nothing to wait for or to read; leave it out";
            Err(Trouble::Wrong(vec![why.to_owned()]))
        }
    })
}

fn with_connected<F>(
    place: &Where,
    flags: &Flags,
    command: impl FnOnce(&Connected) -> Result<F, Trouble>,
) -> anyhow::Result<ExitCode>
where
    F: Future<Output = Result<u8, Trouble>>,
{
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().thread_stack_size(STACK_BYTES).build()?;
    runtime.block_on(async {
        let connected = match Connected::open(place, flags).await {
            Ok(connected) => connected,
            Err(error) => match error.downcast::<Trouble>() {
                Ok(trouble) => return Ok(print_error(&trouble)),
                Err(error) => return Err(error),
            },
        };
        let ended = match command(&connected) {
            Ok(command) => tokio::select! {
                ended = command => Ok(ended),
                error = connected.failed() => Err(error),
            },
            Err(trouble) => Ok(Err(trouble)),
        };
        connected.close().await?;
        Ok(ended?.map_or_else(|trouble| print_error(&trouble), ExitCode::from))
    })
}
