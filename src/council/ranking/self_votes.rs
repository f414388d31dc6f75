//! What a ballot says of its author's own answer.

use serde::{Deserialize, Serialize};

use crate::council::field::{FieldErrorKind, Fields};

/// How a reviewer's place for its own answer counts. With fewer than three answers it always counts as it was
/// cast: nothing else is left to compare.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SelfVotes {
    /// Moved by as much as that model has preferred itself before ([`super::records`]).
    #[default]
    Adjusted,
    /// As it was cast.
    Counted,
    /// Not at all.
    LeftOut,
}

impl SelfVotes {
    /// What the flag of existing clients means.
    #[must_use]
    pub fn from_flag(count: bool) -> Self {
        if count { Self::Counted } else { Self::LeftOut }
    }

    /// Reads a request's fields: the name wins over the flag, and both over the setting.
    pub(in crate::council) fn parse(fields: &mut Fields<'_>, setting: Option<bool>) -> Self {
        let name: Option<String> = fields.take("self_votes", "a string");
        let flag: Option<bool> = fields.take("count_self_votes", "true or false");
        let otherwise = flag.or(setting).map(Self::from_flag).unwrap_or_default();
        match name.as_deref() {
            None => otherwise,
            Some("adjusted") => Self::Adjusted,
            Some("counted") => Self::Counted,
            Some("left_out") => Self::LeftOut,
            Some(_) => {
                let message = "must be adjusted, counted or left_out";
                fields.refuse("self_votes", FieldErrorKind::Value, message);
                otherwise
            }
        }
    }
}
