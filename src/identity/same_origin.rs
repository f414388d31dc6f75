//! Whether a browser's state-changing request comes from our own pages.
//!
//! A proxy's session cookie goes along with requests that other sites make a browser send. Every
//! current browser marks those: `Sec-Fetch-Site` says where a request comes from, and `Origin`
//! stands on every cross-origin POST. A request with neither does not come from a browser (curl,
//! the command line, older clients), and nobody can make a foreign browser send one.

use url::Url;

/// The origins whose pages may change things.
#[derive(Debug, Clone, Default)]
pub struct Origins {
    /// Other origins that the configuration allows (`https://council.example`).
    pub allowed: Vec<String>,
    /// The host under which people reach this server, where it is configured.
    pub public: Option<Url>,
}

impl Origins {
    /// Whether a request may go on.
    #[must_use]
    pub fn allow(&self, method: &str, site: Option<&str>, origin: Option<&str>, host: Option<&str>) -> bool {
        if matches!(method, "GET" | "HEAD" | "OPTIONS") {
            return true;
        }
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

impl super::Gate {
    /// Whether a request may go on; see [`Origins::allow`].
    #[must_use]
    pub fn same_origin(
        &self,
        method: &str,
        site: Option<&str>,
        origin: Option<&str>,
        host: Option<&str>,
    ) -> bool {
        self.origins.allow(method, site, origin, host)
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
            assert_eq!(origins.allow("POST", site, origin, HOST), allowed, "{site:?} {origin:?}");
            assert!(origins.allow("GET", site, origin, HOST));
        }
    }

    #[test]
    fn the_configured_address_decides_where_there_is_one() {
        let origins =
            Origins { allowed: vec![], public: Some(Url::parse("https://council.example/").unwrap()) };
        assert!(origins.allow("PUT", None, Some("https://council.example"), Some("10.0.0.7:8001")));
        assert!(!origins.allow("PUT", None, Some("http://council.example"), HOST));
        assert!(!origins.allow("PUT", None, Some("http://10.0.0.7:8001"), Some("10.0.0.7:8001")));
    }
}
