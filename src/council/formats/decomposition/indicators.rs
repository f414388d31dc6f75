//! Words in a question that suggest that it has parts.

/// Words that suggest a question with parts, in lower case.
pub const INDICATORS: &[&str] = &[
    "advantages and disadvantages",
    "as well as",
    "compare",
    "comparison",
    "consequences",
    "design",
    "evaluate",
    "furthermore",
    "implications",
    "in addition",
    "on the other hand",
    "plan for",
    "pros and cons",
    "roadmap",
    "step by step",
    "strategy",
    "trade-off",
    "trade-offs",
    "versus",
    "vs",
];

/// The words in a question that are typical of questions with parts.
#[must_use]
pub fn indicators(question: &str) -> Vec<String> {
    let text = question.to_lowercase();
    let stands_alone = |word: &&&str| {
        text.match_indices(**word).any(|(at, _)| {
            let before = text.get(..at).and_then(|before| before.chars().next_back());
            let after = text.get(at + word.len()..).and_then(|after| after.chars().next());
            ![before, after].into_iter().flatten().any(char::is_alphanumeric)
        })
    };
    let words = INDICATORS.iter().filter(stands_alone).map(|word| (*word).to_owned());
    let questions = question.matches('?').count();
    words.chain((questions > 1).then(|| format!("{questions} question marks"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indicators_are_words_of_their_own() {
        assert_eq!(indicators("Compare Rust vs Go. Why? How?"), ["compare", "vs", "2 question marks"]);
        assert_eq!(indicators("Canvas or incomparable?"), [""; 0]);
    }
}
