//! Where messages may go: to public addresses, and to networks that the operator allows. A name is looked up once for each
//! connection, and the addresses that were checked are the ones that are connected to: a name that resolves differently
//! the next time gains nothing.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use ipnetwork::IpNetwork;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::{Host, Url};

/// The longest address of a receiver, in bytes.
const MAX_URL_BYTES: usize = 2_000;

/// Networks that are not the public internet, by the registries of special-purpose addresses (RFC 6890 and
/// <https://www.iana.org/assignments/iana-ipv4-special-registry>).
const SPECIAL_V4: [&str; 16] = [
    "0.0.0.0/8",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.31.196.0/24",
    "192.88.99.0/24",
    "192.168.0.0/16",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "224.0.0.0/4",
    "240.0.0.0/4",
];
/// Public IPv6 addresses lie in here,
const GLOBAL_V6: &str = "2000::/3";
/// except for these. 2002::/16 wraps an IPv4 address, which would have to be checked as well.
const SPECIAL_V6: [&str; 4] = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];

/// Which addresses may be connected to.
#[derive(Debug, Clone)]
pub(super) struct Addresses {
    public: bool,
    allowed: Vec<IpNetwork>,
    /// The key of the configuration that allows networks.
    key: &'static str,
}

impl Addresses {
    /// The public internet, and these networks, which the configuration allows by `key`.
    #[must_use]
    pub fn public_and(allowed: Vec<IpNetwork>, key: &'static str) -> Self {
        Self { public: true, allowed, key }
    }

    /// Allows these networks alone.
    #[must_use]
    pub fn only(allowed: Vec<IpNetwork>, key: &'static str) -> Self {
        Self { public: false, allowed, key }
    }

    /// Whether this one may be connected to.
    #[must_use]
    pub fn allow(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.allowed.iter().any(|network| network.contains(address)) || (self.public && is_public(address))
    }
}

fn within(address: IpAddr, networks: &[&str]) -> bool {
    networks.iter().any(|network| {
        network.parse::<IpNetwork>().expect("the networks above are networks").contains(address)
    })
}

fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(_) => !within(address, &SPECIAL_V4),
        IpAddr::V6(_) => within(address, &[GLOBAL_V6]) && !within(address, &SPECIAL_V6),
    }
}

/// Why an address cannot be a receiver's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UrlProblem {
    #[error("is not an address; write it like https://hooks.example.com/council")]
    NotUrl,
    #[error("must begin with https://")]
    NotHttps,
    #[error("must not hold a user name or password: what is sent is signed")]
    Credentials,
    #[error("must not hold a fragment (#…)")]
    Fragment,
    #[error("must be at most {MAX_URL_BYTES} bytes")]
    TooLong,
    /// With the key of the configuration that allows networks.
    #[error("is in a network that this server does not send to; ask its administrator ({0})")]
    Private(&'static str),
}

/// Reads a receiver's address: with TLS (`secure` says where to), or without it (`plain`) where the operator allows any
/// network. A name is looked up when something is sent, not here: it may be another's then.
///
/// # Errors
/// The first thing that is wrong with it.
pub(super) fn check_url(text: &str, secure: &Addresses, plain: &Addresses) -> Result<Url, UrlProblem> {
    if text.len() > MAX_URL_BYTES {
        return Err(UrlProblem::TooLong);
    }
    let url = Url::parse(text).map_err(|_| UrlProblem::NotUrl)?;
    let addresses = match url.scheme() {
        "https" => secure,
        "http" if !plain.allowed.is_empty() => plain,
        _ => return Err(UrlProblem::NotHttps),
    };
    if !url.username().is_empty() || url.password().is_some() {
        return Err(UrlProblem::Credentials);
    }
    if url.fragment().is_some() {
        return Err(UrlProblem::Fragment);
    }
    match literal(&url) {
        Some(address) if !addresses.allow(address) => Err(UrlProblem::Private(addresses.key)),
        Some(_) | None => Ok(url),
    }
}

/// The IP address in a URL whose host is not a name, which no resolver sees.
pub(super) fn literal(url: &Url) -> Option<IpAddr> {
    match url.host()? {
        Host::Ipv4(address) => Some(address.into()),
        Host::Ipv6(address) => Some(address.into()),
        Host::Domain(_) => None,
    }
}

/// The error for a name with an address that is not allowed.
#[derive(Debug, thiserror::Error)]
#[error("{name} is in a network that this server does not send to ({key})")]
struct Refused {
    name: String,
    key: &'static str,
}

/// Looks names up, and refuses those with any address that is not allowed.
#[derive(Debug, Clone)]
pub(super) struct Guarded<L> {
    pub addresses: Arc<Addresses>,
    pub lookup: L,
}

/// Who looks names up.
pub(super) trait Lookup: Clone + Send + Sync + 'static {
    /// All addresses of a name.
    fn addresses_of(&self, name: &str) -> impl Future<Output = std::io::Result<Vec<IpAddr>>> + Send;
}

/// The system, which reads `/etc/hosts` and asks its name servers.
#[derive(Debug, Clone, Copy)]
pub(super) struct System;

