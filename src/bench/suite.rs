//! What a bench compares. It is stored with the bench as it was when that began, so that a change of settings, prices
//! or presets in between does not make two halves of different kinds.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::question::Question;
use super::report::VariantKind;
use crate::council::Plan;
use crate::council::field::name_problem;
use crate::llm::{Sampling, Timeouts};

/// See the module.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Suite {
    pub variants: Vec<Variant>,
    /// Who grades what only a reader can.
    #[serde(default)]
    pub judge: Option<Single>,
    /// Whether any of the models is simulated.
    #[serde(default)]
    pub simulated: bool,
}

/// What the questions are asked of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Variant {
    pub name: String,
    pub asks: Asks,
}

/// A council or a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Asks {
    /// A plan whose question is put in for each of them.
    Council(Box<Plan>),
    /// One model, with one call.
    Model(Single),
}

impl Asks {
    /// Which of the two it is.
    #[must_use]
    pub fn kind(&self) -> VariantKind {
        match self {
            Self::Council(_) => VariantKind::Council,
            Self::Model(_) => VariantKind::Model,
        }
    }
}

/// One model with the settings of its calls.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Single {
    pub model: String,
    #[serde(default)]
    pub sampling: Sampling,
    #[serde(default)]
    pub timeouts: Timeouts,
}

/// A variant as people write it down.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VariantSpec {
    pub name: String,
    /// A model that is asked alone.
    #[serde(default)]
    pub model: Option<String>,
    /// The name of a preset.
    #[serde(default)]
    pub preset: Option<String>,
    /// Fields of a request.
    #[serde(default)]
    pub request: Map<String, Value>,
}

/// A digest of what a bench was asked to do: the same for the same questions, variants and judge.
#[must_use]
pub fn digest(questions: &[Question], variants: &[VariantSpec], judge: Option<&str>) -> Vec<u8> {
    let mut all = json!({"questions": questions, "variants": variants, "judge": judge});
    all.sort_all_objects();
    Sha256::digest(all.to_string()).to_vec()
}

/// Everything that is wrong with these variants and this judge by themselves, before models and settings are looked at.
#[must_use]
pub fn problems(questions: &[Question], variants: &[VariantSpec], judge: Option<&str>) -> Vec<String> {
    let mut problems = Vec::new();
    if variants.is_empty() {
        problems.push("there is nothing to compare: name a variant".to_owned());
    }
    for (at, variant) in variants.iter().enumerate() {
        let name = &variant.name;
        if name_problem(name, 60).is_some() {
            problems.push(format!("{name:?} is no name of a variant: 1 to 60 characters"));
        }
        if variants[..at].iter().any(|other| other.name == *name) {
            problems.push(format!("two variants are called {name:?}"));
        }
        if variant.model.is_some() && (variant.preset.is_some() || !variant.request.is_empty()) {
            problems.push(format!(
                "variant {name:?}: a model alone takes neither a preset nor fields of a request"
            ));
        }
        for field in ["content", "new_conversation", "preset_id"] {
            if variant.request.contains_key(field) {
                problems.push(format!("variant {name:?}: {field} cannot be set by a variant"));
            }
        }
        if variant.request.get("use_cache") == Some(&Value::Bool(true)) {
            problems.push(format!("variant {name:?}: a bench asks every question anew; leave use_cache out"));
        }
    }
    let judged = questions.iter().filter(|question| question.grader == "judge").count();
    if judged > 0 && judge.is_none() {
        problems.push(format!("{judged} questions need a judge: name a model with --judge"));
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variant_cannot_ask_for_earlier_answers() {
        let spec = |cached: bool| {
            let request = Map::from_iter([("use_cache".to_owned(), Value::Bool(cached))]);
            [VariantSpec { name: "council".into(), request, ..VariantSpec::default() }]
        };
        assert_eq!(problems(&[], &spec(true), None).len(), 1);
        assert_eq!(problems(&[], &spec(false), None), [""; 0]);
    }
}
