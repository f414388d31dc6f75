//! What a run is about: the question, and everything in whose light it is asked. Whatever takes part in a
//! deliberation reads it; none of it names a stage or an option.

use serde::{Deserialize, Serialize};

use super::prompts::history::Turn;
use super::prompts::template::Prompts;
use super::settings::{Member, Settings};

/// See the module. Frozen with the plan when the run starts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Brief {
    pub question: String,
    /// Earlier turns, oldest first, already cut to the budget.
    #[serde(default)]
    pub history: Vec<Turn>,
    /// For every member without a prompt of its own.
    #[serde(default)]
    pub system_prompt: Option<String>,
    /// Council, chairman, titles, sampling: the settings in force at the start.
    pub settings: Settings,
    /// What the models are asked with.
    #[serde(default, skip_serializing_if = "Prompts::is_absent")]
    pub prompts: Prompts,
}

impl Brief {
    /// The council, in its order.
    #[must_use]
    pub fn members(&self) -> &[Member] {
        &self.settings.council_models
    }

    /// The system prompt for a model that speaks for the council: its own if it sits, else the run's; none where
    /// the settings say so.
    #[must_use]
    pub fn system_prompt_of_writer(&self, model: &str) -> Option<&str> {
        let seat = self.members().iter().find(|member| member.model == model);
        seat.and_then(|member| self.system_prompt_for(member))
            .or(self.system_prompt.as_deref())
            .filter(|_| self.settings.use_system_prompt_stage3)
    }

    /// The prompt that applies to a member that answers: its own, else the run's.
    #[must_use]
    pub fn system_prompt_for<'a>(&'a self, member: &'a Member) -> Option<&'a str> {
        member.system_prompt.as_deref().or(self.system_prompt.as_deref())
    }
}
