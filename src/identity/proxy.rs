//! Identity from a trusted proxy's headers.
//!
//! The TCP peer decides who is believed, never a header that says where a request came from.
//! Proxies do not strip identity headers by themselves, and several pass copies or aliases
//! (`Remote_User`) of them along; whatever looks like an attempt is refused, not repaired.

use std::net::IpAddr;

use secrecy::{ExposeSecret, SecretString};
use subtle::ConstantTimeEq;

use super::cidr::TrustedPeers;
use super::{AuthMethod, Identity, user};
use crate::id::UserId;
use crate::invisible::is_blank;

/// The names of the headers that carry an identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeaderNames {
    pub user: String,
    pub email: String,
    pub name: String,
    pub groups: String,
    /// What separates groups.
    pub separator: char,
}

impl HeaderNames {
    fn of(user: &str, email: &str, name: &str, groups: &str, separator: char) -> Self {
        let [user, email, name, groups] = [user, email, name, groups].map(str::to_owned);
        Self { user, email, name, groups, separator }
    }

    /// Authelia's names.
    #[must_use]
    pub fn authelia() -> Self {
        Self::of("Remote-User", "Remote-Email", "Remote-Name", "Remote-Groups", ',')
    }

    /// OAuth2 Proxy's names, as it passes them upstream.
    #[must_use]
    pub fn oauth2_proxy() -> Self {
        Self::of(
            "X-Forwarded-User",
            "X-Forwarded-Email",
            "X-Forwarded-Preferred-Username",
            "X-Forwarded-Groups",
            ',',
        )
    }

    /// Authentik's names.
    #[must_use]
    pub fn authentik() -> Self {
        Self::of("X-Authentik-Username", "X-Authentik-Email", "X-Authentik-Name", "X-Authentik-Groups", '|')
    }
}

/// What the configuration says about the proxy.
#[derive(Debug)]
pub struct ProxyPolicy {
    pub trusted: TrustedPeers,
    pub headers: HeaderNames,
    /// A header that only the proxy can send: its name and value.
    pub secret: Option<(String, SecretString)>,
    /// Admins by canonical user id.
    pub admin_users: Vec<String>,
    /// Admins by group, exact match.
    pub admin_groups: Vec<String>,
}

/// Why a request has no identity.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The request does not come from the proxy.
    #[error("this request did not come through the trusted proxy")]
    UntrustedPeer,
    /// The proxy's secret is missing or wrong.
    #[error("this request does not carry the proxy's secret")]
    ProxySecret,
    /// The proxy named nobody.
    #[error("the proxy named no user")]
    NoUser,
    /// A header came twice.
    #[error("the identity header {0} came more than once")]
    Repeated(String),
    /// A header came under a name that some servers take for an identity header's.
    #[error("a header came that looks like the identity header {0} under another spelling")]
    Alias(String),
    /// A header's value cannot be a user's.
    #[error("the identity header {0} has no usable value")]
    Value(String),
    /// The proxy named the user of a server without sign-in.
    #[error("nobody can sign in as {}: the name belongs to servers without sign-in", user::LOCAL)]
    Reserved,
}

impl Refusal {
    /// Every [`Refusal::reason`].
    pub const REASONS: [&'static str; 7] = [
        "untrusted_peer",
        "proxy_secret",
        "no_user",
        "repeated_header",
        "aliased_header",
        "header_value",
        "reserved_user",
    ];

    /// A short name for the metric.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        match self {
            Self::UntrustedPeer => "untrusted_peer",
            Self::ProxySecret => "proxy_secret",
            Self::NoUser => "no_user",
            Self::Repeated(_) => "repeated_header",
            Self::Alias(_) => "aliased_header",
            Self::Value(_) => "header_value",
            Self::Reserved => "reserved_user",
        }
    }
}

