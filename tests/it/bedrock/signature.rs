//! AWS's signature (SigV4), worked out from the public specification to check requests as they came. Nothing here is
//! the client's code.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use sha2::{Digest as _, Sha256};

use crate::support::model_server::RecordedRequest;

pub const ACCESS_KEY: &str = "AKIDTESTTESTTEST";
pub const SECRET: &str = "hidden/secret+of+the+test/0123456789";

const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
const PATH: &AsciiSet = &PLAIN.remove(b'/');

/// HMAC-SHA256 for keys of at most a block.
fn hmac(key: &[u8], message: &[u8]) -> Vec<u8> {
    assert!(key.len() <= 64, "a short key");
    let padded =
        |mark: u8| -> Vec<u8> { (0..64).map(|at| key.get(at).copied().unwrap_or(0) ^ mark).collect() };
    let inner = Sha256::digest([&padded(0x36), message].concat());
    Sha256::digest([padded(0x5c).as_slice(), inner.as_slice()].concat()).to_vec()
}

fn part<'t>(text: &'t str, name: &str) -> &'t str {
    let (_, rest) = text.split_once(&format!("{name}=")).unwrap_or_else(|| panic!("no {name}: {text}"));
    rest.split(',').next().expect("a first part").trim()
}

fn canonical_query(query: &str) -> String {
    let mut pairs: Vec<(String, String)> = query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let again = |text: &str| {
                utf8_percent_encode(&percent_decode_str(text).decode_utf8_lossy(), PLAIN).to_string()
            };
            (again(name), again(value))
        })
        .collect();
    pairs.sort();
    pairs.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("&")
}

/// The region that a request is signed for. Whoever signed it otherwise than with [`ACCESS_KEY`] and `secret` is
/// found out.
#[track_caller]
pub fn region_of(request: &RecordedRequest, secret: &str) -> String {
    let authorization = request.header("authorization").expect("a signature");
    let (scheme, rest) = authorization.split_once(' ').expect("a scheme");
    assert_eq!(scheme, "AWS4-HMAC-SHA256");
    let scope: Vec<&str> = part(rest, "Credential").split('/').collect();
    let [key, day, region, service, end] = scope.as_slice() else { panic!("a scope of five: {scope:?}") };
    assert_eq!((*key, *service, *end), (ACCESS_KEY, "bedrock", "aws4_request"));
    let names = part(rest, "SignedHeaders");
    for needed in ["host", "x-amz-date"] {
        assert!(names.split(';').any(|name| name == needed), "{needed} is not signed: {names}");
    }
    assert_eq!(
        names.split(';').any(|name| name == "x-amz-security-token"),
        request.header("x-amz-security-token").is_some(),
        "a token is signed with the rest"
    );
    let headers: String = names
        .split(';')
        .map(|name| format!("{name}:{}\n", request.header(name).expect("a signed header").trim()))
        .collect();
    let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
    let canonical = format!(
        "{}\n{}\n{}\n{headers}\n{names}\n{}",
        request.method,
        utf8_percent_encode(path, PATH),
        canonical_query(query),
        hex::encode(Sha256::digest(&request.bytes)),
    );
    let date = request.header("x-amz-date").expect("a date");
    assert!(date.starts_with(day));
    let to_sign = format!(
        "AWS4-HMAC-SHA256\n{date}\n{day}/{region}/bedrock/aws4_request\n{}",
        hex::encode(Sha256::digest(canonical.as_bytes()))
    );
    let key = [*day, *region, "bedrock", "aws4_request"]
        .iter()
        .fold(format!("AWS4{secret}").into_bytes(), |key, word| hmac(&key, word.as_bytes()));
    let expected = hex::encode(hmac(&key, to_sign.as_bytes()));
    assert_eq!(part(rest, "Signature"), expected, "signed otherwise: {canonical}");
    (*region).to_owned()
}
