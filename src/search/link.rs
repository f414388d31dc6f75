//! Addresses from outside: which of them may stand in a list of sources, and when two of them are the same page.

use url::Url;

use crate::invisible::is_blank;

/// The longest address of a source.
const MAX_CHARS: usize = 2048;

/// Tracking parameters, which do not change the page. Names that end in `_` are prefixes.
const TRACKING: [&str; 8] = ["utm_", "gclid", "fbclid", "msclkid", "mc_cid", "mc_eid", "igshid", "ref_src"];

/// An address that may be shown as a link: http or https, with a host, without a user's name or password, without
/// characters that nobody sees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The address that is followed.
    pub url: String,
    /// The host for people, as it stands in the address: names in other scripts in their ASCII form (`xn--…`), since
    /// look-alike letters would deceive.
    pub host: String,
    key: String,
}

impl Link {
    /// Reads an address; `None` if it is not to be shown as one.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        let is_plain = |c: char| !(c.is_control() || c.is_whitespace() || is_blank(c) || c == '\\');
        if text.len() > MAX_CHARS || !text.chars().all(is_plain) {
            return None;
        }
        let url = Url::parse(text).ok()?;
        if !matches!(url.scheme(), "http" | "https") || !url.username().is_empty() || url.password().is_some()
        {
            return None;
        }
        // An address with `@` before the host names a user, even an empty one.
        let authority = text.split_once("//")?.1.split(['/', '?', '#']).next()?;
        if authority.is_empty() || authority.contains('@') {
            return None;
        }
        let host = url.host_str().filter(|host| !host.is_empty())?.to_owned();
        let key = key(&url);
        let url = String::from(url);
        (url.len() <= MAX_CHARS).then_some(Self { url, host, key })
    }

    /// A key that is equal for two addresses of one page: without scheme, trailing slash, fragment and tracking
    /// parameters.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }
}

fn key(url: &Url) -> String {
    let mut key = url.host_str().unwrap_or_default().trim_end_matches('.').to_owned();
    if let Some(port) = url.port() {
        key.push_str(&format!(":{port}"));
    }
    key.push_str(url.path().trim_end_matches('/'));
    let kept = url.query().into_iter().flat_map(|query| query.split('&')).filter(|pair| {
        let name = pair.split('=').next().unwrap_or_default();
        let follows =
            |known: &str| if known.ends_with('_') { name.starts_with(known) } else { name == known };
        !pair.is_empty() && !TRACKING.iter().any(|known| follows(known))
    });
    for (index, pair) in kept.enumerate() {
        key.push(if index == 0 { '?' } else { '&' });
        key.push_str(pair);
    }
    // Some pages are identified only by what follows the `#`.
    if let Some(place) = url.fragment().filter(|place| place.starts_with(['!', '/'])) {
        key.push('#');
        key.push_str(place);
    }
    key
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_addresses_of_pages_are_links() {
        for good in [
            "https://a.example/b?c=d#e",
            " http://a.example ",
            "HTTPS://A.Example/",
            "https://a.example:8443/x",
            "http://127.0.0.1/x",
            "http://[::1]/x",
            "https://de.wikipedia.org/wiki/Straße",
            "https://a.example/@someone/post",
        ] {
            assert!(Link::read(good).is_some(), "{good}");
        }
        for bad in [
            "",
            "a.example",
            "//a.example/x",
            "/x",
            "javascript:alert(1)",
            "JavaScript:alert(1)//https://a.example",
            "java\nscript:alert(1)",
            "data:text/html,<script>",
            "file:///etc/passwd",
            "ftp://a.example",
            "mailto:a@b.example",
            "vbscript:x",
            "blob:https://a.example/x",
            "https://",
            "https:///x",
            "https://me@a.example/",
            "https://me:secret@a.example/",
            "https://@a.example/",
            "https://good.example\\@bad.example/",
            "https://a.example/\u{202e}gpj.exe",
            "https://a.exa\u{200b}mple/",
            "https://a.example/\u{0}",
            "https://a.example/with space",
        ] {
            assert_eq!(Link::read(bad), None, "{bad:?}");
        }
        assert_eq!(Link::read(&format!("https://a.example/{}", "x".repeat(MAX_CHARS))), None);
        // Short as it is written, too long once its letters are escaped.
        assert_eq!(Link::read(&format!("https://a.example/{}", "ß".repeat(MAX_CHARS / 3))), None);
    }

    #[test]
    fn a_host_is_shown_as_it_is_asked_for() {
        let host = |url: &str| Link::read(url).unwrap().host;
        assert_eq!(host("https://Www.Example.ORG:444/x"), "www.example.org");
        assert_eq!(host("https://аррӏе.com/"), "xn--80ak6aa92e.com");
        assert_eq!(host("https://bücher.example/"), "xn--bcher-kva.example");
    }

    #[test]
    fn one_page_has_one_key() {
        let key = |url: &str| Link::read(url).unwrap().key().to_owned();
        let same = [
            "https://a.example/b?x=1",
            "http://a.example/b?x=1",
            "https://A.example/b/?x=1#part",
            "https://a.example:443/b?x=1&utm_source=news&gclid=7",
            "https://a.example./b?utm_medium=m&x=1",
        ];
        for url in same {
            assert_eq!(key(url), "a.example/b?x=1", "{url}");
        }
        for other in ["https://a.example/b?x=2", "https://a.example:8443/b?x=1", "https://a.example/B?x=1"] {
            assert_ne!(key(other), key(same[0]), "{other}");
        }
        assert_ne!(key("https://a.example/#/one"), key("https://a.example/#/two"));
        assert_eq!(key("https://a.example"), key("http://a.example/#top"));
    }

    proptest! {
        #[test]
        fn whatever_is_read_is_harmless(text in ".*", path in "[ -~]{0,40}") {
            for text in [text.clone(), format!("https://{text}"), format!("https://a.example/{path}"), path] {
                if let Some(link) = Link::read(&text) {
                    prop_assert!(link.url.starts_with("http://") || link.url.starts_with("https://"));
                    prop_assert!(link.url.is_ascii() && !link.url.contains(char::is_whitespace), "{}", link.url);
                    prop_assert!(link.url.len() <= MAX_CHARS && !link.host.is_empty());
                    let again = Link::read(&link.url);
                    prop_assert_eq!(again, Some(link));
                }
            }
        }
    }
}
