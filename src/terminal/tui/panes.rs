//! The parts of the screen, and the views of a deliberation.

use crate::terminal::live::LiveRun;

/// A part of the screen that keys go to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pane {
    List,
    Reading,
    Writing,
}

/// A view of a deliberation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Tab {
    #[default]
    Answers,
    Reviews,
    Final,
    Process,
}

impl Tab {
    pub const ALL: [Self; 4] = [Self::Answers, Self::Reviews, Self::Final, Self::Process];

    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Answers => "Answers",
            Self::Reviews => "Reviews",
            Self::Final => "Final",
            Self::Process => "Process",
        }
    }

    /// The tab that a run's progress is in.
    #[must_use]
    pub fn of(run: &LiveRun) -> Self {
        match run.phase.as_str() {
            _ if !run.status.is_live() => Self::Final,
            "stage2" => Self::Reviews,
            _ if run.final_answer.piece.text.is_empty() => Self::Answers,
            _ => Self::Final,
        }
    }
}
