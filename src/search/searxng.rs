//! `SearXNG`: a search engine that asks others, which teams run themselves.

use async_trait::async_trait;
use reqwest::RequestBuilder;
use serde_json::Value;
use url::Url;

use crate::llm::exchange::Refusal;
use crate::llm::upstream_error::{ErrorContext, Secrets};
use crate::llm::{CallError, ErrorKind};

use super::exchange::{self, Failed};
use super::results::{Raw, answer, cleaned};
use super::settings::SearxngSettings;
use super::{Found, Query, Search};

/// What it is called in the ids of searches.
pub(super) const NAME: &str = "searxng";

/// The most engines that an error names.
const MAX_ENGINES_NAMED: usize = 5;

/// See the module.
pub(super) struct Searxng {
    client: reqwest::Client,
    search: Url,
    context: ErrorContext,
}

impl Searxng {
    /// # Errors
    /// What is wrong with the settings, beginning with the key.
    pub fn new(settings: &SearxngSettings, client: reqwest::Client) -> Result<Self, String> {
        let base = settings.base_url.as_deref().unwrap_or_default();
        let search = Url::parse(&format!("{}/search", base.trim_end_matches('/')))
            .map_err(|error| format!("search.searxng.base_url: {error}"))?;
        let context = ErrorContext {
            provider: NAME.to_owned(),
            model: "search".to_owned(),
            secrets: Secrets::default(),
        };
        Ok(Self { client, search, context })
    }

    fn request(&self, parameters: &[(&str, &str)]) -> RequestBuilder {
        let mut url = self.search.clone();
        url.query_pairs_mut().extend_pairs(parameters);
        self.client.get(url).header(reqwest::header::ACCEPT, "application/json")
    }

    fn failed(&self, failed: Failed) -> CallError {
        match failed {
            Failed::Lost(error) => error,
            Failed::Refused(refusal) => self.refused(&refusal),
        }
    }

    fn refused(&self, refusal: &Refusal) -> CallError {
        let (kind, sentence) = match refusal.status {
            401 => (ErrorKind::Auth, "requires authentication; it must allow requests without"),
            403 => (
                ErrorKind::Refused,
                "does not answer in JSON, most likely: `json` must stand under `search.formats` in its settings.yml",
            ),
            429 => (
                ErrorKind::RateLimited,
                "takes this server for a bot: switch its limiter off (`server.limiter`), or let this address pass",
            ),
            _ => return exchange::usual_refusal(&self.context, refusal),
        };
        exchange::refused(&self.context, kind, refusal, sentence)
    }

    /// Nothing was found because no engine answered: that is an error.
    fn silent_engines(&self, said: &Value) -> Option<CallError> {
        let engines = said.get("unresponsive_engines")?.as_array().filter(|engines| !engines.is_empty())?;
        let named: Vec<String> = engines
            .iter()
            .filter_map(|engine| {
                let part = |index: usize| engine.get(index).and_then(Value::as_str);
                let name = part(0).or_else(|| engine.as_str())?;
                Some(part(1).map_or_else(|| name.to_owned(), |why| format!("{name}: {why}")))
            })
            .take(MAX_ENGINES_NAMED)
            .collect();
        let named = self.context.excerpt(&named.join(", "));
        let message = format!("{NAME} found nothing, since engines that it asks did not answer ({named})");
        // A retry right away would not help.
        Some(CallError { status: Some(200), ..CallError::new(ErrorKind::Overloaded, message) })
    }
}

#[async_trait]
impl Search for Searxng {
    async fn search(&self, query: &Query) -> Result<Found, CallError> {
        let request = self.request(&[("q", &words(&query.text)), ("format", "json"), ("safesearch", "1")]);
        let said = exchange::json(&self.context, request).await.map_err(|failed| self.failed(failed))?;
        let found = read(&said, query.max_results)
            .ok_or_else(|| self.context.bad_response("its answer holds no list of results"))?;
        if found == Found::default()
            && let Some(error) = self.silent_engines(&said)
        {
            return Err(error);
        }
        Ok(found)
    }

    /// Sends a request without a query, which searches nothing and is answered 400 where JSON is enabled.
    async fn check(&self) -> Result<(), CallError> {
        match exchange::json(&self.context, self.request(&[("format", "json")])).await {
            Ok(_) | Err(Failed::Refused(Refusal { status: 400, .. })) => Ok(()),
            Err(failed) => Err(self.failed(failed)),
        }
    }
}

/// A query without what `SearXNG` takes for commands: `!engine`, `!!redirect`, `:language`, `<seconds`.
fn words(query: &str) -> String {
    let plain =
        query.split(' ').map(|word| word.trim_start_matches(['!', ':', '<'])).filter(|word| !word.is_empty());
    plain.collect::<Vec<_>>().join(" ")
}

