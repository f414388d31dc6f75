//! From what a backend found, in its own words, to a list that may be shown and sent to models.

use crate::llm::Citation;

use super::link::Link;
use super::text::plain;

/// Longest title, in characters.
const MAX_TITLE_CHARS: usize = 200;
/// Longest excerpt: what is sent to models is cut again, to what a prompt has room for.
const MAX_SNIPPET_CHARS: usize = 2000;
/// Longest date, which comes in many forms.
const MAX_DATE_CHARS: usize = 40;
/// Longest answer of a backend's own.
const MAX_ANSWER_CHARS: usize = 8000;

/// One result as it came.
#[derive(Debug, Default)]
pub(super) struct Raw<'a> {
    pub url: &'a str,
    pub title: &'a str,
    pub snippet: &'a str,
    pub published: &'a str,
}

/// The first `max` of them that are links, each page once. What has no title is called by its host.
pub(super) fn cleaned<'a>(raw: impl Iterator<Item = Raw<'a>>, max: usize) -> Vec<Citation> {
    let mut seen = Vec::new();
    let mut results = Vec::new();
    for raw in raw {
        if results.len() == max {
            break;
        }
        let Some(link) = Link::read(raw.url) else { continue };
        if seen.iter().any(|key| key == link.key()) {
            continue;
        }
        seen.push(link.key().to_owned());
        let title = given(raw.title, MAX_TITLE_CHARS).unwrap_or(link.host);
        results.push(Citation {
            url: link.url,
            title: Some(title),
            snippet: given(raw.snippet, MAX_SNIPPET_CHARS),
            published: given(raw.published, MAX_DATE_CHARS),
        });
    }
    results
}

/// A backend's own answer, if there is one.
pub(super) fn answer(text: &str) -> Option<String> {
    given(text, MAX_ANSWER_CHARS)
}

fn given(text: &str, max_chars: usize) -> Option<String> {
    Some(plain(text, max_chars)).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw<'a>(url: &'a str, title: &'a str) -> Raw<'a> {
        Raw { url, title, ..Raw::default() }
    }

    #[test]
    fn each_page_comes_once_and_only_as_a_link() {
        let found = cleaned(
            [
                raw("https://a.example/x", "<b>A</b>"),
                raw("http://a.example/x/#part", "A again"),
                raw("javascript:alert(1)", "bad"),
                raw("https://me:pw@b.example", "bad"),
                raw("https://c.example", " \u{200b} "),
                raw("https://d.example", "D"),
            ]
            .into_iter(),
            2,
        );
        let shown: Vec<_> = found.iter().map(|it| (it.url.as_str(), it.title.as_deref())).collect();
        assert_eq!(shown, [("https://a.example/x", Some("A")), ("https://c.example/", Some("c.example"))]);
    }

    #[test]
    fn every_text_is_bounded() {
        let long = "word ".repeat(5000);
        let raw = Raw { url: "https://a.example", title: &long, snippet: &long, published: &long };
        let result = cleaned(std::iter::once(raw), 5).remove(0);
        assert!(result.title.unwrap().chars().count() <= MAX_TITLE_CHARS);
        assert!(result.snippet.unwrap().chars().count() <= MAX_SNIPPET_CHARS);
        assert!(result.published.unwrap().chars().count() <= MAX_DATE_CHARS);
        assert!(answer(&long).unwrap().chars().count() <= MAX_ANSWER_CHARS);
        assert_eq!(answer(" <p> "), None);
    }
}
