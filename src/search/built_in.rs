//! The simulated backend: a few short documents of this program's own, found by their words. For newcomers without a
//! key, for demonstrations and for tests. Every title says that it is simulated.
//!
//! A query with `/fails` in it fails, as a simulated model of that name does.

use std::collections::{BTreeSet, HashMap};

use async_trait::async_trait;

use crate::llm::{CallError, ErrorKind};

use super::results::{Raw, cleaned};
use super::{Found, Query, Search};

/// What it is called in the ids of searches.
pub(super) const NAME: &str = "simulated";

/// In each file a title, an address, a date and further keywords stand before the text, a line each.
const DOCUMENTS: [&str; 12] = [
    include_str!("documents/bread.md"),
    include_str!("documents/coffee.md"),
    include_str!("documents/deliberation.md"),
    include_str!("documents/heat-pumps.md"),
    include_str!("documents/language-models.md"),
    include_str!("documents/moon.md"),
    include_str!("documents/postgres.md"),
    include_str!("documents/remote-work.md"),
    include_str!("documents/rust.md"),
    include_str!("documents/sky.md"),
    include_str!("documents/sleep.md"),
    include_str!("documents/trains.md"),
];

/// Words that say nothing about what is asked, in English and German.
const SMALL_WORDS: [&str; 84] = [
    "about", "all", "also", "and", "any", "are", "auf", "aus", "bei", "best", "better", "but", "can", "das",
    "dem", "den", "der", "des", "did", "die", "does", "ein", "eine", "einen", "einer", "for", "from", "für",
    "good", "has", "have", "how", "ich", "into", "ist", "its", "kann", "like", "man", "many", "mit", "more",
    "most", "much", "nicht", "not", "oder", "off", "one", "our", "out", "over", "should", "sich", "sind",
    "some", "than", "that", "the", "their", "them", "there", "they", "this", "und", "use", "von", "was",
    "web", "what", "when", "where", "which", "who", "why", "wie", "will", "wir", "with", "would", "you",
    "your", "zu", "zum",
];

struct Document {
    title: &'static str,
    url: &'static str,
    date: &'static str,
    text: &'static str,
    /// The stems in its title and its further words; these count twice.
    head: BTreeSet<String>,
    /// The stems in its text.
    body: BTreeSet<String>,
}

/// See the module.
pub(super) struct BuiltIn {
    documents: Vec<Document>,
    /// In how many documents each stem stands.
    spread: HashMap<String, u32>,
}

impl BuiltIn {
    pub fn new() -> Self {
        let documents: Vec<Document> = DOCUMENTS.into_iter().map(Document::read).collect();
        let mut spread = HashMap::new();
        for document in &documents {
            for stem in document.head.union(&document.body) {
                *spread.entry(stem.clone()).or_default() += 1;
            }
        }
        Self { documents, spread }
    }

    /// How well a document fits; a word that stands in few of them counts more. 0 where no word of the query does.
    fn fit(&self, document: &Document, query: &BTreeSet<String>) -> u32 {
        let weight = |stem: &String| 60 / self.spread.get(stem).copied().unwrap_or(1).max(1);
        query
            .iter()
            .map(|stem| {
                let times =
                    u32::from(document.body.contains(stem)) + 2 * u32::from(document.head.contains(stem));
                times * weight(stem)
            })
            .sum()
    }

    fn found(&self, query: &Query) -> Found {
        let words = stems(&query.text);
        let mut fitting: Vec<(u32, &Document)> = self
            .documents
            .iter()
            .map(|document| (self.fit(document, &words), document))
            .filter(|(fit, _)| *fit > 0)
            .collect();
        // The order of documents breaks ties, so that a query always finds the same.
        fitting.sort_by_key(|(fit, _)| std::cmp::Reverse(*fit));
        // Documents that match far worse than the best one match by accident.
        let least = fitting.first().map_or(0, |(best, _)| best / 4);
        let titles: Vec<(String, &Document)> = fitting
            .into_iter()
            .filter(|(fit, _)| *fit >= least)
            .map(|(_, document)| (format!("{} (simulated)", document.title), document))
            .collect();
        let raw = titles.iter().map(|(title, document)| Raw {
            url: document.url,
            title,
            snippet: document.text,
            published: document.date,
        });
        Found { answer: None, results: cleaned(raw, query.max_results) }
    }
}

