//! Identification. Pure: a peer's address and a request's headers in, an [`Identity`] or a [`Refusal`] out. Knows no
//! HTTP framework and no database; imports only `id`.
//!
//! Start at [`proxy::ProxyPolicy::identify`].

pub mod cidr;
mod gate;
pub mod hosts;
pub mod proxy;
pub mod same_origin;
pub mod token;
pub mod user;

use crate::id::{TokenId, UserId};

pub use gate::{Gate, Mode};
pub use proxy::{ProxyPolicy, Refusal};

/// Who sends a request, and how that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    pub user: UserId,
    /// Shown only, never used to find or authorise.
    pub email: Option<String>,
    /// Shown only.
    pub name: Option<String>,
    pub groups: Vec<String>,
    pub is_admin: bool,
    pub via: AuthMethod,
}

/// How an identity is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AuthMethod {
    /// A trusted proxy said so.
    Proxy,
    /// There is one local user.
    Local,
    /// A personal access token, with what it may do.
    Token { id: TokenId, permissions: Vec<Permission> },
    /// Nobody asks right now: a question that this user has scheduled is due.
    Schedule,
}

/// What a token may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permission {
    /// Read conversations, runs and settings.
    Read,
    /// Ask the council and change what is one's own.
    Ask,
}

impl Permission {
    /// Reads the name that tokens are stored with.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "read" => Some(Self::Read),
            "ask" => Some(Self::Ask),
            _ => None,
        }
    }
}

impl Identity {
    /// The holder of a token. Never an admin: a leaked token must not reach further than its user.
    #[must_use]
    pub fn by_token(user: UserId, id: TokenId, permissions: &[String]) -> Self {
        let permissions = permissions.iter().filter_map(|name| Permission::parse(name)).collect();
        Self {
            user,
            email: None,
            name: None,
            groups: Vec::new(),
            is_admin: false,
            via: AuthMethod::Token { id, permissions },
        }
    }

    /// The user of a scheduled question that is due. They are in the groups that they were last seen in.
    #[must_use]
    pub fn by_schedule(user: UserId) -> Self {
        Self { user, email: None, name: None, groups: Vec::new(), is_admin: false, via: AuthMethod::Schedule }
    }

    /// Whether this identity may do that; people in their browser may do everything that is theirs.
    #[must_use]
    pub fn may(&self, permission: Permission) -> bool {
        match &self.via {
            AuthMethod::Proxy | AuthMethod::Local => true,
            AuthMethod::Schedule => permission == Permission::Ask,
            AuthMethod::Token { permissions, .. } => permissions.contains(&permission),
        }
    }
}
