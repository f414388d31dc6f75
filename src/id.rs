//! The ids that cross rooms. Each is its own type, so that one cannot be passed for another.

use std::fmt;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

macro_rules! uuid_id {
    ($(#[$doc:meta])* $name:ident, $new:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, utoipa::ToSchema)]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl $name {
            /// A fresh id.
            #[must_use]
            pub fn generate() -> Self {
                Self(Uuid::$new())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl std::str::FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse().map(Self)
            }
        }
    };
}

uuid_id!(
    /// A conversation of one user (a random UUID: existing clients show and store version 4).
    ConversationId,
    new_v4
);
uuid_id!(
    /// One message of a conversation.
    MessageId,
    now_v7
);
uuid_id!(
    /// One execution for one user message.
    RunId,
    now_v7
);
uuid_id!(
    /// A personal access token's public id (never the secret).
    TokenId,
    now_v7
);

uuid_id!(
    /// A named council with its options.
    PresetId,
    now_v7
);

/// A user, in the one canonical form that `identity` makes of a proxy's header.
///
/// Everything else (email, display name) is shown only, never used to find or authorise.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(transparent)]
pub struct UserId(String);

impl UserId {
    /// Wraps a name that is already canonical: `identity` makes these, `store` reads them back.
    #[must_use]
    pub fn from_canonical(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// The canonical name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for UserId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