impl Document {
    fn read(file: &'static str) -> Self {
        let mut lines = file.splitn(5, '\n');
        let mut next = || lines.next().unwrap_or_default().trim();
        let (title, url, date, more, text) = (next(), next(), next(), next(), next());
        let mut head = stems(title);
        head.extend(stems(more));
        Self { title, url, date, text, head, body: stems(text) }
    }
}

/// The words of a text that say something, without their endings: crude, and enough for a dozen documents.
fn stems(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .map(str::to_lowercase)
        .filter(|word| word.chars().count() > 2 && !SMALL_WORDS.contains(&word.as_str()))
        .map(|word| {
            let endings = ["ing", "ies", "es", "ed", "en", "er", "s", "e", "y"];
            let cut = endings.iter().find_map(|ending| word.strip_suffix(ending));
            cut.filter(|stem| stem.chars().count() > 2).unwrap_or(&word).to_owned()
        })
        .collect()
}

#[async_trait]
impl Search for BuiltIn {
    async fn search(&self, query: &Query) -> Result<Found, CallError> {
        if query.text.contains("/fails") {
            let message = format!("{NAME}: the search is simulated to fail");
            return Err(CallError::new(ErrorKind::Overloaded, message));
        }
        Ok(self.found(query))
    }

    async fn check(&self) -> Result<(), CallError> {
        Ok(())
    }

    fn is_simulated(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(text: &str) -> Vec<String> {
        let query = Query { text: text.to_owned(), max_results: 5 };
        BuiltIn::new().found(&query).results.into_iter().map(|it| it.url).collect()
    }

    #[test]
    fn documents_are_whole_and_of_our_own() {
        let built_in = BuiltIn::new();
        for document in &built_in.documents {
            assert!(document.url.starts_with("https://example.org/"), "{}", document.url);
            assert!(document.date.parse::<jiff::civil::Date>().is_ok(), "{}", document.date);
            assert!(document.text.len() > 300 && document.text.len() < 1500, "{}", document.title);
            assert!(document.head.len() > 3, "{}", document.title);
        }
        let addresses: BTreeSet<_> = built_in.documents.iter().map(|it| it.url).collect();
        assert_eq!(addresses.len(), DOCUMENTS.len());
    }

    #[test]
    fn what_people_try_first_is_found() {
        for (query, first) in [
            ("Why is the sky blue?", "https://example.org/physics/blue-sky"),
            ("Warum ist der Himmel blau?", "https://example.org/physics/blue-sky"),
            (
                "What is the best programming language for a web server, Rust or Go?",
                "https://example.org/software/rust",
            ),
            ("How far away is the moon?", "https://example.org/astronomy/moon"),
            ("Should I drink coffee before going to bed?", "https://example.org/health/coffee"),
            ("Is a heat pump worth it in an old house?", "https://example.org/homes/heat-pumps"),
            ("Do language models hallucinate?", "https://example.org/software/language-models"),
            ("Which database should we choose?", "https://example.org/software/postgres"),
            ("How do I bake sourdough bread?", "https://example.org/kitchen/bread"),
        ] {
            assert_eq!(found(query).first().map(String::as_str), Some(first), "{query}");
        }
    }

    #[test]
    fn nothing_is_found_where_nothing_fits() {
        for query in ["", "???", "Xylophonorchester", "the and of"] {
            assert_eq!(found(query), Vec::<String>::new(), "{query}");
        }
    }

    #[test]
    fn every_result_says_that_it_is_simulated() {
        let query = Query { text: "sleep coffee moon rust train".into(), max_results: 3 };
        let results = BuiltIn::new().found(&query).results;
        assert_eq!(results.len(), 3);
        assert!(results.iter().all(|it| it.title.as_ref().unwrap().ends_with(" (simulated)")));
    }

    proptest! {
        #[test]
        fn any_query_finds_at_most_what_was_asked_for(text in ".*", max_results in 1usize..20) {
            let found = BuiltIn::new().found(&Query { text, max_results });
            prop_assert!(found.results.len() <= max_results);
        }
    }
}
