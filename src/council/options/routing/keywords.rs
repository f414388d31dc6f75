//! The kind of a question by single words in it, where no model names one.

use super::QUOTED_CHARS;
use super::settings::Category;

/// Words and phrases that tell a kind of question, in lower case.
const KEYWORDS: [(Category, &[&str]); 4] = [
    (
        Category::Coding,
        &[
            "algorithm",
            "api",
            "bug",
            "c#",
            "c++",
            "class",
            "code",
            "compile",
            "compiler",
            "css",
            "database",
            "debug",
            "docker",
            "exception",
            "function",
            "git",
            "html",
            "implement",
            "java",
            "javascript",
            "kubernetes",
            "linux",
            "method",
            "program",
            "programming",
            "python",
            "query",
            "refactor",
            "regex",
            "rust",
            "script",
            "segfault",
            "sql",
            "stack trace",
            "syntax",
            "typescript",
            "unit test",
            "variable",
        ],
    ),
    (
        Category::Creative,
        &[
            "brainstorm",
            "character",
            "dialogue",
            "fiction",
            "funny",
            "haiku",
            "imagine",
            "invent",
            "joke",
            "limerick",
            "lyrics",
            "name for",
            "novel",
            "plot",
            "poem",
            "rhyme",
            "scene",
            "screenplay",
            "short story",
            "slogan",
            "song",
            "story",
            "tagline",
            "tale",
            "write a letter",
            "write a speech",
        ],
    ),
    (
        Category::Factual,
        &[
            "capital of",
            "define",
            "definition",
            "discovered",
            "founded",
            "history of",
            "how does",
            "how far",
            "how long",
            "how many",
            "how much",
            "how old",
            "invented",
            "meaning of",
            "population",
            "what are",
            "what does",
            "what is",
            "what was",
            "what year",
            "when did",
            "when was",
            "where is",
            "who is",
            "who was",
        ],
    ),
    (
        Category::Analysis,
        &[
            "advantages",
            "analyse",
            "analyze",
            "argue",
            "argument",
            "assess",
            "better than",
            "compare",
            "comparison",
            "consequences",
            "contrast",
            "critique",
            "decide",
            "difference between",
            "disadvantages",
            "evaluate",
            "implications",
            "pros and cons",
            "recommend",
            "should i",
            "should we",
            "strategy",
            "trade-off",
            "trade-offs",
            "versus",
            "vs",
            "weigh",
            "which is better",
        ],
    ),
];

/// A guess by single words of the question.
#[derive(Debug, Clone, PartialEq)]
pub struct Guess {
    pub category: Category,
    /// Never more than 0.5.
    pub confidence: f64,
    /// The words, at most five.
    pub words: Vec<&'static str>,
}

/// Guesses by single words of the question.
#[must_use]
pub fn by_keywords(question: &str) -> Guess {
    let kept = |c: char| if c.is_alphanumeric() || "+#-'".contains(c) { c } else { ' ' };
    let lower: String = question.chars().take(QUOTED_CHARS).flat_map(char::to_lowercase).map(kept).collect();
    let words = format!(" {} ", lower.split_whitespace().collect::<Vec<_>>().join(" "));
    let found = |keywords: &[&'static str]| -> Vec<&'static str> {
        keywords.iter().filter(|word| words.contains(&format!(" {word} "))).copied().collect()
    };
    let mut hits: Vec<(Category, Vec<&'static str>)> =
        KEYWORDS.iter().map(|(category, keywords)| (*category, found(keywords))).collect();
    // Stable: of equals the first in the list.
    hits.sort_by_key(|(_, found)| std::cmp::Reverse(found.len()));
    let (category, words) = &hits[0];
    if words.is_empty() {
        return Guess { category: Category::General, confidence: 0.3, words: Vec::new() };
    }
    let leads_alone = hits[1].1.len() < words.len();
    Guess {
        category: *category,
        confidence: if leads_alone { 0.5 } else { 0.3 },
        words: words.iter().take(5).copied().collect(),
    }
}
