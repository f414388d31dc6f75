//! AWS's request signature (SigV4), for services of AWS and compatible ones, computed by AWS's own crate.
//! Imports no other room.

use std::time::SystemTime;

use aws_credential_types::Credentials;
use aws_sigv4::http_request::{
    PayloadChecksumKind, PercentEncodingMode, SignableBody, SignableRequest, SigningSettings,
    UriPathNormalizationMode, sign,
};
use aws_sigv4::sign::v4::SigningParams;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use secrecy::{ExposeSecret as _, SecretString};
use url::Url;

/// The credentials to sign with.
pub struct Keys<'a> {
    pub access_key_id: &'a str,
    pub secret_access_key: &'a SecretString,
    pub session_token: Option<&'a SecretString>,
}

/// The service that the request is for.
pub enum Service {
    /// The service of this name, by the usual rules.
    Named(&'static str),
    /// S3, which takes the path as it is sent, and the hash of the body in a header.
    S3,
}

/// The body of the request.
pub enum Body<'a> {
    Bytes(&'a [u8]),
    /// Its SHA-256, as hexadecimal digits.
    Hash(&'a str),
}

/// A request to be signed.
pub struct ToSign<'a> {
    pub service: Service,
    pub region: &'a str,
    pub method: &'a str,
    pub url: &'a Url,
    /// The headers to sign in addition to the host and those that signing adds.
    pub headers: &'a [(&'a str, &'a str)],
    pub body: Body<'a>,
}

/// The headers that sign a request at this moment.
///
/// # Errors
/// When it cannot be signed: an invalid address, or a token that does not fit into a header.
pub fn headers(keys: &Keys<'_>, it: &ToSign<'_>, now: SystemTime) -> Result<HeaderMap, String> {
    let token = keys.session_token.map(|token| token.expose_secret().to_owned());
    let secret = keys.secret_access_key.expose_secret();
    let identity = Credentials::new(keys.access_key_id, secret, token, None, "llm-council").into();
    let mut settings = SigningSettings::default();
    let name = match it.service {
        Service::Named(name) => name,
        Service::S3 => {
            settings.percent_encoding_mode = PercentEncodingMode::Single;
            settings.uri_path_normalization_mode = UriPathNormalizationMode::Disabled;
            settings.payload_checksum_kind = PayloadChecksumKind::XAmzSha256;
            "s3"
        }
    };
    let params = SigningParams::builder()
        .identity(&identity)
        .region(it.region)
        .name(name)
        .time(now)
        .settings(settings)
        .build()
        .map_err(|error| error.to_string())?
        .into();
    let body = match it.body {
        Body::Bytes(bytes) => SignableBody::Bytes(bytes),
        Body::Hash(hash) => SignableBody::Precomputed(hash.to_owned()),
    };
    let request = SignableRequest::new(it.method, it.url.as_str(), it.headers.iter().copied(), body)
        .map_err(|error| error.to_string())?;
    let (instructions, _) = sign(request, &params).map_err(|error| error.to_string())?.into_parts();
    let mut headers = HeaderMap::new();
    for (name, value) in instructions.headers() {
        let problem = || "the credentials hold characters that cannot be sent in a header".to_owned();
        let name: HeaderName = name.parse().map_err(|_| problem())?;
        let mut value = HeaderValue::try_from(value).map_err(|_| problem())?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Ok(headers)
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    /// AWS's own examples ("Signature Calculations for the Authorization Header", Amazon S3 API Reference).
    #[test]
    fn signatures_for_s3_are_those_of_aws_documentation() {
        let secret = SecretString::from("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY");
        let keys =
            Keys { access_key_id: "AKIAIOSFODNN7EXAMPLE", secret_access_key: &secret, session_token: None };
        let now: Timestamp = "2013-05-24T00:00:00Z".parse().unwrap();
        let signed = |method, path: &str, given: &[(&str, &str)], body: &[u8]| {
            let url = format!("https://examplebucket.s3.amazonaws.com{path}").parse().unwrap();
            let it = ToSign {
                service: Service::S3,
                region: "us-east-1",
                method,
                url: &url,
                headers: given,
                body: Body::Bytes(body),
            };
            headers(&keys, &it, now.into()).unwrap()
        };
        let end = |headers: &HeaderMap| {
            let text = headers["authorization"].to_str().unwrap();
            let (_, end) = text.split_once("SignedHeaders=").unwrap();
            end.to_owned()
        };
        let get = signed("GET", "/test.txt", &[("range", "bytes=0-9")], b"");
        assert_eq!(
            end(&get),
            "host;range;x-amz-content-sha256;x-amz-date, \
             Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
        );
        assert!(get.values().all(HeaderValue::is_sensitive));
        assert_eq!(
            get["x-amz-content-sha256"],
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
        let given =
            [("date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY")];
        let put = signed("PUT", "/test%24file.text", &given, b"Welcome to Amazon S3.");
        assert_eq!(
            end(&put),
            "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class, \
             Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
        );
    }
}
