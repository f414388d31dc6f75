//! What a chat completion cites, in the shapes that providers give it.

use serde_json::Value;

use super::Citation;

/// The most citations of one piece that are read.
const MAX_READ: usize = 100;
/// The longest address that is kept, in bytes.
const MAX_URL_BYTES: usize = 4096;
/// How much of a title and of an excerpt is kept.
const MAX_TITLE_CHARS: usize = 500;
const MAX_SNIPPET_CHARS: usize = 4000;

/// What this object, a whole payload or the message in it, cites: Perplexity's `citations` (addresses) and
/// `search_results`, and the `annotations` of `OpenAI` and `OpenRouter`. Answers refer to `citations` by position
/// (`[1]`), so they keep their order.
pub(super) fn read(value: &Value) -> Vec<Citation> {
    let list = |name: &str| value.get(name).and_then(Value::as_array).into_iter().flatten();
    let annotated = list("annotations").filter(|annotation| {
        annotation.get("type").and_then(Value::as_str).is_none_or(|kind| kind == "url_citation")
    });
    let annotated = annotated.map(|annotation| annotation.get("url_citation").unwrap_or(annotation));
    list("citations").chain(list("search_results")).chain(annotated).filter_map(one).take(MAX_READ).collect()
}

/// An address, or an object with one.
fn one(value: &Value) -> Option<Citation> {
    let said = |names: &[&str], most: usize| {
        let text = names.iter().find_map(|name| value.get(name).and_then(Value::as_str))?.trim();
        (!text.is_empty()).then(|| text.chars().take(most).collect::<String>())
    };
    let url = value.as_str().or_else(|| value.get("url").and_then(Value::as_str))?.trim();
    if url.is_empty() || url.len() > MAX_URL_BYTES {
        return None;
    }
    Some(Citation {
        url: url.to_owned(),
        title: said(&["title"], MAX_TITLE_CHARS),
        snippet: said(&["snippet", "content"], MAX_SNIPPET_CHARS),
        published: said(&["date", "published_date", "last_updated"], MAX_TITLE_CHARS),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn cited(url: &str, title: Option<&str>, snippet: Option<&str>, published: Option<&str>) -> Citation {
        let own = |text: Option<&str>| text.map(str::to_owned);
        Citation { url: url.into(), title: own(title), snippet: own(snippet), published: own(published) }
    }

    #[test]
    fn each_shape_is_read_and_addresses_keep_their_order() {
        let perplexity = json!({
            "citations": ["https://b.example", "https://a.example", 7, ""],
            "search_results": [{"title": "A", "url": "https://a.example", "date": "2026-01-02", "snippet": "a"}],
        });
        assert_eq!(
            read(&perplexity),
            [
                cited("https://b.example", None, None, None),
                cited("https://a.example", None, None, None),
                cited("https://a.example", Some("A"), Some("a"), Some("2026-01-02")),
            ]
        );
        let annotated = json!({"annotations": [
            {"type": "url_citation", "url_citation": {"url": "https://c.example", "title": "C", "content": "c", "start_index": 0}},
            {"type": "url_citation", "url": "https://d.example", "title": " "},
            {"type": "file", "url": "https://e.example"},
        ]});
        assert_eq!(
            read(&annotated),
            [
                cited("https://c.example", Some("C"), Some("c"), None),
                cited("https://d.example", None, None, None)
            ]
        );
    }

    #[test]
    fn what_is_too_long_is_cut_or_left_out() {
        let long = "x".repeat(10_000);
        let one = json!({"citations": [{"url": "u", "title": long, "content": long}, long]});
        let read_all = read(&one);
        assert_eq!(read_all.len(), 1);
        assert_eq!(read_all[0].title.as_ref().map(String::len), Some(MAX_TITLE_CHARS));
        assert_eq!(read(&json!({"citations": vec!["u"; 500]})).len(), MAX_READ);
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_panic(url: String, title: String) {
            read(&json!({"citations": [url, {"url": url, "title": title}], "annotations": [url, {"url_citation": title}], "search_results": title}));
        }
    }
}
