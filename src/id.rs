//! The ids that cross rooms. Each is its own type, so that one cannot be passed for another.

use std::fmt;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The error of a text that is not an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not an id: expected a UUID in lower case with hyphens")]
pub struct NoId;

/// Parses a UUID in the one spelling that this program writes. Others (capitals, braces, `urn:uuid:`, no
/// hyphens) would be further names for the same thing.
fn one_spelling(text: &str) -> Result<Uuid, NoId> {
    let uuid: Uuid = text.parse().map_err(|_| NoId)?;
    let mut buffer = Uuid::encode_buffer();
    if uuid.hyphenated().encode_lower(&mut buffer) == text { Ok(uuid) } else { Err(NoId) }
}

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
            type Err = NoId;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                one_spelling(text).map(Self)
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
    /// One run: what answers one user message.
    RunId,
    now_v7
);
uuid_id!(
    /// A personal access token's public id (never the secret).
    TokenId,
    now_v7
);

uuid_id!(
    /// A prompt or a rubric of the library.
    LibraryEntryId,
    now_v7
);

uuid_id!(
    /// A named council with its options.
    PresetId,
    now_v7
);

uuid_id!(
    /// A bench: a measurement of councils.
    BenchId,
    now_v7
);

uuid_id!(
    /// An administrator's request to read a user's conversations.
    AccessId,
    now_v7
);

uuid_id!(
    /// A shared snapshot of a conversation. Whoever knows the id may read it, so it is random.
    ShareId,
    new_v4
);

uuid_id!(
    /// The key of an object in an object store: random, and never used a second time.
    ObjectKey,
    new_v4
);

uuid_id!(
    /// A project: a place for the conversations of a team.
    ProjectId,
    now_v7
);

uuid_id!(
    /// A group of a user's own conversations.
    FolderId,
    now_v7
);

uuid_id!(
    /// A question that is asked regularly.
    ScheduleId,
    now_v7
);

uuid_id!(
    /// The outcome of one time at which a schedule was due.
    ScheduleResultId,
    now_v7
);

uuid_id!(
    /// A program that is notified when runs end.
    WebhookId,
    now_v7
);

uuid_id!(
    /// One notification to a webhook or a device, however often its delivery is tried.
    DeliveryId,
    now_v7
);

uuid_id!(
    /// A user's browser, which is notified when their runs end or wait for them.
    DeviceId,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_has_one_spelling() {
        let id = ConversationId::generate();
        let text = id.to_string();
        assert_eq!(text.parse(), Ok(id));
        for other in [
            text.to_uppercase(),
            text.replace('-', ""),
            format!("{{{text}}}"),
            format!("urn:uuid:{text}"),
            format!(" {text}"),
            format!("{text}0"),
            String::new(),
        ] {
            assert_eq!(other.parse::<ConversationId>(), Err(NoId), "{other}");
        }
    }
}
