//! Searches as calls to models: what each engine is asked, every way in which it can go wrong, and what admins see.

use std::time::Duration;

use llm_council::config::{Config, Overrides};
use llm_council::council::stages::answers::ANSWER;
use llm_council::llm::{
    CallError, ChatMessage, ChatRequest, CostSource, ErrorKind, Models, NoSink, ProviderSettings, Registry,
    Reply, RetryPolicy, simulated,
};
use llm_council::search::{self, Setup};
use serde_json::{Value, json};

use crate::support::app::TestApp;
use crate::support::model_server::{Gate, Outcome, Script};
use crate::support::search_server::{KEY, Page, Says, SearchServer};

const BACKENDS: [&str; 2] = ["tavily", "searxng"];

/// A registry that searches as this configuration says, without pauses between tries.
fn registry(toml: &str) -> (Registry, Setup) {
    let config = Config::from_parts(toml, &Default::default(), &Overrides::default()).unwrap();
    let retry = RetryPolicy { base: Duration::from_millis(1), ..config.search.retry };
    let settings = search::SearchSettings { retry, ..config.search };
    let (searching, setup) = search::set_up(&settings, false).unwrap();
    let models = Registry::new(vec![ProviderSettings::new("sim", &simulated::KIND)], "sim").unwrap();
    (searching.map(|searching| models.with_search(searching)).unwrap(), setup)
}

fn request(model: &str, query: &str) -> ChatRequest {
    let messages = vec![ChatMessage::system("Be brief."), ChatMessage::user(query)];
    ChatRequest { seed: 1, ..ChatRequest::new(model, &ANSWER, messages) }
}

/// Searches for tides at a server that says these things in turn.
async fn ask(
    backend: &str,
    says: impl IntoIterator<Item = Says>,
) -> (Result<Reply, CallError>, SearchServer) {
    let server = SearchServer::start().await;
    server.says(says);
    let (registry, _) = registry(&server.toml(backend, ""));
    let request = request(&format!("search:{backend}"), "Why do tides turn?");
    (registry.chat(&request, &mut NoSink).await, server)
}

async fn found(backend: &str, says: Says) -> Reply {
    ask(backend, [says]).await.0.expect("a search that succeeds")
}

/// The error of a search that fails at the first try.
async fn failure(backend: &str, says: Says) -> CallError {
    let (result, server) = ask(backend, [says]).await;
    let error = result.expect_err("a failure");
    assert_eq!((error.tries, server.queries().len()), (1, 1), "{error:?}");
    assert!(!error.message.contains(KEY), "{error}");
    error
}

#[tokio::test]
async fn a_search_is_a_call_whose_citations_are_what_was_found() {
    for backend in BACKENDS {
        let says = Says::Finds(Some("The <b>moon</b>.".into()), Page::many(3, "tides"));
        let (result, server) = ask(backend, [says]).await;
        let reply = result.unwrap();
        assert_eq!(reply.text, "The moon.", "{backend}");
        let shown: Vec<_> = reply.citations.iter().map(|it| (it.url.as_str(), it.title.as_deref())).collect();
        assert_eq!(
            shown,
            [
                ("https://found.example/1", Some("Page 1")),
                ("https://found.example/2", Some("Page 2")),
                ("https://found.example/3", Some("Page 3")),
            ]
        );
        assert_eq!(reply.citations[0].snippet.as_deref(), Some("What page 1 says about tides."));
        assert_eq!(reply.citations[0].published.as_deref(), Some("2026-11-02"));
        assert_eq!((reply.finish_reason.as_deref(), reply.tries), (Some("stop"), 1));
        let usage = reply.usage.unwrap();
        // Nothing is no estimate.
        let (price, source) =
            if backend == "tavily" { (0.008, CostSource::Listed) } else { (0.0, CostSource::Reported) };
        assert_eq!((usage.cost_usd, usage.cost_source), (Some(price), Some(source)));
        assert_eq!(server.queries(), ["Why do tides turn?"]);
    }
}

