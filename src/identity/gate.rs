//! The server's rule for who gets in: identities, origins and hosts together.

use std::net::IpAddr;

use super::hosts::Hosts;
use super::proxy::{ProxyPolicy, Refusal};
use super::same_origin::Origins;
use super::{AuthMethod, Identity, user};
use crate::id::UserId;

/// The server's rule for who gets in.
#[derive(Debug)]
pub struct Gate {
    pub mode: Mode,
    pub origins: Origins,
    pub hosts: Hosts,
}

/// Where identities come from.
#[derive(Debug)]
pub enum Mode {
    /// From a trusted proxy's headers.
    Proxy(Box<ProxyPolicy>),
    /// Everybody who reaches this server is this user.
    Local(UserId),
}

impl Gate {
    /// Whether a token's user may exist under this mode. Tokens outlive a change of `auth.mode`.
    #[must_use]
    pub fn may_exist(&self, user: &UserId) -> bool {
        match self.mode {
            Mode::Proxy(_) => user.as_str() != user::LOCAL,
            Mode::Local(_) => true,
        }
    }

    /// Whether a user who is in these groups administers this server.
    #[must_use]
    pub fn is_admin(&self, user: &UserId, groups: &[String]) -> bool {
        match &self.mode {
            Mode::Proxy(policy) => policy.is_admin(user, groups),
            Mode::Local(_) => user.as_str() == user::LOCAL,
        }
    }

    /// The identity of a request.
    pub fn identify<'a>(
        &self,
        peer: IpAddr,
        headers: impl Iterator<Item = (&'a str, &'a [u8])>,
    ) -> Result<Identity, Refusal> {
        match &self.mode {
            Mode::Proxy(policy) => policy.identify(peer, headers),
            Mode::Local(user) => Ok(Identity {
                user: user.clone(),
                email: None,
                name: None,
                groups: Vec::new(),
                is_admin: self.is_admin(user, &[]),
                via: AuthMethod::Local,
            }),
        }
    }

    /// Whether a state-changing request may go on; see [`Origins::allow`].
    #[must_use]
    pub fn same_origin(&self, site: Option<&str>, origin: Option<&str>, host: Option<&str>) -> bool {
        self.origins.allow(site, origin, host)
    }
}
