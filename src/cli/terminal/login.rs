//! `llm-council login`: keeps a server and a token for later, once they are known to work.

use std::io::{BufRead as _, IsTerminal as _};
use std::process::ExitCode;

use clap::Args;
use secrecy::{ExposeSecret as _, SecretString};

use super::person::{print_error, profile_path};
use crate::cli::output::printed;
use crate::terminal::profile::{self, Profile};
use crate::terminal::session::http::Http;
use crate::terminal::session::{Session as _, Trouble};

/// What can be said of it.
#[derive(Debug, Clone, Args)]
pub struct Login {
    /// The server's address, as https://council.example.com.
    pub server: String,
    /// Keep it under this name; without one it is asked from now on wherever nothing else is said.
    #[arg(long, value_name = "NAME")]
    pub profile: Option<String>,
}

impl Login {
    /// Asks for the token, tries it, and keeps both.
    ///
    /// # Errors
    /// When the program itself cannot run.
    pub fn run(&self) -> anyhow::Result<ExitCode> {
        let done = tokio::runtime::Runtime::new()?.block_on(self.keep());
        match done {
            Ok(sentence) => printed(&format!("{sentence}\n")),
            Err(trouble) => Ok(print_error(&trouble)),
        }
    }

    async fn keep(&self) -> Result<String, Trouble> {
        let path = profile_path().ok_or_else(|| {
            Trouble::Failed(
                "there is no HOME to keep a token in: set LLM_COUNCIL_SERVER and LLM_COUNCIL_TOKEN"
                    .to_owned(),
            )
        })?;
        // What could not be kept is not asked for.
        profile::read(Some(&path))?;
        let token = token(&self.server)?;
        let session = Http::server(&self.server, Some(&token))?;
        let me = session.get("/api/user").await?;
        let name = me.get("id").and_then(serde_json::Value::as_str).unwrap_or_default();
        let name = crate::terminal::text::one_line(name).into_owned();
        let server = session.place().to_string();
        let kept = Profile::new(server.clone(), token.expose_secret().to_owned());
        profile::keep(&path, self.profile.as_deref().unwrap_or(profile::DEFAULT), &kept)?;
        Ok(format!("Signed in at {server} as {name}. Saved in {}, readable only by you.", path.display()))
    }
}

/// The token, typed without being shown, or as the first line of what is piped in.
fn token(server: &str) -> Result<SecretString, Trouble> {
    let failed = |error: std::io::Error| Trouble::Failed(format!("no token could be read: {error}"));
    let given = if std::io::stdin().is_terminal() {
        eprintln!("Make a token in the web app: {}/settings#tokens", server.trim_end_matches('/'));
        rpassword::prompt_password("Token (lc_…, not shown): ").map_err(failed)?
    } else {
        let mut line = String::new();
        std::io::stdin().lock().read_line(&mut line).map_err(failed)?;
        line
    };
    let given = given.trim();
    if given.starts_with("lc_") {
        return Ok(given.to_owned().into());
    }
    Err(Trouble::Wrong(vec![
        "a token begins with lc_; make one in the web app under Settings, Tokens".to_owned(),
    ]))
}