#[tokio::test]
async fn tavily_is_asked_as_documented_and_its_key_sent_where_it_is_to_be() {
    for (key_in, header, body) in [("header", true, false), ("body", false, true), ("both", true, true)] {
        let server = SearchServer::start().await;
        let toml = format!("{}key_in = \"{key_in}\"\n", server.toml("tavily", "max_results = 7"));
        registry(&toml).0.chat(&request("search:tavily", "tides"), &mut NoSink).await.unwrap();
        let sent = server.records().remove(0).request;
        assert_eq!((sent.method.as_str(), sent.path.as_str()), ("POST", "/search"));
        let bearer = format!("Bearer {KEY}");
        assert_eq!(sent.header("authorization"), header.then_some(bearer.as_str()), "{key_in}");
        let mut expected = json!({"query": "tides", "max_results": 7, "search_depth": "basic", "include_answer": true,
                                  "include_raw_content": false});
        if body {
            expected["api_key"] = KEY.into();
        }
        assert_eq!(sent.body, expected, "{key_in}");
    }
}

#[tokio::test]
async fn searxng_is_asked_for_json_and_for_nothing_else() {
    let (_, server) = ask("searxng", [Says::finds(Vec::new())]).await;
    let sent = server.records().remove(0).request;
    assert_eq!(sent.method, "GET");
    assert_eq!(sent.path, "/search?q=Why+do+tides+turn%3F&format=json&safesearch=1");
    assert_eq!(sent.header("authorization"), None);
}

#[tokio::test]
async fn finding_nothing_is_a_success() {
    for backend in BACKENDS {
        let reply = found(backend, Says::finds(Vec::new())).await;
        assert_eq!((reply.text.as_str(), reply.citations.len()), ("", 0));
        assert!(reply.usage.unwrap().cost_usd.is_some(), "it was charged for all the same");
    }
}

#[tokio::test]
async fn results_are_cleaned_bounded_and_each_page_comes_once() {
    let hostile = vec![
        Page::new("javascript:alert(1)", "script", ""),
        Page::new("data:text/html,<script>", "data", ""),
        Page::new("https://me:secret@a.example/", "credentials", ""),
        Page::new("https://a.example/\u{202e}x", "turned", ""),
        Page::new("ftp://a.example/", "ftp", ""),
        Page::new(
            "https://xn--80ak6aa92e.com/",
            "<b>Äpfel</b> &amp; 梨 😀\u{200b}",
            "<script>alert(1)</script>a\u{0}b",
        ),
        Page::new("http://xn--80ak6aa92e.com/#top", "again", ""),
        Page::new("https://long.example/", &"t".repeat(5000), &"s ".repeat(5000)),
    ];
    for backend in BACKENDS {
        let reply = found(backend, Says::finds(hostile.clone())).await;
        let shown: Vec<_> = reply.citations.iter().map(|it| it.url.as_str()).collect();
        assert_eq!(shown, ["https://xn--80ak6aa92e.com/", "https://long.example/"], "{backend}");
        assert_eq!(reply.citations[0].title.as_deref(), Some("Äpfel & 梨 😀"));
        assert_eq!(reply.citations[0].snippet.as_deref(), Some("a\u{fffd}b"));
        let long = &reply.citations[1];
        assert!(long.title.as_ref().unwrap().chars().count() <= 200);
        assert!(long.snippet.as_ref().unwrap().chars().count() <= 2000);
    }
}

#[tokio::test]
async fn at_most_as_many_results_are_kept_as_are_configured() {
    for (backend, more, expected) in [
        ("tavily", "", 5),
        ("searxng", "", 5),
        ("searxng", "max_results = 20", 20),
        ("tavily", "max_results = 1", 1),
    ] {
        let server = SearchServer::start().await;
        server.says([Says::finds(Page::many(40, "tides"))]);
        let (registry, _) = registry(&server.toml(backend, more));
        let reply =
            registry.chat(&request(&format!("search:{backend}"), "tides"), &mut NoSink).await.unwrap();
        assert_eq!(reply.citations.len(), expected, "{backend} {more}");
    }
}

#[tokio::test]
async fn five_megabytes_are_not_read() {
    for backend in BACKENDS {
        let page = Page::new("https://a.example/", "big", &"x".repeat(5 << 20));
        let error = failure(backend, Says::finds(vec![page])).await;
        assert_eq!(error.kind, ErrorKind::BadResponse);
        assert!(error.message.contains("longer than 4 MiB"), "{error}");
    }
}

