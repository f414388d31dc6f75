//! What the log says of keys that nothing reads.

use super::tests::load;

#[test]
fn a_key_that_nothing_reads_is_said() {
    let key = ("TAVILY_API_KEY", "tvly-hidden");
    let gateway = ("LLM_COUNCIL__SEARCH__TAVILY__BASE_URL", "https://gate.example");
    let searxng = ("LLM_COUNCIL__SEARCH__SEARXNG__BASE_URL", "http://searxng:8080");
    let model = ("LLM_COUNCIL__SEARCH__MODEL", "perplexity/sonar");
    let backend = |name| ("LLM_COUNCIL__SEARCH__BACKEND", name);
    let dsn = ("SENTRY_DSN", "https://hidden@sentry.example/1");
    let environment = ("SENTRY_ENVIRONMENT", "proving");
    let headers = ("OTEL_EXPORTER_OTLP_HEADERS", "authorization=hidden");
    let endpoint = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318");
    let subject = ("LLM_COUNCIL__PUSH__SUBJECT", "mailto:council@example.org");
    for (env, said) in [
        (vec![], vec![]),
        (vec![key, gateway, searxng, model], vec![]),
        (vec![key, backend("tavily")], vec![]),
        (
            vec![key, backend("none")],
            vec![
                "search.tavily.api_key (from TAVILY_API_KEY) is set but not used: search.backend is \"none\"",
            ],
        ),
        (
            vec![key, searxng, backend("searxng")],
            vec![
                "search.tavily.api_key (from TAVILY_API_KEY) is set but not used: search.backend is \"searxng\"",
            ],
        ),
        (
            vec![searxng, model, backend("simulated")],
            vec![
                "search.searxng.base_url (from LLM_COUNCIL__SEARCH__SEARXNG__BASE_URL) is set but not used: \
                 search.backend is \"simulated\"",
                "search.model (from LLM_COUNCIL__SEARCH__MODEL) is set but not used: search.backend is \"simulated\"",
            ],
        ),
        (
            vec![gateway],
            vec![
                "search.tavily.base_url (from LLM_COUNCIL__SEARCH__TAVILY__BASE_URL) is set but not used: it needs \
                 search.tavily.api_key, which is not set",
            ],
        ),
        (vec![dsn, environment], vec![]),
        (
            vec![environment],
            vec![
                "sentry.environment (from SENTRY_ENVIRONMENT) is set but not used: it needs sentry.dsn, which is \
                 not set",
            ],
        ),
        (
            vec![("SENTRY_RELEASE", "1.2.3")],
            vec![
                "SENTRY_RELEASE is set but not used: reports name the version of this program as their release",
            ],
        ),
        (
            vec![subject],
            vec![
                "push.subject (from LLM_COUNCIL__PUSH__SUBJECT) is set but not used: it needs \
                 push.vapid_private_key, which is not set",
            ],
        ),
        (vec![headers, endpoint], vec![]),
        (
            vec![headers],
            vec![
                "telemetry.otlp.headers (from OTEL_EXPORTER_OTLP_HEADERS) is set but not used: it needs \
                 telemetry.otlp.endpoint, which is not set",
            ],
        ),
    ] {
        assert_eq!(load("", &env).unwrap().notices, said, "{env:?}");
    }
    let from_file = load("[push]\nsubject = \"mailto:council@example.org\"", &[]).unwrap().notices;
    assert!(from_file[0].starts_with("push.subject (from "), "{from_file:?}");
}
