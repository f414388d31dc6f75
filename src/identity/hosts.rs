//! Which names of this server a request may be sent to.
//!
//! Where nobody signs in, everybody who reaches the port is its user, and a web page reaches it through the visitor's
//! browser: its author lets a name of their own point to 127.0.0.1 (DNS rebinding), and the browser takes this server
//! for theirs. The one thing that distinguishes such a request is the name it was sent to.

use std::net::IpAddr;

/// The names that are answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hosts {
    /// Every name is answered: a proxy in front decides.
    Any,
    /// The configured names, in lower case, with or without a port; a name without a port is answered on every port.
    Listed(Vec<String>),
    /// This machine's own: localhost, loopback addresses, the address that is listened on where it is
    /// a single one, and the host of the configured public address.
    Own { bound: Option<IpAddr>, public: Option<String> },
}

/// Why a request is not for this server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WrongHost {
    /// It names no host, several, or something that is not a host.
    Malformed,
    /// It names another server.
    Unknown,
}

impl Hosts {
    /// Checks where a request was sent: the values of all its `Host` headers and, where its target is a
    /// whole URL, the authority in that (`host[:port]`).
    pub fn check<'a>(
        &self,
        mut headers: impl Iterator<Item = &'a [u8]>,
        target: Option<&str>,
    ) -> Result<(), WrongHost> {
        let (Some(header), None) = (headers.next(), headers.next()) else { return Err(WrongHost::Malformed) };
        let header = std::str::from_utf8(header).map_err(|_| WrongHost::Malformed)?;
        for authority in [Some(header), target].into_iter().flatten() {
            let host = Host::parse(authority).ok_or(WrongHost::Malformed)?;
            if !self.know(&host) {
                return Err(WrongHost::Unknown);
            }
        }
        Ok(())
    }

    fn know(&self, host: &Host) -> bool {
        match self {
            Self::Any => true,
            Self::Listed(known) => known
                .iter()
                .filter_map(|known| Host::parse(known))
                .any(|known| known.name == host.name && (known.port.is_none() || known.port == host.port)),
            Self::Own { bound, public } => {
                let here = match &host.name {
                    Name::Address(ip) => {
                        ip.is_loopback() || bound.is_some_and(|bound| bound.to_canonical() == *ip)
                    }
                    Name::Name(name) => name == "localhost",
                };
                here || public.as_deref().and_then(Host::parse).is_some_and(|public| public.name == host.name)
            }
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Host {
    name: Name,
    port: Option<u16>,
}

#[derive(Debug, PartialEq, Eq)]
enum Name {
    /// An IPv4 address in its IPv6 form is the IPv4 address.
    Address(IpAddr),
    /// In lower case, without the final dot of a fully qualified name.
    Name(String),
}

impl Host {
    fn parse(authority: &str) -> Option<Self> {
        let (name, port) = match authority.strip_prefix('[') {
            Some(rest) => {
                let (address, port) = rest.split_once(']')?;
                let ip = address.parse().map(IpAddr::V6).ok()?;
                let port = if port.is_empty() { None } else { Some(port.strip_prefix(':')?) };
                (Name::Address(ip.to_canonical()), port)
            }
            None => match authority.split_once(':') {
                Some((name, port)) => (Name::parse(name)?, Some(port)),
                None => (Name::parse(authority)?, None),
            },
        };
        let port = match port {
            None | Some("") => None,
            Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => Some(digits.parse().ok()?),
            Some(_) => return None,
        };
        Some(Self { name, port })
    }
}

impl Name {
    fn parse(name: &str) -> Option<Self> {
        let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
        let is_name = !name.is_empty()
            && name.split('.').all(|label| {
                !label.is_empty()
                    && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
            });
        match name.parse() {
            Ok(ip) => Some(Self::Address(IpAddr::V4(ip))),
            Err(_) => is_name.then_some(Self::Name(name)),
        }
    }
}

#[cfg(test)]
#[path = "hosts_tests.rs"]
mod tests;
