//! What the text of a key must be beyond its kind: see [`Rule`](super::kind::Rule). A rule for secrets shows nothing of
//! the text, not even the parser's error, which may quote it.

use std::fmt::Display;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use ipnetwork::IpNetwork;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;
use url::Url;
use uuid::Uuid;

use crate::identity::user;
use crate::llm::SEARCH_PREFIX;

type Checked = Result<String, String>;

fn parsed<T: FromStr<Err: Display>>(text: &str, expected: &str) -> Checked {
    match text.parse::<T>() {
        Ok(_) => Ok(text.to_owned()),
        Err(error) => Err(format!("{text:?} is not {expected}: {error}")),
    }
}

fn kept_if(is_right: bool, text: &str, problem: impl FnOnce() -> String) -> Checked {
    if is_right { Ok(text.to_owned()) } else { Err(problem()) }
}

fn secret(is_right: bool, text: &str, expected: &str) -> Checked {
    kept_if(is_right, text, || format!("must be {expected} (the value is not shown)"))
}

pub(super) fn any(text: &str) -> Checked {
    Ok(text.to_owned())
}

pub(super) fn ip_address(text: &str) -> Checked {
    parsed::<IpAddr>(text, "an IP address")
}

pub(super) fn network(text: &str) -> Checked {
    parsed::<IpNetwork>(text, "a network such as 10.1.2.0/24")
}

/// Whether it is a key is found out where it is used.
pub(super) fn vapid_key(text: &str) -> Checked {
    let is_base64 = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_=".contains(&byte));
    let is_right = is_base64 && text.trim_end_matches('=').len() == 43;
    secret(is_right, text, "32 bytes in URL-safe base64, as `llm-council vapid-key` makes them")
}

pub(super) fn push_subject(text: &str) -> Checked {
    let is_right = Url::parse(text).is_ok_and(|url| match url.scheme() {
        "mailto" => url.path().contains('@'),
        "https" => url.has_host(),
        _ => false,
    });
    kept_if(is_right, text, || format!("{text:?} is neither a mailto: nor an https: address"))
}

pub(super) fn token_route(text: &str) -> Checked {
    kept_if(matches!(text, "/v1" | "/mcp"), text, || {
        format!("{text:?} is no route for programs: /v1 or /mcp")
    })
}

pub(super) fn socket_address(text: &str) -> Checked {
    parsed::<SocketAddr>(text, "an address and port such as 127.0.0.1:9464")
}

pub(super) fn character(text: &str) -> Checked {
    parsed::<char>(text, "one character")
}

pub(super) fn origin(text: &str) -> Checked {
    let is_origin = Url::parse(text).is_ok_and(|url| {
        matches!(url.scheme(), "http" | "https") && url.origin().ascii_serialization() == text
    });
    kept_if(is_origin, text, || {
        format!("{text:?} is not an origin such as https://tools.example.org (no path, no *)")
    })
}

/// A host name, in lower case.
pub(super) fn host(text: &str) -> Checked {
    let host = text.to_lowercase();
    let is_host = Url::parse(&format!("http://{host}/")).is_ok_and(|url| {
        url.path() == "/" && url.username().is_empty() && url.query().is_none() && url.fragment().is_none()
    });
    kept_if(is_host, &host, || format!("{host:?} is not a host name, with or without a port"))
}

/// An http or https URL without credentials, query or trailing slash. Errors do not show it, as
/// what is wrong with it may be that it holds a password.
pub(super) fn uuid(text: &str) -> Checked {
    match Uuid::parse_str(text) {
        Ok(uuid) => Ok(uuid.to_string()),
        Err(_) => Err("is not a UUID".to_owned()),
    }
}

pub(super) fn base_url(text: &str) -> Checked {
    let problem = match Url::parse(text) {
        Ok(url) if !matches!(url.scheme(), "http" | "https") => "must begin with http:// or https://",
        Ok(url) if !url.username().is_empty() || url.password().is_some() => {
            "must not hold a user name or password; use api_key"
        }
        Ok(url) if url.query().is_some() || url.fragment().is_some() => "must not hold a query or fragment",
        Ok(_) => return Ok(text.trim_end_matches('/').to_owned()),
        Err(_) => "is not a URL",
    };
    Err(problem.to_owned())
}

/// The same without a path: the app asks for its files and for `/api` at the root of its host.
pub(super) fn public_url(text: &str) -> Checked {
    let url = base_url(text)?;
    let has_path = Url::parse(&url).is_ok_and(|url| url.path() != "/");
    kept_if(!has_path, &url, || "must not hold a path: the app needs a host name of its own".to_owned())
}