#[tokio::test]
async fn each_refusal_is_told_apart() {
    for (backend, status, kind, words) in [
        ("tavily", 400, ErrorKind::Refused, "refused the search"),
        ("tavily", 401, ErrorKind::Auth, "search.tavily.api_key"),
        ("tavily", 403, ErrorKind::Auth, "rights"),
        ("tavily", 432, ErrorKind::RateLimited, "plan"),
        ("tavily", 433, ErrorKind::RateLimited, "pay-as-you-go"),
        ("tavily", 404, ErrorKind::Refused, "base_url"),
        ("tavily", 301, ErrorKind::Refused, "redirect"),
        ("searxng", 401, ErrorKind::Auth, "requires authentication"),
        ("searxng", 403, ErrorKind::Refused, "search.formats"),
        ("searxng", 404, ErrorKind::Refused, "base_url"),
        ("searxng", 302, ErrorKind::Refused, "redirect"),
    ] {
        let own_words = if backend == "tavily" { format!("said with {KEY}") } else { "no".to_owned() };
        let body = json!({"detail": {"error": own_words}}).to_string();
        let error = failure(backend, Says::status(status, &body)).await;
        assert_eq!((error.kind, error.status), (kind, Some(status)), "{backend} {error}");
        assert!(error.message.contains(words), "{backend} {error}");
        assert!(!error.reached, "nobody charges for a refusal");
        if backend == "tavily" {
            assert!(error.message.ends_with(": said with [redacted]"), "{error}");
        }
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let elsewhere = SearchServer::start().await;
    let location = format!("{}/search", elsewhere.base_url());
    let to = Script::status(307, "").header("location", &location);
    let error = failure("tavily", to.into()).await;
    assert_eq!(error.status, Some(307));
    assert_eq!(elsewhere.queries(), Vec::<String>::new());
}

#[tokio::test]
async fn what_passes_is_tried_again() {
    for backend in BACKENDS {
        for passing in [
            Says::status(500, "boom"),
            Says::status(503, "<html><title>down</title></html>"),
            Script::status(429, "slowly").header("retry-after", "0").into(),
            Script::raw("application/json", "").cut().into(),
        ] {
            let (result, server) = ask(backend, [passing.clone(), Says::finds(Page::many(1, "tides"))]).await;
            let reply = result.unwrap_or_else(|error| panic!("{backend} {passing:?}: {error}"));
            assert_eq!((reply.tries, server.queries().len(), reply.citations.len()), (2, 2, 1));
        }
    }
}

#[tokio::test]
async fn what_does_not_pass_ends_after_three_tries() {
    let (result, server) = ask("tavily", [Says::status(500, "boom")]).await;
    let error = result.unwrap_err();
    assert_eq!((error.kind, error.tries, server.queries().len()), (ErrorKind::Overloaded, 3, 3));
    let wait = Script::status(429, "later").header("retry-after", "3600");
    let error = failure("tavily", wait.into()).await;
    assert_eq!((error.kind, error.retry_after_ms), (ErrorKind::RateLimited, Some(3_600_000)));
    assert!(error.message.contains("asked to wait 3600 s"), "{error}");
}

#[tokio::test]
async fn what_is_no_list_of_results_is_said() {
    for (script, words) in [
        (Script::raw("application/json", "{\"results\": [{\"url\": \"https://a"), "malformed JSON"),
        (Script::raw("application/json", "Sorry."), "malformed JSON"),
        (Script::raw("text/html", "<!doctype html><title>Search</title>"), "web page"),
        (Script::raw("application/json", ""), "empty"),
        (Script::raw("application/json", "{}"), "no list of results"),
        (Script::raw("application/json", "[]"), "no list of results"),
        (Script::raw("application/json", "null"), "no list of results"),
    ] {
        for backend in BACKENDS {
            let error = failure(backend, script.clone().into()).await;
            assert_eq!(error.kind, ErrorKind::BadResponse, "{backend} {error}");
            assert!(error.message.contains(words), "{backend} {error}");
            assert!(error.reached, "it may be charged for");
        }
    }
}

#[tokio::test]
async fn a_cut_body_never_looks_whole() {
    let whole =
        r#"{"answer": null, "results": [{"url": "https://a.example", "title": "A", "content": "B"}]}"#;
    let server = SearchServer::start().await;
    let (registry, _) = registry(&server.toml("tavily", ""));
    for at in [1, 40, whole.len() - 1] {
        // Cut so that it looks like an end: nothing tells but the JSON.
        server.says([Script::raw("application/json", whole).cut_at_byte(at).close_delimited().into()]);
        let error = registry.chat(&request("search:tavily", "tides"), &mut NoSink).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::BadResponse, "{at}: {error}");
    }
}

