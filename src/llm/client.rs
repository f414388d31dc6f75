//! The one pooled HTTP client that all providers share.

use std::time::Duration;

/// Names the program to the providers.
const USER_AGENT: &str = concat!("llm-council/", env!("CARGO_PKG_VERSION"));

/// Builds the client. It has no time limit on a whole exchange (answers stream for minutes):
/// the caller's limits end a call by dropping it.
///
/// Redirects are not followed: a request with a key goes where the configuration says, or nowhere.
///
/// # Errors
/// When TLS cannot be set up, which in practice means that the machine has no CA certificates.
pub fn build() -> Result<reqwest::Client, reqwest::Error> {
    reqwest::Client::builder()
        .user_agent(USER_AGENT)
        .connect_timeout(Duration::from_secs(10))
        .redirect(reqwest::redirect::Policy::none())
        .tcp_nodelay(true)
        .tcp_keepalive(Duration::from_secs(30))
        .pool_idle_timeout(Duration::from_secs(60))
        .pool_max_idle_per_host(1000)
        .build()
}
