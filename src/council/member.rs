//! A model on the council, and what is wrong with one.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::field::{FieldError, FieldErrorKind, Fields};
use crate::invisible::{is_hidden, is_joiner};
use crate::llm::SEARCH_PREFIX;

/// The most members a council may have (labels, reading orders and the Kemeny search are designed for it).
pub const MAX_MEMBERS: usize = 7;
/// The fewest members that can review each other.
pub const MIN_MEMBERS: usize = 2;
/// How a request names the chairman, unless a member has this name.
pub(in crate::council) const CHAIRMAN: &str = "chairman";
/// What prompts call an answer or a speaker, before a letter.
const LABELS: [&str; 3] = ["response", "participant", "answer"];
/// The longest list of models that is checked model by model. They are compared with each other, and a list that fills
/// a request's body would block this server for minutes.
const MOST_READ: usize = 100;
const MAX_NAME_CHARS: usize = 200;
const MAX_PROMPT_CHARS: usize = 20_000;

/// A model on the council. In JSON a bare string is accepted as a model id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Member {
    /// `provider:model`, or a bare id for the default provider.
    pub model: String,
    /// The name shown for this seat; needed when the same model has two seats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alias: Option<String>,
    /// A system prompt of this member's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
}

impl Member {
    /// A member without alias or prompt.
    pub fn plain(model: impl Into<String>) -> Self {
        Self { model: model.into(), alias: None, system_prompt: None }
    }

    /// The seat's name, unique in its council: the alias, else the model id.
    #[must_use]
    pub fn name(&self) -> &str {
        self.alias.as_deref().unwrap_or(&self.model)
    }
}

impl<'de> Deserialize<'de> for Member {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Shape {
            Id(String),
            Full { model: String, alias: Option<String>, system_prompt: Option<String> },
        }
        let given = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        Ok(match Shape::deserialize(deserializer)? {
            Shape::Id(model) => Self::plain(model),
            Shape::Full { model, alias, system_prompt } => Self {
                model,
                alias: given(alias).map(|alias| alias.trim().to_owned()),
                system_prompt: given(system_prompt),
            },
        })
    }
}

/// Why a list of this many models is not read, if it is not.
pub(super) fn too_long(models: usize) -> Option<String> {
    (models > MOST_READ).then(|| format!("may name at most {MAX_MEMBERS} models; it names {models}"))
}

/// Reads a list of members, naming each malformed seat. Reserved names are refused only here, where they are newly
/// given: stored members that have one stay valid.
pub(super) fn members(fields: &mut Fields<'_>, field: &str) -> Option<Vec<Member>> {
    let seats: Vec<Value> = fields.take(field, "a list of models")?;
    if let Some(problem) = too_long(seats.len()) {
        fields.refuse(field, FieldErrorKind::Value, problem);
        return None;
    }
    let mut members = Vec::with_capacity(seats.len());
    for (seat, value) in seats.iter().enumerate() {
        match Member::deserialize(value) {
            Ok(member) => {
                if let Some(problem) = member.alias.as_deref().and_then(taken) {
                    fields.refuse(format!("{field}.{seat}.alias"), FieldErrorKind::Value, problem);
                }
                members.push(member);
            }
            Err(_) => fields.refuse(
                format!("{field}.{seat}"),
                FieldErrorKind::Type,
                "must be a model id or {model, alias?, system_prompt?}",
            ),
        }
    }
    Some(members)
}

/// Why an alias is reserved, if requests or prompts call something else by it.
fn taken(alias: &str) -> Option<String> {
    let name = alias.to_lowercase();
    if name == CHAIRMAN {
        return Some(format!(
            "{alias:?} is how a question to the chairman alone names it; choose another alias"
        ));
    }
    let is_label = LABELS.iter().any(|word| {
        let letter = name.strip_prefix(word).and_then(|rest| rest.strip_prefix(char::is_whitespace));
        letter.is_some_and(|letter| {
            let mut chars = letter.trim_start().chars();
            chars.next().is_some_and(char::is_alphabetic) && chars.next().is_none()
        })
    });
    is_label
        .then(|| format!("{alias:?} is what an answer is called while it is ranked; choose another alias"))
}

/// Everything that is wrong with a council of these members.
pub(super) fn member_problems(field: &str, members: &[Member]) -> Vec<FieldError> {
    let mut problems = Vec::new();
    if !(MIN_MEMBERS..=MAX_MEMBERS).contains(&members.len()) {
        problems.push(FieldError::value(
            field,
            format!("a council has {MIN_MEMBERS} to {MAX_MEMBERS} members; this one has {}", members.len()),
        ));
    }
    problems.extend(seat_problems(field, members));
    problems
}

/// Everything that is wrong with a list of reviewers, which may be empty.
pub(super) fn reviewer_problems(field: &str, reviewers: &[Member]) -> Vec<FieldError> {
    let mut problems = Vec::new();
    if reviewers.len() > MAX_MEMBERS {
        let message = format!("at most {MAX_MEMBERS} models review; these are {}", reviewers.len());
        problems.push(FieldError::value(field, message));
    }
    problems.extend(seat_problems(field, reviewers));
    problems
}

