//! The note that this is an earlier answer.

use super::shape::Cache;

/// The sentence before the answers.
#[must_use]
pub fn beginning(cache: &Cache) -> Option<String> {
    let Cache::Hit(earlier) = cache else { return None };
    let when = earlier.created_at.as_deref().map(|when| when.chars().take(10).collect::<String>());
    let when = when.map(|when| format!(" of {when}")).unwrap_or_default();
    Some(format!("This is the answer{when} to: {}", earlier.asked()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::live::features::cache::shape::Earlier;

    #[test]
    fn a_question_that_is_only_alike_is_not_called_the_same() {
        let said = |question: Option<&str>, exact| {
            let question = question.map(str::to_owned);
            let created_at = Some("2026-01-02T03:04:05Z".to_owned());
            let earlier =
                Earlier { similarity: Some(0.94), exact, question, created_at, ..Earlier::default() };
            beginning(&Cache::Hit(earlier)).unwrap()
        };
        assert_eq!(said(Some("Why blue?"), false), "This is the answer of 2026-01-02 to: Why blue?");
        assert!(said(None, false).ends_with("to: a question of somebody else that is 94 % alike"));
        assert!(said(None, true).ends_with("to: the same question, asked by somebody else"));
    }
}
