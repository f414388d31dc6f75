use proptest::prelude::*;

use super::*;

fn tavily(key_in: KeyIn) -> Tavily {
    let settings = TavilySettings {
        base_url: "https://api.example".into(),
        api_key: Some(" tvly-hidden-1\n".to_owned().into()),
        key_in,
        price_usd: 0.008,
    };
    Tavily::new(&settings, reqwest::Client::new()).unwrap()
}

#[test]
fn an_answer_is_read_with_its_results() {
    let said = json!({
        "query": "tides", "follow_up_questions": null, "images": [], "response_time": "1.09",
        "answer": "The moon &amp; the sun.",
        "results": [
            {"title": "Tides", "url": "https://a.example/tides", "content": "The <b>moon</b> pulls.",
             "score": 0.98, "raw_content": null, "published_date": "Mon, 02 Nov 2026 10:00:00 GMT"},
            {"title": null, "url": "https://b.example/", "content": null},
            {"title": "no address"}, "junk", null,
        ],
    });
    let found = read(&said, 5).unwrap();
    assert_eq!(found.answer.as_deref(), Some("The moon & the sun."));
    let first = &found.results[0];
    assert_eq!(first.snippet.as_deref(), Some("The moon pulls."));
    assert_eq!(first.published.as_deref(), Some("Mon, 02 Nov 2026 10:00:00 GMT"));
    assert_eq!(found.results.len(), 2);
    assert_eq!(found.results[1].title.as_deref(), Some("b.example"));
    assert_eq!(read(&json!({"results": []}), 5), Some(Found::default()));
    for other in [json!({}), json!([]), json!({"results": null}), json!({"detail": "no"}), json!("results")] {
        assert_eq!(read(&other, 5), None, "{other}");
    }
}

#[test]
fn the_key_stands_only_where_it_is_to_be_sent() {
    let query = Query { text: "tides".into(), max_results: 3 };
    assert_eq!(
        tavily(KeyIn::Header).body(&query),
        json!({"query": "tides", "max_results": 3, "search_depth": "basic", "include_answer": true,
               "include_raw_content": false})
    );
    for key_in in [KeyIn::Body, KeyIn::Both] {
        assert_eq!(tavily(key_in).body(&query)["api_key"], "tvly-hidden-1");
    }
}

#[test]
fn each_refusal_says_what_it_is() {
    let tavily = tavily(KeyIn::Both);
    for (status, kind, words) in [
        (400, ErrorKind::Refused, "refused the search"),
        (401, ErrorKind::Auth, "search.tavily.api_key"),
        (403, ErrorKind::Auth, "rights"),
        (404, ErrorKind::Refused, "base_url"),
        (302, ErrorKind::Refused, "redirect"),
        (429, ErrorKind::RateLimited, "rate"),
        (432, ErrorKind::RateLimited, "plan"),
        (433, ErrorKind::RateLimited, "pay-as-you-go"),
        (500, ErrorKind::Overloaded, "failed"),
        (504, ErrorKind::Timeout, "gave up"),
    ] {
        let body = br#"{"detail": {"error": "because tvly-hidden-1"}}"#.to_vec();
        let error = tavily.refused(&Refusal { status, retry_after: None, body });
        assert_eq!((error.kind, error.status), (kind, Some(status)));
        assert!(error.message.contains(words), "{error}");
        assert!(error.message.ends_with(": because [redacted]"), "{error}");
    }
}

#[test]
fn a_key_that_cannot_be_sent_is_refused_without_showing_it() {
    for key in ["", " \n", "hid den", "hidden\u{1}", "hiddén"] {
        let settings = TavilySettings {
            base_url: "https://api.example".into(),
            api_key: Some(key.to_owned().into()),
            key_in: KeyIn::Both,
            price_usd: 0.0,
        };
        let problem = Tavily::new(&settings, reqwest::Client::new()).map(|_| ()).unwrap_err();
        assert!(problem.starts_with("search.tavily.api_key: ") && !problem.contains("hid"), "{problem}");
    }
}

/// Any JSON with the names that Tavily uses in it.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        Just("https://a.example/x".into()),
        Just("javascript:x".into()),
    ];
    leaf.prop_recursive(4, 64, 8, |inner| {
        let names = prop_oneof![Just("results"), Just("url"), Just("title"), Just("content"), Just("answer")];
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            proptest::collection::vec((names, inner), 0..6)
                .prop_map(|pairs| pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()),
        ]
    })
}

proptest! {
    #[test]
    fn any_json_is_read_without_panic(said in any_json(), max in 1usize..20) {
        if let Some(found) = read(&said, max) {
            prop_assert!(found.results.len() <= max);
            prop_assert!(found.results.iter().all(|it| it.url.starts_with("http")));
        }
    }
}
