//! What is stored of a writer's checks: a fold over their events.

use serde::{Deserialize, Serialize};

use super::event::{Action, CheckEvent};

/// One check, or the decision to write.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct CheckStep {
    pub model: String,
    /// The turn, from 1. A turn with several searches has several steps.
    pub iteration: u8,
    pub thought: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    pub action: Option<Action>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observation: Option<String>,
    /// The numbers of the sources that it found.
    #[serde(default)]
    pub sources: Vec<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Takes in an event. Several may check at the same time: each one's steps stand together.
pub fn apply(steps: &mut Vec<CheckStep>, event: &CheckEvent) {
    match event {
        CheckEvent::Thought(said) => steps.push(CheckStep {
            model: said.model.clone(),
            iteration: said.iteration,
            thought: said.thought.clone(),
            ..CheckStep::default()
        }),
        CheckEvent::Acted(done) => {
            let last = last(steps, &done.model, done.iteration);
            match last {
                Some(step) if step.action.is_none() => {
                    step.action = Some(done.action);
                    step.query.clone_from(&done.query);
                }
                Some(_) | None => steps.push(CheckStep {
                    model: done.model.clone(),
                    iteration: done.iteration,
                    action: Some(done.action),
                    query: done.query.clone(),
                    ..CheckStep::default()
                }),
            }
        }
        CheckEvent::Observation(seen) => {
            if let Some(step) = last(steps, &seen.model, seen.iteration) {
                step.observation = Some(seen.observation.clone());
                step.sources = seen.sources.iter().map(|source| source.n).collect();
                step.error.clone_from(&seen.error);
            }
        }
    }
    // Which of several came first is chance. The sort keeps the order of equals.
    steps.sort_by(|one, other| (&one.model, one.iteration).cmp(&(&other.model, other.iteration)));
}

fn last<'s>(steps: &'s mut [CheckStep], model: &str, iteration: u8) -> Option<&'s mut CheckStep> {
    steps.iter_mut().rev().find(|step| step.model == model && step.iteration == iteration)
}

#[cfg(test)]
mod tests {
    use super::super::event::{CheckAction, CheckObservation, CheckThought};
    use super::*;

    #[test]
    fn a_turn_with_two_searches_has_two_steps() {
        let model = || "m".to_owned();
        let act = |query: &str| {
            CheckEvent::Acted(CheckAction {
                model: model(),
                iteration: 1,
                action: Action::SearchWeb,
                query: Some(query.to_owned()),
            })
        };
        let seen = |observation: &str| {
            CheckEvent::Observation(CheckObservation {
                model: model(),
                iteration: 1,
                observation: observation.to_owned(),
                sources: Vec::new(),
                error: None,
            })
        };
        let thought =
            CheckEvent::Thought(CheckThought { model: model(), iteration: 1, thought: "Hm.".to_owned() });
        let mut steps = Vec::new();
        for event in [thought, act("a"), seen("A"), act("b"), seen("B")] {
            apply(&mut steps, &event);
        }
        let told: Vec<_> = steps
            .iter()
            .map(|step| (step.thought.as_str(), step.query.as_deref(), step.observation.as_deref()))
            .collect();
        assert_eq!(told, [("Hm.", Some("a"), Some("A")), ("", Some("b"), Some("B"))]);
    }
}