#[tokio::test]
async fn silence_ends_at_the_time_limit_of_searches() {
    let server = SearchServer::start().await;
    server.says([Script::raw("application/json", "").stall().into()]);
    let (registry, _) = registry(&server.toml("searxng", "timeout_ms = 50"));
    let error = registry.chat(&request("search:searxng", "tides"), &mut NoSink).await.unwrap_err();
    assert_eq!(
        (error.kind, error.tries, error.reached),
        (ErrorKind::Timeout, 2, true),
        "the second silence is the last"
    );
    assert!(error.message.contains("did not answer within 50 ms"), "{error}");
    server.until(2).await;
}

#[tokio::test]
async fn a_search_that_is_dropped_is_dropped_upstream() {
    let server = SearchServer::start().await;
    server.says([Script::raw("application/json", "").hold(&Gate::new()).into()]);
    let (registry, _) = registry(&server.toml("tavily", ""));
    let asked = request("search:tavily", "tides");
    let mut sink = NoSink;
    tokio::select! {
        _ = registry.chat(&asked, &mut sink) => panic!("nothing was answered"),
        () = server.until(1) => {}
    }
    server.until_gone().await;
    assert_eq!(server.records()[0].outcome, Outcome::ClientGone);
}

#[tokio::test]
async fn only_so_many_searches_are_in_flight() {
    let server = SearchServer::start().await;
    let gate = Gate::new();
    let held = Script::raw("application/json", r#"{"results": []}"#).hold(&gate);
    server.says([held.into()]);
    let (registry, _) = registry(&server.toml("tavily", "max_in_flight = 2"));
    let asked = request("search:tavily", "tides");
    let searches = async {
        let (mut one, mut two, mut three) = (NoSink, NoSink, NoSink);
        tokio::join!(
            registry.chat(&asked, &mut one),
            registry.chat(&asked, &mut two),
            registry.chat(&asked, &mut three),
        )
    };
    let opened = async {
        server.until(2).await;
        assert_eq!(server.queries().len(), 2);
        gate.open();
    };
    let ((one, two, three), ()) = tokio::join!(searches, opened);
    assert!(one.is_ok() && two.is_ok() && three.is_ok());
    assert_eq!(server.queries().len(), 3);
}

#[tokio::test]
async fn after_five_failures_nothing_is_asked_for_a_while() {
    let server = SearchServer::start().await;
    server.says([Says::status(500, "boom")]);
    let (registry, setup) = registry(&server.toml("tavily", ""));
    assert_eq!(registry.search_paused(), None);
    let asked = request("search:tavily", "tides");
    let mut last = None;
    for _ in 0..4 {
        last = registry.chat(&asked, &mut NoSink).await.err();
    }
    let error = last.unwrap();
    assert!(error.tries == 0 && error.message.contains("times in a row"), "{error}");
    assert_eq!(server.queries().len(), 5);
    assert!(registry.search_paused().unwrap() > Duration::ZERO);
    let failed = setup.snapshot().last_failure.unwrap();
    assert_eq!((failed.kind, failed.status), (ErrorKind::Overloaded, Some(500)));
    assert_eq!(failed.message, "tavily failed to search");
}

#[tokio::test]
async fn engines_that_did_not_answer_are_no_empty_list() {
    let body = json!({"results": [], "answers": [], "unresponsive_engines": [["google", "CAPTCHA"], ["bing", "timeout"]]});
    let error = failure("searxng", Script::raw("application/json", body.to_string()).into()).await;
    assert_eq!(error.kind, ErrorKind::Overloaded);
    assert!(error.message.contains("(google: CAPTCHA, bing: timeout)"), "{error}");
    let body =
        json!({"results": [{"url": "https://a.example"}], "unresponsive_engines": [["google", "CAPTCHA"]]});
    let reply = found("searxng", Script::raw("application/json", body.to_string()).into()).await;
    assert_eq!(reply.citations.len(), 1);
}

#[tokio::test]
async fn an_engine_is_looked_at_without_a_search() {
    for (backend, path) in [("tavily", "/usage"), ("searxng", "/search?format=json")] {
        let server = SearchServer::start().await;
        let (_, setup) = registry(&server.toml(backend, ""));
        assert_eq!(setup.snapshot().checked, None);
        setup.check().await;
        assert_eq!(setup.snapshot().checked.unwrap().1, None, "{backend}");
        assert_eq!(server.checks()[0].request.path, path);
        assert_eq!(server.queries(), Vec::<String>::new());
        server.check(Script::status(403, ""));
        setup.check().await;
        let failed = setup.snapshot().checked.unwrap().1.unwrap();
        assert_eq!(failed.status, Some(403), "{backend}");
    }
    // A gateway that only searches.
    let server = SearchServer::start().await;
    server.check(Script::status(404, ""));
    let (_, setup) = registry(&server.toml("tavily", ""));
    setup.check().await;
    assert_eq!(setup.snapshot().checked.unwrap().1, None);
}

#[tokio::test]
async fn what_is_not_set_up_is_not_asked() {
    let server = SearchServer::start().await;
    let (registry, _) = registry(&server.toml("tavily", ""));
    let error = registry.chat(&request("search:searxng", "tides"), &mut NoSink).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Refused);
    let none = Registry::new(vec![ProviderSettings::new("sim", &simulated::KIND)], "sim").unwrap();
    assert_eq!(none.search_backend(), None);
    let error = none.chat(&request("search:tavily", "tides"), &mut NoSink).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Refused);
    let error = registry.chat(&request("search:tavily", " \u{200b}"), &mut NoSink).await.unwrap_err();
    assert!(error.message.contains("empty"), "{error}");
    assert_eq!(server.queries(), Vec::<String>::new());
}

