//! A page that was found.

use serde::{Deserialize, Serialize};

use super::citations::renumber;
use crate::llm::Citation;
use crate::search::Link;
use crate::search::text::{line, plain};

/// The longest title that is kept, in characters.
const TITLE_CHARS: usize = 200;
/// The longest excerpt, in characters.
const SNIPPET_CHARS: usize = 1_000;
/// The longest date as a page says it, in characters.
const DATE_CHARS: usize = 40;
/// No run has so many sources: from here on a number in brackets is a year or the like.
const NO_SOURCE: u32 = 1_000;

/// A source of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = FoundSource)]
pub struct Source {
    /// Its number in the run, from 1.
    pub n: u32,
    pub title: String,
    /// `http` or `https`, without credentials.
    pub url: String,
    /// The host of the link, as browsers show it.
    pub host: String,
    /// What the search says of the page; no text of the page is fetched.
    pub snippet: String,
    /// When it was published, in the page's own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    /// What was searched for when it was first found.
    pub query: String,
}

impl Source {
    /// What a search found, before it has a number; none where its link is not one to follow.
    #[must_use]
    pub fn of(citation: &Citation, query: &str) -> Option<Self> {
        let link = Link::read(&citation.url)?;
        let text = |text: &Option<String>, most| {
            let text = plain(text.as_deref().unwrap_or_default(), most);
            // A page counts its own footnotes: its `[3]` would be taken for the third source of this run.
            line(&renumber(&text, |n| Some(n).filter(|n| *n >= NO_SOURCE)), most)
        };
        let title = text(&citation.title, TITLE_CHARS);
        Some(Self {
            n: 0,
            title: if title.is_empty() { link.host.clone() } else { title },
            url: link.url,
            host: link.host,
            snippet: text(&citation.snippet, SNIPPET_CHARS),
            published: Some(text(&citation.published, DATE_CHARS)).filter(|date| !date.is_empty()),
            query: query.to_owned(),
        })
    }

    /// Whether two addresses are those of one page.
    #[must_use]
    pub fn is_same_page(&self, other: &Self) -> bool {
        let key = |source: &Self| Link::read(&source.url).map(|link| link.key().to_owned());
        self.url == other.url || key(self).is_some_and(|one| Some(one) == key(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn citation(url: &str) -> Citation {
        Citation {
            url: url.to_owned(),
            title: Some(" A\u{200b} title\n ".to_owned()),
            snippet: Some("x ".repeat(2_000)),
            published: Some(String::new()),
        }
    }

    #[test]
    fn a_source_is_text_of_bounded_length_with_a_link_to_follow() {
        let source = Source::of(&citation("https://Example.org/a?b=1"), "why").unwrap();
        assert_eq!((source.title.as_str(), source.host.as_str()), ("A title", "example.org"));
        assert!(source.snippet.chars().count() <= SNIPPET_CHARS && source.snippet.ends_with('…'));
        assert_eq!((source.published, source.query.as_str()), (None, "why"));
        for url in
            ["javascript:alert(1)", "data:text/html,x", "/relative", "", "https://user:pw@example.org/"]
        {
            assert_eq!(Source::of(&citation(url), "why"), None, "{url}");
        }
        let footnotes = Citation {
            title: Some("Everest [1]".to_owned()),
            snippet: Some(
                "It is 8,849 m high.[2][3] In [2020] it was measured [4, 5] anew; `a[1]` is code.".to_owned(),
            ),
            ..citation("http://example.org")
        };
        let source = Source::of(&footnotes, "why").unwrap();
        assert_eq!(
            (source.title.as_str(), source.snippet.as_str()),
            ("Everest", "It is 8,849 m high. In [2020] it was measured anew; `a[1]` is code.")
        );
        let untitled = Citation { title: None, ..citation("http://example.org") };
        assert_eq!(Source::of(&untitled, "why").unwrap().title, "example.org");
    }
}