fn seat_problems(field: &str, members: &[Member]) -> Vec<FieldError> {
    let mut problems = Vec::new();
    for (seat, member) in members.iter().enumerate() {
        problems.extend(model_problem(&format!("{field}.{seat}.model"), &member.model));
        if member.alias.as_deref().is_some_and(|alias| !is_a_name(alias)) {
            problems.push(FieldError::value(format!("{field}.{seat}.alias"), name_rule()));
        }
        let is_wrong = |prompt: &str| prompt.chars().count() > MAX_PROMPT_CHARS || prompt.contains('\0');
        if member.system_prompt.as_deref().is_some_and(is_wrong) {
            problems.push(FieldError::value(
                format!("{field}.{seat}.system_prompt"),
                format!("at most {MAX_PROMPT_CHARS} characters, and no U+0000"),
            ));
        }
        if members[..seat].iter().any(|earlier| earlier.name() == member.name()) {
            problems.push(FieldError::value(
                format!("{field}.{seat}"),
                format!("two members are called {:?}; give each its own alias", member.name()),
            ));
        }
    }
    problems
}

/// What is wrong with a model id, if anything.
#[must_use]
pub fn model_problem(field: &str, model: &str) -> Option<FieldError> {
    if model.starts_with(SEARCH_PREFIX) {
        return Some(FieldError::value(field, "is the name of a web search, not of a model"));
    }
    (!is_a_name(model) || model.contains(char::is_whitespace)).then(|| {
        FieldError::value(
            field,
            format!(
                "must be a model id: 1 to {MAX_NAME_CHARS} characters without spaces or control characters"
            ),
        )
    })
}

pub(super) fn is_a_name(text: &str) -> bool {
    !text.trim().is_empty()
        && text.chars().count() <= MAX_NAME_CHARS
        && !text.chars().any(|c| c.is_control() || is_hidden(c) || is_joiner(c))
}

pub(super) fn name_rule() -> String {
    format!("must be 1 to {MAX_NAME_CHARS} characters without control or invisible characters")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fields(problems: &[FieldError]) -> Vec<&str> {
        problems.iter().map(|problem| problem.field.as_str()).collect()
    }

    #[test]
    fn the_same_model_sits_twice_only_under_two_names() {
        let twice = vec![Member::plain("a/one"), Member::plain("a/one")];
        assert_eq!(fields(&member_problems("m", &twice)), ["m.1"]);
        let named = vec![
            Member { alias: Some("optimist".into()), ..Member::plain("a/one") },
            Member { alias: Some("sceptic".into()), ..Member::plain("a/one") },
        ];
        assert!(member_problems("m", &named).is_empty());
    }

    #[test]
    fn a_search_is_no_member() {
        let council = [Member::plain("search:tavily"), Member::plain("a/search:tavily")];
        assert_eq!(fields(&member_problems("m", &council)), ["m.0.model"]);
    }

    #[test]
    fn a_name_that_stands_for_something_else_is_refused_where_it_is_given() {
        let refused = |alias: &str| {
            let body = json!({"m": [{"model": "a/one", "alias": alias}, "b/two"]});
            let mut fields = Fields::of(&body).unwrap();
            let members = members(&mut fields, "m").unwrap();
            assert_eq!(members.len(), 2);
            assert!(member_problems("m", &members).is_empty(), "what is stored stands: {alias}");
            fields.finish(|| ()).err().unwrap_or_default()
        };
        for alias in ["chairman", " Chairman ", "Response A", "response  z", "PARTICIPANT B", "Answer ü"] {
            assert_eq!(fields(&refused(alias)), ["m.0.alias"], "{alias}");
        }
        for alias in ["The chairman", "Chair", "Response", "Response AB", "Responses A", "A", "ResponseA"] {
            assert!(refused(alias).is_empty(), "{alias}");
        }
    }

    #[test]
    fn a_list_that_no_council_comes_near_is_refused_as_a_whole() {
        let read = |count: usize| {
            let body = json!({"m": vec![0; count]});
            let mut fields = Fields::of(&body).unwrap();
            let members = members(&mut fields, "m");
            (members.is_some(), fields.finish(|| ()).unwrap_err())
        };
        let (is_read, errors) = read(MOST_READ);
        assert!(is_read && errors.len() == MOST_READ, "every wrong seat is named");
        let (is_read, errors) = read(MOST_READ + 1);
        assert!(!is_read);
        assert_eq!(fields(&errors), ["m"]);
        assert_eq!(errors[0].message, "may name at most 7 models; it names 101");
    }

    #[test]
    fn a_bare_string_is_a_member() {
        let member: Member = serde_json::from_value(json!("openai/gpt-5.1")).unwrap();
        assert_eq!(member, Member::plain("openai/gpt-5.1"));
    }
}
