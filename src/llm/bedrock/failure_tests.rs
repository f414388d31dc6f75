use super::*;
use crate::llm::upstream_error::Secrets;

fn call(context: &ErrorContext) -> Call<'_> {
    Call { context, region: "eu-west-1", has_bearer: true }
}

fn context() -> ErrorContext {
    ErrorContext {
        provider: "bedrock".into(),
        model: "m".into(),
        secrets: ["hidden-key".to_owned()].into_iter().collect(),
    }
}

#[test]
fn each_refusal_says_what_to_do() {
    for (status, name, words, kind, told) in [
        (
            403,
            "AccessDeniedException",
            "You don't have access to the model with the specified model ID.",
            ErrorKind::Refused,
            "no access to `m` in eu-west-1; ask for it",
        ),
        (
            403,
            "AccessDeniedException",
            "User: arn:x is not authorized to perform: bedrock:InvokeModel on resource: y",
            ErrorKind::Auth,
            "bedrock:InvokeModelWithResponseStream",
        ),
        (
            403,
            "AccessDeniedException",
            "Authentication failed: Please make sure your API Key is valid.",
            ErrorKind::Auth,
            "check providers.bedrock.api_key",
        ),
        (
            403,
            "ExpiredTokenException",
            "The security token included in the request is expired",
            ErrorKind::Auth,
            "the key of bedrock has expired",
        ),
        (
            403,
            "UnrecognizedClientException",
            "The security token included in the request is invalid.",
            ErrorKind::Auth,
            "does not know the key",
        ),
        (403, "InvalidSignatureException", "Signature expired", ErrorKind::Auth, "the clock of this server"),
        (
            429,
            "ThrottlingException",
            "Too many requests, please wait before trying again.",
            ErrorKind::RateLimited,
            "limits the rate of requests to `m` in eu-west-1",
        ),
        (429, "ModelNotReadyException", "not ready", ErrorKind::Overloaded, "is being loaded"),
        (408, "ModelTimeoutException", "x", ErrorKind::Timeout, "gave up waiting"),
        (424, "ModelErrorException", "x", ErrorKind::Overloaded, "failed to answer"),
        (400, "ServiceQuotaExceededException", "x", ErrorKind::RateLimited, "AWS raises it on request"),
        (
            404,
            "ResourceNotFoundException",
            "end of its life",
            ErrorKind::Refused,
            "not on offer in eu-west-1",
        ),
        (
            400,
            "ValidationException",
            "Input is too long for requested model.",
            ErrorKind::ContextTooLong,
            "does not fit",
        ),
        (
            400,
            "ValidationException",
            "The provided model identifier is invalid.",
            ErrorKind::Refused,
            "not on offer in eu-west-1",
        ),
        (
            400,
            "ValidationException",
            "Invocation of model ID m with on-demand throughput isn\u{2019}t supported.",
            ErrorKind::Refused,
            "through an inference profile only",
        ),
        (400, "ValidationException", "temperature?", ErrorKind::Refused, "refused the request"),
        (500, "InternalServerException", "x", ErrorKind::Overloaded, "failed to answer"),
        (503, "ServiceUnavailableException", "x", ErrorKind::Overloaded, "failed to answer"),
        (418, "NewException", "x", ErrorKind::Refused, "refused the request"),
        (599, "", "x", ErrorKind::Overloaded, "failed to answer"),
    ] {
        let context = context();
        let body = serde_json::json!({ "message": format!("{words} hidden-key") }).to_string();
        let error =
            refused(&call(&context), status, Some(&format!("{name}:http://x/")), None, body.as_bytes());
        assert_eq!((error.kind, error.status), (kind, Some(status)), "{name} {words}: {}", error.message);
        assert!(error.message.contains(told), "{}", error.message);
        assert!(
            error.message.contains("[redacted]") && !error.message.contains("hidden-key"),
            "{}",
            error.message
        );
    }
}

#[test]
fn the_name_may_stand_in_the_body_and_a_page_is_no_exception() {
    let context = context();
    let body = br#"{"__type": "com.amazon.coral.service#UnrecognizedClientException", "Message": "no"}"#;
    assert_eq!(refused(&call(&context), 403, None, None, body).kind, ErrorKind::Auth);
    let page =
        refused(&call(&context), 502, None, Some(Duration::from_secs(2)), b"<title>Bad Gateway</title>");
    assert_eq!((page.kind, page.retry_after_ms), (ErrorKind::Overloaded, Some(2000)));
    assert!(page.message.contains("Bad Gateway"), "{}", page.message);
}

#[test]
fn failures_in_mid_reply_have_the_status_of_their_kind() {
    for (name, kind, status) in [
        ("throttlingException", ErrorKind::RateLimited, Some(429)),
        ("internalServerException", ErrorKind::Overloaded, Some(500)),
        ("modelStreamErrorException", ErrorKind::Overloaded, None),
        ("serviceUnavailableException", ErrorKind::Overloaded, Some(503)),
        ("modelTimeoutException", ErrorKind::Timeout, Some(408)),
        ("validationException", ErrorKind::Refused, Some(400)),
        ("newException", ErrorKind::Overloaded, None),
    ] {
        let context = context();
        let error = midway(&call(&context), name, br#"{"message":"Input?"}"#);
        assert_eq!((error.kind, error.status), (kind, status), "{name}");
    }
}

#[test]
fn no_secrets_is_no_matter() {
    let context = ErrorContext { secrets: Secrets::default(), ..context() };
    assert_eq!(of_connection(&call(&context), "x", "y").kind, ErrorKind::Overloaded);
    assert!(says_expired(Some("ExpiredTokenException:http://x")) && !says_expired(None));
}