/// Reads an answer; `None` where it is not one of `SearXNG`'s.
fn read(said: &Value, max_results: usize) -> Option<Found> {
    let results = said.get("results")?.as_array()?;
    let raw = results.iter().map(|result| {
        let text = |name: &str| result.get(name).and_then(Value::as_str).unwrap_or_default();
        let published =
            Some(text("publishedDate")).filter(|date| !date.is_empty()).unwrap_or(text("pubdate"));
        Raw { url: text("url"), title: text("title"), snippet: text("content"), published }
    });
    // Older versions have texts here, newer ones objects.
    let own = said.get("answers").and_then(Value::as_array).and_then(|answers| {
        answers.iter().find_map(|it| it.as_str().or_else(|| it.get("answer").and_then(Value::as_str)))
    });
    Some(Found { answer: answer(own.unwrap_or_default()), results: cleaned(raw, max_results) })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn searxng(base_url: &str) -> Searxng {
        let settings = SearxngSettings { base_url: Some(base_url.into()), price_usd: 0.0 };
        Searxng::new(&settings, reqwest::Client::new()).unwrap()
    }

    #[test]
    fn an_answer_is_read_with_its_results() {
        let said = json!({
            "query": "tides", "number_of_results": 0, "corrections": [], "infoboxes": [], "suggestions": [],
            "answers": ["About <b>twice</b> a day"], "unresponsive_engines": [["google", "CAPTCHA"]],
            "results": [
                {"url": "https://a.example/tides", "title": "Tides", "content": "The moon pulls.",
                 "publishedDate": "2026-11-02T00:00:00", "engine": "bing", "engines": ["bing"], "score": 1.0,
                 "category": "general", "parsed_url": ["https", "a.example", "/tides", "", "", ""]},
                {"url": "http://a.example/tides/", "title": "Tides again", "content": "", "publishedDate": null},
                {"url": "magnet:?xt=urn:btih:1", "title": "no page"},
            ],
        });
        let found = read(&said, 5).unwrap();
        assert_eq!(found.answer.as_deref(), Some("About twice a day"));
        assert_eq!(found.results.len(), 1);
        assert_eq!(found.results[0].published.as_deref(), Some("2026-11-02T00:00:00"));
        let newer = json!({"results": [], "answers": [{"answer": "42", "url": null, "template": "answer/legacy.html"}]});
        assert_eq!(read(&newer, 5).unwrap().answer.as_deref(), Some("42"));
        for other in [json!({}), json!({"results": {}}), json!(null)] {
            assert_eq!(read(&other, 5), None, "{other}");
        }
    }

    #[test]
    fn a_query_is_escaped() {
        for base in ["https://s.example", "https://s.example/", "https://s.example/searxng"] {
            let request = searxng(base).request(&[("q", "a&b=c #1 ü")]).build().unwrap();
            assert!(request.url().as_str().ends_with("/search?q=a%26b%3Dc+%231+%C3%BC"), "{}", request.url());
        }
    }

    #[test]
    fn a_query_gives_no_commands() {
        for (query, sent) in [
            ("!!g tides", "g tides"),
            ("tides :de !images <9 !", "tides de images 9"),
            ("what is a<b in C++? wow!", "what is a<b in C++? wow!"),
        ] {
            assert_eq!(words(query), sent);
        }
    }

    #[test]
    fn each_refusal_says_what_to_do() {
        let searxng = searxng("https://s.example");
        for (status, kind, words) in [
            (401, ErrorKind::Auth, "requires authentication"),
            (403, ErrorKind::Refused, "settings.yml"),
            (404, ErrorKind::Refused, "base_url"),
            (429, ErrorKind::RateLimited, "limiter"),
            (500, ErrorKind::Overloaded, "failed"),
        ] {
            let error = searxng.refused(&Refusal { status, retry_after: None, body: Vec::new() });
            assert_eq!((error.kind, error.status), (kind, Some(status)));
            assert!(error.message.contains(words), "{error}");
        }
    }

    #[test]
    fn silent_engines_are_named() {
        let searxng = searxng("https://s.example");
        let engines: Vec<Value> = (0..9).map(|n| json!([format!("engine{n}"), "timeout"])).collect();
        let error = searxng.silent_engines(&json!({"unresponsive_engines": engines})).unwrap();
        assert!(
            error.message.contains("(engine0: timeout, engine1") && !error.message.contains("engine5"),
            "{error}"
        );
        for none in [json!({}), json!({"unresponsive_engines": []}), json!({"unresponsive_engines": 1})] {
            assert_eq!(searxng.silent_engines(&none), None);
        }
        assert!(searxng.silent_engines(&json!({"unresponsive_engines": [7, {}, "x"]})).is_some());
    }

    proptest! {
        #[test]
        fn any_results_are_read_without_panic(
            urls in proptest::collection::vec(".{0,30}|https://[a-z]{1,5}\\.example/[ -~]{0,9}", 0..30),
            answers in proptest::collection::vec(".{0,20}", 0..3),
        ) {
            let results: Vec<Value> = urls.iter().map(|url| json!({"url": url, "title": url, "content": 7})).collect();
            let found = read(&json!({"results": results, "answers": answers}), 10).unwrap();
            prop_assert!(found.results.len() <= 10);
            prop_assert!(found.results.iter().all(|it| it.url.starts_with("http") && it.snippet.is_none()));
        }
    }
}
