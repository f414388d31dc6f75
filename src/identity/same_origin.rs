//! Whether a browser's state-changing request comes from our own pages.
//!
//! A proxy's session cookie goes along with requests that other sites make a browser send. Every
//! current browser marks those: `Sec-Fetch-Site` says where a request comes from, and `Origin`
//! stands on every cross-origin POST. A request with neither does not come from a browser (curl, the command line,
//! older clients), and nobody can make another person's browser send one.

use url::Url;

/// A header that came twice, or has a value that no browser sends. If it were taken for absent, a browser's request
/// would look like a program's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed;

/// The value of `Sec-Fetch-Site`, if there is one.
pub fn site<'a>(values: impl Iterator<Item = &'a [u8]>) -> Result<Option<&'a str>, Malformed> {
    let site = single(values)?;
    let known = matches!(site, None | Some("same-origin" | "same-site" | "cross-site" | "none"));
    if known { Ok(site) } else { Err(Malformed) }
}

/// The value of `Origin`, if there is one: `null`, or a scheme, a host and perhaps a port.
pub fn origin<'a>(values: impl Iterator<Item = &'a [u8]>) -> Result<Option<&'a str>, Malformed> {
    let origin = single(values)?;
    let is_origin = |text: &str| {
        let (scheme, authority) = text.split_once("://")?;
        let is_authority = !authority.is_empty() && !authority.contains(['/', '\\', '?', '#', '@']);
        Some(is_authority && !scheme.is_empty() && Url::parse(text).is_ok())
    };
    match origin {
        None | Some("null") => Ok(origin),
        Some(text) if is_origin(text) == Some(true) => Ok(origin),
        Some(_) => Err(Malformed),
    }
}

fn single<'a>(mut values: impl Iterator<Item = &'a [u8]>) -> Result<Option<&'a str>, Malformed> {
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => {
            let text =
                std::str::from_utf8(value).ok().filter(|text| text.bytes().all(|b| b.is_ascii_graphic()));
            text.map(Some).ok_or(Malformed)
        }
        (Some(_), Some(_)) => Err(Malformed),
    }
}

/// The origins whose pages may change things.
#[derive(Debug, Clone, Default)]
pub struct Origins {
    /// Other origins that the configuration allows (`https://council.example`).
    pub allowed: Vec<String>,
    /// The host under which people reach this server, where it is configured.
    pub public: Option<Url>,
}

impl Origins {
    /// Whether a state-changing request may go on.
    #[must_use]
    pub fn allow(&self, site: Option<&str>, origin: Option<&str>, host: Option<&str>) -> bool {
        if let Some(origin) = origin
            && self.allowed.iter().any(|allowed| allowed.trim_end_matches('/').eq_ignore_ascii_case(origin))
        {
            return true;
        }
        match (site, origin) {
            (Some("same-origin" | "none"), _) => true,
            (Some(_), _) => false,
            (None, None) => true,
            (None, Some(origin)) => self.is_ours(origin, host),
        }
    }

    /// Whether an origin is this server's own: by its configured address, else by the host that
    /// the request was sent to. The scheme is the proxy's business and unknown here.
    fn is_ours(&self, origin: &str, host: Option<&str>) -> bool {
        let Ok(origin) = Url::parse(origin) else { return false };
        if let Some(public) = &self.public {
            return public.origin() == origin.origin();
        }
        let Some(host) = host else { return false };
        let Ok(own) = Url::parse(&format!("{}://{host}/", origin.scheme())) else { return false };
        own.origin() == origin.origin() && origin.origin().is_tuple()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOST: Option<&str> = Some("council.example");

    #[test]
    fn only_our_own_pages_change_things() {
        let origins = Origins { allowed: vec!["http://localhost:5173".into()], public: None };
        let cases = [
            (Some("same-origin"), Some("https://council.example"), true),
            (Some("none"), None, true),
            (Some("cross-site"), Some("https://evil.example"), false),
            (Some("cross-site"), None, false),
            (Some("same-site"), Some("https://other.example"), false),
            (Some("same-site"), Some("http://localhost:5173"), true),
            (None, None, true),
            (None, Some("https://council.example"), true),
            (None, Some("https://evil.example"), false),
            (None, Some("https://council.example.evil.example"), false),
            (None, Some("null"), false),
            (None, Some("junk"), false),
        ];
        for (site, origin, allowed) in cases {
            assert_eq!(origins.allow(site, origin, HOST), allowed, "{site:?} {origin:?}");
        }
    }

    #[test]
    fn a_header_that_no_browser_sends_is_malformed_and_not_absent() {
        fn values<'a>(values: &'a [&'a str]) -> impl Iterator<Item = &'a [u8]> {
            values.iter().map(|value| value.as_bytes())
        }
        assert_eq!((site(values(&[])), origin(values(&[]))), (Ok(None), Ok(None)));
        for known in ["same-origin", "same-site", "cross-site", "none"] {
            assert_eq!(site(values(&[known])), Ok(Some(known)));
        }
        for wrong in
            [&["Same-Origin"][..], &[""], &["none", "none"], &["same-origin, cross-site"], &["n\u{f6}ne"]]
        {
            assert_eq!(site(values(wrong)), Err(Malformed), "{wrong:?}");
        }
        let extension = "moz-extension://2c127fa4-62c7-7e4f-90e5-472b45eecfdc";
        for known in
            ["null", "https://council.example", "http://127.0.0.1:8001", "http://[::1]:8001", extension]
        {
            assert_eq!(origin(values(&[known])), Ok(Some(known)), "{known}");
        }
        for wrong in [
            &[""][..],
            &["junk"],
            &["council.example"],
            &["https://"],
            &["https://council.example/"],
            &["https://ann@council.example"],
            &["https://council.example https://evil.example"],
            &["https://council.example", "https://council.example"],
            &["https://council.example", "https://evil.example"],
            &["https://c\u{f6}uncil.example"],
            &["https://council.example:99999"],
        ] {
            assert_eq!(origin(values(wrong)), Err(Malformed), "{wrong:?}");
        }
        assert_eq!(site([b"none\xff".as_slice()].into_iter()), Err(Malformed));
    }

    #[test]
    fn the_configured_address_decides_where_there_is_one() {
        let origins =
            Origins { allowed: vec![], public: Some(Url::parse("https://council.example/").unwrap()) };
        assert!(origins.allow(None, Some("https://council.example"), Some("10.0.0.7:8001")));
        assert!(!origins.allow(None, Some("http://council.example"), HOST));
        assert!(!origins.allow(None, Some("http://10.0.0.7:8001"), Some("10.0.0.7:8001")));
    }
}
