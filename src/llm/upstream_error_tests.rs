use proptest::prelude::*;

use super::*;

fn context() -> ErrorContext {
    ErrorContext {
        provider: "gate".into(),
        model: "acme/one".into(),
        secrets: ["sk-secret-123".to_owned()].into_iter().collect(),
    }
}

fn refused(status: u16, body: &str) -> CallError {
    context().refused(status, None, body.as_bytes())
}

#[test]
fn every_status_has_its_kind() {
    for (status, kind) in [
        (301, ErrorKind::Refused),
        (400, ErrorKind::Refused),
        (401, ErrorKind::Auth),
        (402, ErrorKind::RateLimited),
        (403, ErrorKind::Auth),
        (404, ErrorKind::Refused),
        (408, ErrorKind::Timeout),
        (413, ErrorKind::ContextTooLong),
        (429, ErrorKind::RateLimited),
        (500, ErrorKind::Overloaded),
        (502, ErrorKind::Overloaded),
        (504, ErrorKind::Timeout),
        (529, ErrorKind::Overloaded),
    ] {
        let error = refused(status, "no");
        assert_eq!((error.kind, error.status), (kind, Some(status)));
    }
}

#[test]
fn a_prompt_over_the_context_is_recognised_in_many_words() {
    for (status, body) in [
        (400, r#"{"error":{"code":"context_length_exceeded","message":"too long"}}"#),
        (400, r#"{"error":{"message":"This model's maximum context length is 8192 tokens."}}"#),
        (
            400,
            r#"{"error":{"code":400,"message":"the request exceeds","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4096}}"#,
        ),
        (500, r#"{"error":"the request exceeds the available context size"}"#),
        (422, r#"{"detail":"prompt is too long: 210000 tokens"}"#),
        (
            400,
            r#"{"code":"invalid-argument","error":"This model's maximum prompt length is 131072 but the request contains 136973 tokens."}"#,
        ),
        (
            422,
            r#"{"error":"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens and 512 `max_new_tokens`","error_type":"validation"}"#,
        ),
        (422, r#"{"error":"Input validation error: `inputs` must have less than 4095 tokens. Given: 9000"}"#),
        (
            400,
            r#"{"error":{"message":"Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)","type":"invalid_request_error"}}"#,
        ),
        (
            400,
            r#"{"error":{"code":"invalid_request_error","message":"input length and `max_tokens` exceed context limit: 195211 + 8192 > 200000, decrease input length or `max_tokens` and try again","type":"invalid_request_error","param":null}}"#,
        ),
        (400, r#"{"error":{"message":"Range of input length should be [1, 983616]"}}"#),
    ] {
        assert_eq!(refused(status, body).kind, ErrorKind::ContextTooLong, "{body}");
    }
    let body = r#"{"error":{"message":"too long","n_prompt_tokens":9000,"n_ctx":4096,"code":400}}"#;
    assert!(refused(400, body).message.contains("n_prompt_tokens 9000, n_ctx 4096"));
}

#[test]
fn a_wrong_key_is_one_also_where_it_is_answered_with_400() {
    for body in [
        r#"[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]"#,
        r#"[{"error":{"code":400,"message":"API key expired. Please renew the API key.","status":"INVALID_ARGUMENT"}}]"#,
        r#"{"code":"Client specified an invalid argument","error":"Incorrect API key provided: xa***12."}"#,
    ] {
        let error = refused(400, body);
        assert_eq!(error.kind, ErrorKind::Auth, "{body}");
        assert!(
            error
                .message
                .starts_with("gate refused the server's key; check providers.gate.api_key (HTTP 400): "),
            "{}",
            error.message
        );
    }
    let other = r#"{"error":{"message":"unknown parameter: api_key"}}"#;
    assert_eq!(refused(400, other).kind, ErrorKind::Refused);
}

#[test]
fn a_flagged_prompt_or_a_model_that_is_not_allowed_is_not_blamed_on_the_key() {
    for body in [
        r#"{"error":{"message":"Your input was flagged","code":403}}"#,
        r#"{"code":"The caller does not have permission to execute the specified operation","error":"Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO"}"#,
        r#"{"error":{"message":"Project `proj_1` does not have access to model `one`","type":"invalid_request_error","param":null,"code":"model_not_found"}}"#,
        r#"{"error":{"message":"The model `one` is blocked at the organization level.","type":"permissions_error","code":"model_permission_blocked_org"}}"#,
    ] {
        let error = refused(403, body);
        assert_eq!(error.kind, ErrorKind::Refused, "{body}");
        assert!(error.message.starts_with("gate refused the request to `acme/one` (HTTP 403): "), "{error}");
    }
    let other = r#"{"error":{"message":"Your team has been blocked","code":"unauthorized"}}"#;
    assert_eq!(refused(403, other).kind, ErrorKind::Auth);
}

#[test]
fn a_key_whose_own_limit_is_used_up_is_not_a_wrong_one() {
    let error = refused(403, r#"{"error":{"message":"Key limit exceeded (monthly limit).","code":403}}"#);
    assert_eq!((error.kind, error.status), (ErrorKind::RateLimited, Some(403)));
    assert_eq!(
        error.message,
        "gate says that the limit of the server's key is used up (HTTP 403): Key limit exceeded (monthly limit)."
    );
}

#[test]
fn a_retired_model_is_named() {
    let error = refused(404, r#"{"error":{"message":"No endpoints found","code":404}}"#);
    assert_eq!(
        error.message,
        "the model `acme/one` is not on offer at gate: it may be retired or misspelt (HTTP 404): No endpoints found"
    );
}

#[test]
fn a_page_in_front_of_the_server_is_named_by_its_title() {
    let error = refused(502, "<html><head><title>502 Bad Gateway</title></head><body>x</body></html>");
    assert_eq!(
        error.message,
        "gate failed to answer for `acme/one` (HTTP 502): an HTML page, \"502 Bad Gateway\""
    );
    assert!(refused(404, "<html></html>").message.contains("base_url"));
}

#[test]
fn the_cause_inside_a_gateways_error_is_shown() {
    let body = r#"{"error":{"message":"Provider returned error","code":429,"metadata":{"raw":"slow down","provider_name":"X"}}}"#;
    assert!(refused(429, body).message.ends_with("Provider returned error: slow down"));
}

#[test]
fn a_wait_that_only_the_body_asks_for_is_read() {
    let of_google = r#"{"error":{"code":429,"message":"slow","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.Help"},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"7.5s"}]}}"#;
    let passed_on = serde_json::json!({"error": {"message": "Provider returned error", "code": 429, "metadata": {"raw": of_google}}});
    for body in [of_google.to_owned(), format!("[{of_google}]"), passed_on.to_string()] {
        assert_eq!(refused(429, &body).retry_after_ms, Some(7500), "{body}");
        let header = Some(Duration::from_secs(3));
        assert_eq!(context().refused(429, header, body.as_bytes()).retry_after_ms, Some(3000), "{body}");
    }
    let event: Value = serde_json::from_str(of_google).unwrap();
    assert_eq!(context().failed_midway(&event["error"]).retry_after_ms, Some(7500));

    let of_openrouter = |reset: String| {
        let headers = serde_json::json!({"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": reset});
        let error = serde_json::json!({"code": 429, "message": "slow", "metadata": {"headers": headers}});
        refused(429, &serde_json::json!({ "error": error }).to_string()).retry_after_ms
    };
    let now = Timestamp::now().as_millisecond();
    let wait = of_openrouter((now + 3_600_000).to_string()).unwrap();
    assert!((3_000_000..=3_600_000).contains(&wait), "{wait}");
    for past_or_none in [(now - 1000).to_string(), i64::MAX.to_string(), "soon".to_owned()] {
        assert_eq!(of_openrouter(past_or_none.clone()), None, "{past_or_none}");
    }
    for delay in ["-1s", "s", "7", "1e400s"] {
        let body = of_google.replace("7.5s", delay);
        assert_eq!(refused(429, &body).retry_after_ms, None, "{delay}");
    }
}

#[test]
fn what_is_shown_of_an_error_is_never_json_and_nothing_is_said_twice() {
    for (body, shown) in [
        (
            r#"{"error":{"message":"Provider returned error","metadata":{"raw":"{\"error\":{\"message\":\"slow down\",\"code\":429}}"}}}"#,
            ": Provider returned error: slow down",
        ),
        (
            r#"{"error":{"message":"slow down","metadata":{"raw":"{\"error\":\"slow down\"}"}}}"#,
            ": slow down",
        ),
        (r#"{"error":{"message":{"detail":[{"msg":"too big"},{"msg":"too late"}]}}}"#, ": too big; too late"),
        (r#"{"error":{"message":"{\"cut\":"}}"#, "(HTTP 500)"),
        (r#"{"error":{"hint":{"a":[1]}}}"#, "(HTTP 500)"),
        (r#"{"cut": "#, "(HTTP 500)"),
    ] {
        let message = refused(500, body).message;
        assert!(message.ends_with(shown) && !message.contains(['{', '[']), "{message}");
    }
}

#[test]
fn the_key_is_redacted_wherever_it_stands() {
    for body in [
        "sk-secret-123 is bad",
        r#"{"error":{"message":"key sk-secret-123"}}"#,
        r#"[{"detail":"sk-secret-123"}]"#,
    ] {
        let error = refused(401, body);
        assert!(!format!("{error:?}").contains("sk-secret"), "{error:?}");
    }
    assert!(!format!("{:?}", context()).contains("sk-secret"));
}

#[test]
fn an_error_inside_a_stream_has_a_kind_by_code_or_by_words() {
    for (error, kind, status) in [
        (r#"{"code":429,"message":"x"}"#, ErrorKind::RateLimited, Some(429)),
        (r#"{"code":"502","message":"x"}"#, ErrorKind::Overloaded, Some(502)),
        (r#"{"code":"server_error","message":"gone"}"#, ErrorKind::Overloaded, None),
        (r#"{"code":"rate_limit_exceeded"}"#, ErrorKind::RateLimited, None),
        (r#"{"type":"invalid_request_error"}"#, ErrorKind::Refused, None),
        (r#""upstream timed out""#, ErrorKind::Timeout, None),
        ("true", ErrorKind::Overloaded, None),
    ] {
        let got = context().failed_midway(&serde_json::from_str(error).unwrap());
        assert_eq!((got.kind, got.status), (kind, status), "{error}");
    }
}

proptest! {
    #[test]
    fn any_body_gives_a_short_message(status in 300u16..600, body in proptest::collection::vec(any::<u8>(), 0..400)) {
        let error = context().refused(status, None, &body);
        prop_assert!(error.message.chars().count() < 500);
        prop_assert!(!error.message.chars().any(char::is_control));
    }
}
