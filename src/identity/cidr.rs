//! Which peers are believed.

use std::net::IpAddr;

use ipnetwork::IpNetwork;

/// Private networks are no wider than this (10.0.0.0/8, fc00::/7). Anything wider is taken for a mistake.
const WIDEST_V4: u8 = 8;
const WIDEST_V6: u8 = 7;

/// The networks whose peers may say who a request is from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedPeers {
    networks: Vec<IpNetwork>,
}

impl TrustedPeers {
    /// Reads a list of CIDRs or addresses.
    ///
    /// # Errors
    /// Everything that is wrong with the list: that it is empty, `*`, `/0` or nearly so, bits set
    /// beyond the prefix, anything that is not a CIDR.
    pub fn parse(list: &[String]) -> Result<Self, Vec<String>> {
        let mut networks = Vec::new();
        let mut problems = Vec::new();
        if list.is_empty() {
            problems.push("no trusted proxy is named; name the proxy's address or network".to_owned());
        }
        for text in list {
            match read(text) {
                Ok(network) => networks.push(network),
                Err(problem) => problems.push(format!("{text:?} {problem}")),
            }
        }
        if problems.is_empty() { Ok(Self { networks }) } else { Err(problems) }
    }

    /// The networks of more than one machine, but for the loopback's.
    #[must_use]
    pub fn shared(&self) -> Vec<String> {
        let shared = |network: &&IpNetwork| {
            let single = if network.is_ipv4() { 32 } else { 128 };
            network.prefix() < single && !network.ip().is_loopback()
        };
        self.networks.iter().filter(shared).map(ToString::to_string).collect()
    }

    /// Whether a peer is believed. An IPv4 address in its IPv6 form is the IPv4 address.
    #[must_use]
    pub fn contains(&self, peer: IpAddr) -> bool {
        let peer = peer.to_canonical();
        self.networks.iter().any(|network| network.contains(peer))
    }
}

fn read(text: &str) -> Result<IpNetwork, String> {
    let network: IpNetwork = text
        .trim()
        .parse()
        .map_err(|_| "is not a network; write it like 10.1.2.0/24 or fd00::/64".to_owned())?;
    if network.prefix() == 0 {
        return Err("trusts everybody; name the proxy's own network".to_owned());
    }
    if network.ip() != network.network() {
        return Err(format!(
            "has bits set beyond its prefix; did you mean {}/{}?",
            network.network(),
            network.prefix()
        ));
    }
    let network = unmapped(network)?;
    let widest = if network.is_ipv4() { WIDEST_V4 } else { WIDEST_V6 };
    if network.prefix() < widest {
        return Err(format!(
            "trusts a large part of the internet (wider than /{widest}); name the proxy's own network"
        ));
    }
    Ok(network)
}

/// `::ffff:10.0.0.0/104` is `10.0.0.0/8`: peers are compared in their IPv4 form.
fn unmapped(network: IpNetwork) -> Result<IpNetwork, String> {
    let IpNetwork::V6(v6) = network else { return Ok(network) };
    let Some(v4) = v6.ip().to_ipv4_mapped() else { return Ok(network) };
    match v6.prefix().checked_sub(96) {
        Some(0) | None => Err("trusts every IPv4 address; name the proxy's own network".to_owned()),
        Some(prefix) => IpNetwork::new(IpAddr::V4(v4), prefix).map_err(|_| "is not a network".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peers(list: &[&str]) -> Result<TrustedPeers, Vec<String>> {
        TrustedPeers::parse(&list.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn every_wrong_entry_is_named_at_once() {
        let wrong = [
            "*",
            "0.0.0.0/0",
            "::/0",
            "10.1.2.3/16",
            "junk",
            "",
            "10.0.0.0/33",
            "::ffff:0:0/96",
            "0.0.0.0/1",
            "128.0.0.0/1",
            "8.0.0.0/7",
            "::/1",
            "2000::/3",
            "fc00::/6",
            "::ffff:0:0/97",
            "10.0.0.0/8,",
        ];
        assert_eq!(peers(&wrong).unwrap_err().len(), wrong.len());
        assert_eq!(peers(&[]).unwrap_err().len(), 1);
        assert!(peers(&["10.1.2.3/16"]).unwrap_err()[0].contains("10.1.0.0/16"));
        assert!(peers(&["10.0.0.0/8", "fc00::/7", "::ffff:10.0.0.0/104"]).is_ok());
    }

    #[test]
    fn networks_of_more_than_one_machine_are_told_apart() {
        let trusted = peers(&["127.0.0.0/8", "::1", "10.1.2.3", "fd00::7/128", "10.1.0.0/16"]).unwrap();
        assert_eq!(trusted.shared(), ["10.1.0.0/16"]);
    }

    #[test]
    fn addresses_match_in_either_form() {
        let trusted = peers(&["10.1.0.0/16", "fd00::/64", "::ffff:192.168.7.0/120", "127.0.0.1"]).unwrap();
        for peer in
            ["10.1.255.255", "::ffff:10.1.2.3", "fd00::1", "192.168.7.9", "::ffff:192.168.7.9", "127.0.0.1"]
        {
            assert!(trusted.contains(peer.parse().unwrap()), "{peer}");
        }
        for peer in
            ["10.2.0.0", "::ffff:10.2.0.1", "fd00:0:0:1::1", "192.168.8.1", "127.0.0.2", "::1", "::10.1.2.3"]
        {
            assert!(!trusted.contains(peer.parse().unwrap()), "{peer}");
        }
    }
}