#[tokio::test]
async fn a_search_has_a_price_and_is_in_no_list_of_models() {
    let server = SearchServer::start().await;
    let (registry, _) = registry(&format!("{}price_usd = 0.5\n", server.toml("tavily", "")));
    let backend = registry.search_backend().unwrap();
    assert_eq!((backend.model.as_str(), backend.name, backend.simulated), ("search:tavily", "tavily", false));
    let price = registry.price("search:tavily", 1000).unwrap();
    assert_eq!((price.prompt, price.completion, price.request), (0.0, 0.0, 0.5));
    let reply = registry.chat(&request("search:tavily", "tides"), &mut NoSink).await.unwrap();
    assert_eq!(reply.usage.unwrap().cost_usd, Some(0.5));
    let list = registry.models().await;
    assert!(list.errors.is_empty() && list.models.iter().all(|model| model.provider != "search"));
    assert!(registry.is_available("search:tavily"));
}

#[tokio::test]
async fn built_in_documents_are_found_beside_simulated_models() {
    let (registry, setup) = registry("[search]\nbackend = \"simulated\"");
    let backend = registry.search_backend().unwrap();
    assert_eq!((backend.model.as_str(), backend.simulated), ("search:simulated", true));
    let reply =
        registry.chat(&request("search:simulated", "Why is the sky blue?"), &mut NoSink).await.unwrap();
    assert_eq!(reply.citations[0].url, "https://example.org/physics/blue-sky");
    assert!(reply.citations[0].title.as_ref().unwrap().ends_with("(simulated)"));
    assert_eq!(reply.usage.unwrap().cost_usd, Some(0.0));
    setup.check().await;
    assert_eq!(setup.snapshot().checked.unwrap().1, None);
}