impl ProxyPolicy {
    /// Who a request is from. `headers` are all of the request's headers, copies included.
    ///
    /// # Errors
    /// [`Refusal`]; an untrusted peer is refused before anything it sent is looked at.
    pub fn identify<'a>(
        &self,
        peer: IpAddr,
        headers: impl Iterator<Item = (&'a str, &'a [u8])>,
    ) -> Result<Identity, Refusal> {
        if !self.trusted.contains(peer) {
            return Err(Refusal::UntrustedPeer);
        }
        let names = &self.headers;
        let mut found = HeaderValues::default();
        let mut secrets = Vec::new();
        for (name, value) in headers {
            if self.secret.as_ref().is_some_and(|(secret, _)| secret.eq_ignore_ascii_case(name)) {
                secrets.push(value);
            }
            for (known, slot) in [
                (&names.user, &mut found.user),
                (&names.email, &mut found.email),
                (&names.name, &mut found.name),
                (&names.groups, &mut found.groups),
            ] {
                if known.eq_ignore_ascii_case(name) {
                    slot.push(value);
                } else if is_alias(known, name) {
                    return Err(Refusal::Alias(known.clone()));
                }
            }
        }
        self.check_secret(&secrets)?;
        let user = single(&names.user, &found.user)?.ok_or(Refusal::NoUser)?;
        let user = user::canonical(user).ok_or_else(|| Refusal::Value(names.user.clone()))?;
        if user.as_str() == user::LOCAL {
            return Err(Refusal::Reserved);
        }
        let email = optional(&names.email, &found.email)?;
        let name = optional(&names.name, &found.name)?;
        let groups: Vec<String> = optional(&names.groups, &found.groups)?
            .unwrap_or_default()
            .split(names.separator)
            // Lists are written with spaces after their commas. Any other blank belongs to the name.
            .map(|group| group.trim_matches(' '))
            .filter(|group| !group.is_empty())
            .map(str::to_owned)
            .collect();
        let is_admin = self.is_admin(&user, &groups);
        Ok(Identity { user, email, name, groups, is_admin, via: AuthMethod::Proxy })
    }

    /// Whether a user who is in these groups administers this server.
    pub(super) fn is_admin(&self, user: &UserId, groups: &[String]) -> bool {
        self.admin_users.iter().any(|admin| admin == user.as_str())
            || groups.iter().any(|group| self.admin_groups.contains(group))
    }

    fn check_secret(&self, given: &[&[u8]]) -> Result<(), Refusal> {
        let Some((_, secret)) = &self.secret else { return Ok(()) };
        match given {
            [given] if bool::from(given.ct_eq(secret.expose_secret().as_bytes())) => Ok(()),
            _ => Err(Refusal::ProxySecret),
        }
    }
}

#[derive(Default)]
struct HeaderValues<'a> {
    user: Vec<&'a [u8]>,
    email: Vec<&'a [u8]>,
    name: Vec<&'a [u8]>,
    groups: Vec<&'a [u8]>,
}

/// Whether a header's name is another spelling of `known`: CGI-style servers and some proxies
/// take `Remote_User` and `Remote.User` for `Remote-User`.
fn is_alias(known: &str, name: &str) -> bool {
    let same = |a: u8, b: u8| {
        a.eq_ignore_ascii_case(&b) || (!a.is_ascii_alphanumeric() && !b.is_ascii_alphanumeric())
    };
    known.len() == name.len() && known.bytes().zip(name.bytes()).all(|(a, b)| same(a, b))
}

/// A header's one value, checked; `None` when the header is not there.
fn single<'a>(name: &str, values: &[&'a [u8]]) -> Result<Option<&'a str>, Refusal> {
    match values {
        [] => Ok(None),
        [value] => match std::str::from_utf8(value) {
            Ok(text) if is_usable(text) => Ok(Some(text)),
            Ok(_) | Err(_) => Err(Refusal::Value(name.to_owned())),
        },
        _ => Err(Refusal::Repeated(name.to_owned())),
    }
}

/// As [`single`], for headers that may be empty: Authelia sends `Remote-Groups` empty for a user without groups. Empty
/// means none, which takes rights away and never gives any.
fn optional(name: &str, values: &[&[u8]]) -> Result<Option<String>, Refusal> {
    match values {
        [value] if value.iter().all(u8::is_ascii_whitespace) => Ok(None),
        values => Ok(single(name, values)?.map(str::to_owned)),
    }
}

/// Whether a value can be a user's, and is not a proxy's unexpanded placeholder.
fn is_usable(text: &str) -> bool {
    let is_unseen = |c: char| c.is_control() || is_blank(c);
    let placeholder = |text: &str| {
        text.contains('{') && text.contains('}')
            || text.starts_with(['$', '%'])
            || matches!(
                text.to_ascii_lowercase().as_str(),
                "(null)" | "null" | "<nil>" | "<no value>" | "undefined" | "-"
            )
    };
    let trimmed = text.trim();
    !trimmed.is_empty() && trimmed == text && !text.chars().any(is_unseen) && !placeholder(text)
}

#[cfg(test)]
#[path = "proxy_tests.rs"]
mod tests;
