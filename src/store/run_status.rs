//! The states of a run.

use super::StoreError;

/// The state of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    Queued,
    Running,
    Complete,
    Failed,
    Cancelled,
}

impl RunStatus {
    /// The name in SQL and JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Complete => "complete",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Reads the name that SQL holds.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Queued, Self::Running, Self::Complete, Self::Failed, Self::Cancelled]
            .into_iter()
            .find(|status| status.as_str() == name)
    }

    /// Reads the name that a row holds.
    pub(super) fn read(name: &str) -> Result<Self, StoreError> {
        Self::parse(name).ok_or_else(|| StoreError::Corrupt {
            what: "runs.status",
            source: format!("unknown status {name:?}").into(),
        })
    }

    /// Whether the run is over.
    #[must_use]
    pub fn is_over(self) -> bool {
        match self {
            Self::Queued | Self::Running => false,
            Self::Complete | Self::Failed | Self::Cancelled => true,
        }
    }
}