pub(super) fn store_url(text: &str) -> Checked {
    base_url(text)
        .map_err(|problem| problem.replace("api_key", "attachments.s3.access_key_id and secret_access_key"))
}

pub(super) fn bucket(text: &str) -> Checked {
    let is_bucket = (3..=63).contains(&text.len())
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '-'))
        && !text.starts_with(['.', '-'])
        && !text.ends_with(['.', '-'])
        && !text.contains("..");
    kept_if(is_bucket, text, || {
        format!("{text:?} is not the name of a bucket: 3 to 63 lower-case letters, digits, dots and hyphens")
    })
}

pub(super) fn region(text: &str) -> Checked {
    let is_region =
        text.len() <= 64 && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    kept_if(is_region, text, || format!("{text:?} is not the name of a region"))
}

/// What needs no other spelling in an address, and leads nowhere else.
pub(super) fn object_prefix(text: &str) -> Checked {
    let is_plain = text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '-' | '_'));
    let leads_elsewhere = text.split('/').any(|part| part == "." || part == "..");
    let is_prefix =
        is_plain && !leads_elsewhere && text.len() <= 200 && !text.starts_with('/') && !text.contains("//");
    kept_if(is_prefix, text, || {
        format!(
            "{text:?} cannot be the beginning of keys: letters, digits, dots, hyphens, underscores and slashes \
             between them, such as council/"
        )
    })
}

pub(super) fn access_key_id(text: &str) -> Checked {
    let is_id = text.len() <= 128 && text.chars().all(|c| c.is_ascii_graphic() && !matches!(c, '/' | ','));
    secret(is_id, text, "printable ASCII text without blanks, slashes and commas")
}

/// A model's id, but for those of searches.
pub(super) fn search_model(text: &str) -> Checked {
    let is_id =
        !text.starts_with(SEARCH_PREFIX) && !text.contains(|c: char| c.is_whitespace() || c.is_control());
    kept_if(is_id, text, || format!("{text:?} is not the id of a model"))
}

pub(super) fn header_name(text: &str) -> Checked {
    kept_if(is_header_name(text), text, || format!("{text:?} is not a header's name"))
}

/// Whether this is a token in the sense of HTTP.
pub(super) fn is_header_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 100
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c))
}

pub(super) fn admin(name: &str) -> Checked {
    match user::canonical(name) {
        None => Err(format!("{name:?} cannot be a user's name")),
        Some(user) if user.as_str() == user::LOCAL => {
            Err(format!("nobody can sign in as {name:?}: it is the user of servers without sign-in"))
        }
        Some(_) => Ok(name.to_owned()),
    }
}

/// A filter whose every part has a level. The library takes a word that is none for a module, and `warning` would leave
/// nothing to be logged; nor does it take blanks around the commas.
pub(super) fn log_filter(text: &str) -> Checked {
    let parts: Vec<&str> = text.split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
    let has_level = |part: &&str| part.contains(['=', '[']) || part.parse::<LevelFilter>().is_ok();
    if let Some(word) = parts.iter().copied().find(|part| !has_level(part)) {
        return Err(format!(
            "{word:?} is not a level (error, warn, info, debug, trace or off); a module needs one: {word}=debug"
        ));
    }
    let filter = parts.join(",");
    match EnvFilter::builder().parse(&filter) {
        Ok(_) => Ok(filter),
        Err(error) => Err(format!("{text:?} is not a valid log filter: {error}")),
    }
}

pub(super) fn postgres_url(text: &str) -> Checked {
    let is_url = Url::parse(text).is_ok_and(|url| matches!(url.scheme(), "postgres" | "postgresql"));
    secret(is_url, text, "a postgres:// URL")
}

pub(super) fn sentry_dsn(text: &str) -> Checked {
    secret(text.parse::<sentry::types::Dsn>().is_ok(), text, "a Sentry DSN")
}

pub(super) fn header_list(text: &str) -> Checked {
    let is_pair = |pair: &str| pair.split_once('=').is_some_and(|(name, _)| !name.trim().is_empty());
    let is_list = text.split(',').filter(|pair| !pair.trim().is_empty()).all(is_pair);
    secret(is_list, text, "a list of headers as name=value,name=value")
}

pub(super) fn header_value(text: &str) -> Checked {
    let is_value = text.chars().all(|c| c == '\t' || (' '..='~').contains(&c));
    secret(is_value, text, "printable ASCII text")
}
