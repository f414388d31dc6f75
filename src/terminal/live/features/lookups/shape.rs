//! What members look up themselves while they write.

use serde::Serialize;

/// Where a member speaks, and what it looked up there.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Place {
    /// The number of the round; `None` in the answers of a council.
    pub round: Option<i64>,
    pub member: String,
    pub lookups: Vec<Lookup>,
}

/// One call of a member, from the moment that it is made.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Lookup {
    pub id: String,
    pub tool: String,
    pub query: String,
    pub status: LookupStatus,
    /// Numbers of sources.
    pub found: Vec<i64>,
    pub ms: Option<u64>,
    /// Why it failed.
    pub error: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LookupStatus {
    #[default]
    Running,
    Done,
    Failed,
}