#[tokio::test]
async fn people_are_told_whether_the_web_can_be_searched_here() {
    let none = TestApp::start().await;
    let config = none.user("ann").get("/api/config").await.ok();
    assert_eq!((&config["web_search_available"], &config["search_provider"]), (&json!(false), &Value::Null));
    assert_eq!(config["features"]["search"], false);
    none.close().await;

    let simulated = TestApp::simulated().await;
    let config = simulated.user("ann").get("/api/config").await.ok();
    assert_eq!(
        (&config["web_search_available"], &config["search_provider"]),
        (&json!(true), &json!("simulated"))
    );
    simulated.close().await;

    let model = TestApp::with("[search]\nmodel = \"p/sonar\"\n").await;
    let config = model.user("ann").get("/api/config").await.ok();
    assert_eq!(
        (&config["web_search_available"], &config["search_provider"]),
        (&json!(true), &json!("model"))
    );
    model.close().await;

    let (app, server) = TestApp::searching("tavily", "").await;
    let ann = app.user("ann");
    let config = ann.get("/api/config").await.ok();
    assert_eq!((&config["features"]["search"], &config["search_provider"]), (&json!(true), &json!("tavily")));
    assert!(!config.to_string().contains(KEY) && !config.to_string().contains(&server.base_url()));
    let refused = ann.put("/api/config", json!({"chairman_model": "search:tavily"})).await;
    assert_eq!(refused.status, 422, "{}", refused.text);
    let question = json!({"content": "Why?", "models": ["search:tavily", "m/one"]});
    let path = format!("/api/conversations/{}/message", ann.conversation().await);
    let refused = ann.post(&path, question).await;
    assert_eq!(refused.status, 422, "{}", refused.text);
    assert!(refused.text.contains("models.0"), "{}", refused.text);
    assert_eq!(server.queries(), Vec::<String>::new());
    app.close().await;
}

#[tokio::test]
async fn admins_see_whether_searching_works_and_what_it_comes_to() {
    let (app, server) = TestApp::searching("tavily", "").await;
    let admin = app.admin();
    let seen = admin.get("/api/admin/search").await.ok();
    assert_eq!(
        (&seen["backend"], &seen["model"], &seen["simulated"]),
        (&json!("tavily"), &json!("search:tavily"), &json!(false))
    );
    assert_eq!(
        seen["state"],
        json!({"checked_at": null, "check_failure": null, "last_success_at": null,
                                     "last_failure": null, "paused_ms": null})
    );
    assert_eq!(seen["usage"], json!([]));

    app.app.search.check().await;
    server.says([Says::status(432, "used up: my secret plan"), Says::finds(Vec::new())]);
    let asked = request("search:tavily", "my secret plan");
    app.app.models.chat(&asked, &mut NoSink).await.unwrap_err();
    app.app.models.chat(&asked, &mut NoSink).await.unwrap();
    let seen = admin.get("/api/admin/search").await.ok();
    let state = &seen["state"];
    assert!(state["checked_at"].is_string() && state["last_success_at"].is_string(), "{state}");
    assert_eq!(state["last_failure"]["error_kind"], "rate_limited");
    assert_eq!(state["last_failure"]["status"], 432);
    assert_eq!(state["last_failure"]["message"], "tavily says that the plan of the server's key is used up");
    assert!(!seen.to_string().contains("secret"), "{seen}");

    // The ledger knows searches by their purpose, whoever made them.
    let ann = app.user("ann");
    ann.post(&format!("/api/conversations/{}/message", ann.conversation().await), json!({"content": "Why?"}))
        .await
        .ok();
    let relabel = "UPDATE calls SET purpose = 'search', model = 'search:tavily', cost_usd = 0.008 WHERE stage = 'stage1'";
    sqlx::query(relabel).execute(&mut app.db.superuser().await).await.unwrap();
    let seen = admin.get("/api/admin/search").await.ok();
    let used = &seen["usage"][0];
    assert_eq!(
        (&used["model"], &used["searches"], &used["failed_searches"]),
        (&json!("search:tavily"), &json!(4), &json!(0))
    );
    assert!((used["cost_usd"].as_f64().unwrap() - 0.032).abs() < 1e-9, "{used}");
    assert!(used["median_latency_ms"].is_number(), "{used}");
    let before = admin.get("/api/admin/search?from=2020-01-01&to=2020-12-31").await.ok();
    assert_eq!(before["usage"], json!([]));
    assert_eq!(admin.get("/api/admin/search?from=yesterday").await.status, 422);
    assert_eq!(ann.get("/api/admin/search").await.status, 403);
    app.close().await;
}
