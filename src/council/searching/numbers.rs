//! Which number each source of a run has: one for each page, in the order in which searches came in. That order is
//! chance, so each search's numbers are remembered before anybody reads them.

use std::collections::{BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use super::source::Source;
use super::source_list;

/// The numbers that are given so far.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    /// Each source once, by its number.
    sources: Vec<Source>,
    /// What each query found.
    found: HashMap<String, Vec<u32>>,
    /// How many searches have come in.
    searches: usize,
}

/// What one search found, numbered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Numbered {
    query: String,
    sources: Vec<Source>,
}

impl Numbers {
    /// Registers sources that have their numbers already.
    pub fn know(&mut self, sources: &[Source]) {
        source_list::keep(&mut self.sources, sources);
    }

    /// Where the next search is remembered.
    pub fn next_key(&self) -> String {
        format!("sources/{}", self.searches + 1)
    }

    /// Numbers what a search found: a page that is known keeps its number and its text.
    pub fn assign(&self, query: &str, found: &[Source]) -> Numbered {
        let mut sources: Vec<Source> = Vec::new();
        let mut next = self.sources.iter().map(|source| source.n).max().unwrap_or(0);
        for source in found {
            if sources.iter().any(|known| known.is_same_page(source)) {
                continue;
            }
            let known = self.sources.iter().find(|known| known.is_same_page(source)).cloned();
            sources.push(known.unwrap_or_else(|| {
                next = next.saturating_add(1);
                Source { n: next, ..source.clone() }
            }));
        }
        Numbered { query: query.to_owned(), sources }
    }

    /// Adds the next search.
    pub fn take(&mut self, numbered: Numbered) {
        self.searches += 1;
        self.found.insert(numbered.query, numbered.sources.iter().map(|source| source.n).collect());
        for source in numbered.sources {
            if !self.sources.iter().any(|known| known.n == source.n) {
                self.sources.push(source);
            }
        }
    }

    /// What this query found, where it has come in.
    pub fn found_by(&self, query: &str) -> Option<Vec<Source>> {
        let numbers = self.found.get(query)?;
        Some(
            numbers
                .iter()
                .filter_map(|n| self.sources.iter().find(|source| source.n == *n))
                .cloned()
                .collect(),
        )
    }

    /// The numbers that are given.
    pub fn all(&self) -> BTreeSet<u32> {
        self.sources.iter().map(|source| source.n).collect()
    }

    /// The sources with these numbers, each once, in the order of their numbers.
    pub fn sources(&self, numbers: impl IntoIterator<Item = u32>) -> Vec<Source> {
        let wanted: BTreeSet<u32> = numbers.into_iter().collect();
        let mut sources: Vec<Source> =
            self.sources.iter().filter(|source| wanted.contains(&source.n)).cloned().collect();
        sources.sort_by_key(|source| source.n);
        sources
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(url: &str) -> Source {
        Source { url: url.to_owned(), ..Source::default() }
    }

    fn numbers_of(sources: &[Source]) -> Vec<u32> {
        sources.iter().map(|source| source.n).collect()
    }

    #[test]
    fn a_page_has_one_number_whichever_search_finds_it() {
        let mut numbers = Numbers::default();
        assert_eq!(numbers.next_key(), "sources/1");
        numbers.take(numbers.assign("one", &[source("a"), source("b"), source("a")]));
        numbers.take(numbers.assign("two", &[source("c"), source("a")]));
        assert_eq!(numbers_of(&numbers.found_by("one").unwrap()), [1, 2]);
        assert_eq!(numbers_of(&numbers.found_by("two").unwrap()), [3, 1]);
        assert_eq!(numbers.found_by("three"), None);
        assert_eq!(numbers_of(&numbers.sources([3, 1, 9, 1])), [1, 3]);
        assert_eq!(numbers.next_key(), "sources/3");
    }

    #[test]
    fn a_run_that_goes_on_from_another_numbers_as_that_one_did() {
        let mut numbers = Numbers::default();
        numbers.know(&[Source { n: 2, ..source("b") }, Source { n: 5, ..source("e") }]);
        assert_eq!(numbers.next_key(), "sources/1", "nothing was searched for yet");
        let numbered = numbers.assign("one", &[source("e"), source("new"), source("b")]);
        numbers.take(numbered);
        assert_eq!(numbers_of(&numbers.found_by("one").unwrap()), [5, 6, 2]);
    }
}
