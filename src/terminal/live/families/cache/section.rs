//! That it is an earlier answer.

use super::shape::Cache;

/// The sentence before the answers.
#[must_use]
pub fn beginning(cache: &Cache) -> Option<String> {
    let Cache::Hit(earlier) = cache else { return None };
    let when = earlier.created_at.as_deref().map(|when| when.chars().take(10).collect::<String>());
    let when = when.map(|when| format!(" of {when}")).unwrap_or_default();
    let question = earlier.question.as_deref().unwrap_or("the same question");
    Some(format!("This is the answer{when} to: {question}"))
}