impl Lookup for System {
    async fn addresses_of(&self, name: &str) -> std::io::Result<Vec<IpAddr>> {
        Ok(tokio::net::lookup_host((name, 0)).await?.map(|address| address.ip()).collect())
    }
}

impl<L: Lookup> Resolve for Guarded<L> {
    fn resolve(&self, name: Name) -> Resolving {
        let Self { addresses, lookup } = self.clone();
        Box::pin(async move {
            let found = lookup.addresses_of(name.as_str()).await?;
            if !found.iter().all(|address| addresses.allow(*address)) {
                return Err(Refused { name: name.as_str().to_owned(), key: addresses.key }.into());
            }
            // The port is set by the connector.
            let addrs: Addrs = Box::new(found.into_iter().map(|address| SocketAddr::new(address, 0)));
            Ok(addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    const KEY: &str = "webhooks.allowed_networks";

    fn public() -> Addresses {
        Addresses::public_and(Vec::new(), KEY)
    }

    #[test]
    fn only_the_public_internet_is_public() {
        for address in ["1.1.1.1", "93.184.215.14", "2606:4700::1111", "::ffff:8.8.8.8"] {
            assert!(public().allow(address.parse().unwrap()), "{address}");
        }
        for address in [
            "127.0.0.1",
            "127.9.9.9",
            "10.0.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "224.0.0.1",
            "255.255.255.255",
            "198.18.0.1",
            "::1",
            "::",
            "fe80::1",
            "fd00::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:10.1.2.3",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "2001:db8::1",
            "2001::1",
        ] {
            assert!(!public().allow(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn an_operator_can_allow_networks() {
        let allowed = vec!["10.1.0.0/16".parse().unwrap()];
        let addresses = Addresses::public_and(allowed.clone(), KEY);
        for (address, is_allowed) in [("10.1.2.3", true), ("10.2.0.1", false), ("1.1.1.1", true)] {
            assert_eq!(addresses.allow(address.parse().unwrap()), is_allowed, "{address}");
        }
        assert!(!Addresses::only(allowed, KEY).allow("1.1.1.1".parse().unwrap()));
    }

    #[test]
    fn what_is_wrong_with_an_address_is_said() {
        let nothing = Addresses::only(Vec::new(), KEY);
        let check = |text: &str| check_url(text, &public(), &nothing).map(drop);
        assert_eq!(check("https://hooks.example.com:8443/a?b=c"), Ok(()));
        for (text, problem) in [
            ("hooks.example.com", UrlProblem::NotUrl),
            ("", UrlProblem::NotUrl),
            ("http://hooks.example.com", UrlProblem::NotHttps),
            ("ftp://hooks.example.com", UrlProblem::NotHttps),
            ("https://user@hooks.example.com", UrlProblem::Credentials),
            ("https://hooks.example.com/#a", UrlProblem::Fragment),
            ("https://127.0.0.1/", UrlProblem::Private(KEY)),
            // Other spellings of the same.
            ("https://2130706433/", UrlProblem::Private(KEY)),
            ("https://0x7f.1/", UrlProblem::Private(KEY)),
            ("https://[::1]/", UrlProblem::Private(KEY)),
            ("https://[::ffff:169.254.169.254]/", UrlProblem::Private(KEY)),
        ] {
            assert_eq!(check(text), Err(problem), "{text}");
        }
        assert_eq!(check(&format!("https://a.b/{}", "x".repeat(2_000))), Err(UrlProblem::TooLong));
        let inside = Addresses::only(vec!["10.0.0.0/8".parse().unwrap()], KEY);
        let check = |text: &str| check_url(text, &public(), &inside).map(drop);
        assert_eq!(check("http://hooks.example.com"), Ok(()));
        assert_eq!(check("http://10.0.0.1"), Ok(()));
        assert_eq!(check("http://1.1.1.1"), Err(UrlProblem::Private(KEY)));
    }

    /// Answers differently each time.
    #[derive(Clone)]
    struct Scripted(Arc<Mutex<Vec<Vec<&'static str>>>>);

    impl Lookup for Scripted {
        async fn addresses_of(&self, _: &str) -> std::io::Result<Vec<IpAddr>> {
            let next = self.0.lock().unwrap().remove(0);
            Ok(next.into_iter().map(|address| address.parse().unwrap()).collect())
        }
    }

    #[tokio::test]
    async fn a_name_that_answers_differently_the_next_time_is_checked_each_time() {
        let answers = vec![vec!["1.1.1.1"], vec!["127.0.0.1"], vec!["1.1.1.1", "10.0.0.1"]];
        let guarded =
            Guarded { addresses: Arc::new(public()), lookup: Scripted(Arc::new(Mutex::new(answers))) };
        let resolve = || guarded.resolve("hooks.example.com".parse().unwrap());
        let first: Vec<SocketAddr> = resolve().await.ok().unwrap().collect();
        assert_eq!(first, ["1.1.1.1:0".parse().unwrap()]);
        for _ in 0..2 {
            let error = resolve().await.err().unwrap();
            assert!(error.to_string().starts_with("hooks.example.com is in a network"), "{error}");
        }
    }
}
