//! Signs requests to Bedrock, with [`crate::sigv4`].

use std::time::SystemTime;

use reqwest::header::HeaderMap;
use url::Url;

use super::credentials::Keys;
use crate::sigv4::{self, Body, Service};

/// Bedrock's service name in signatures, also for requests for its lists of models.
const SERVICE: &str = "bedrock";

/// The parts of a request that are signed.
pub(super) struct ToSign<'a> {
    pub method: &'a str,
    pub url: &'a Url,
    pub content_type: Option<&'a str>,
    pub body: &'a [u8],
    pub region: &'a str,
}

/// The headers that sign a request at this moment.
///
/// # Errors
/// When it cannot be signed: an invalid address, or a token that does not fit into a header.
pub(super) fn headers(keys: &Keys, it: &ToSign<'_>, now: SystemTime) -> Result<HeaderMap, String> {
    let keys = sigv4::Keys {
        access_key_id: &keys.access_key_id,
        secret_access_key: &keys.secret_access_key,
        session_token: keys.session_token.as_ref(),
    };
    let given = it.content_type.map(|value| ("content-type", value));
    let it = sigv4::ToSign {
        service: Service::Named(SERVICE),
        region: it.region,
        method: it.method,
        url: it.url,
        headers: given.as_slice(),
        body: Body::Bytes(it.body),
    };
    sigv4::headers(&keys, &it, now)
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderValue;
    use serde_json::Value;

    use super::*;

    /// Twelve requests, as botocore signs them; how the file was made is described beside it.
    const ORACLE: &str = include_str!("../../../tests/it/fixtures/bedrock/signatures.json");

    #[test]
    fn signatures_are_those_of_botocore() {
        let oracle: Value = serde_json::from_str(ORACLE).unwrap();
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let cases = oracle["cases"].as_array().unwrap();
        assert_eq!(cases.len(), 12);
        for case in cases {
            let keys = Keys {
                access_key_id: text(&oracle["access_key_id"]).unwrap(),
                secret_access_key: text(&oracle["secret_access_key"]).unwrap().into(),
                session_token: text(&case["token"]).map(Into::into),
                expires: None,
            };
            let at: jiff::Timestamp = case["at"].as_str().unwrap().parse().unwrap();
            let method = case["method"].as_str().unwrap();
            let to_sign = ToSign {
                method,
                url: &case["url"].as_str().unwrap().parse().unwrap(),
                content_type: (method == "POST").then_some("application/json"),
                body: case["body"].as_str().unwrap().as_bytes(),
                region: case["region"].as_str().unwrap(),
            };
            let headers = headers(&keys, &to_sign, at.into()).unwrap();
            assert_eq!(headers["authorization"], case["authorization"].as_str().unwrap(), "{case}");
            assert_eq!(
                headers.get("x-amz-security-token").map(|token| token.to_str().unwrap()),
                case["token"].as_str()
            );
            assert!(headers.values().all(HeaderValue::is_sensitive));
        }
    }
}
