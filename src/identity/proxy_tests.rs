use std::net::{Ipv4Addr, Ipv6Addr};

use proptest::prelude::*;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::*;

const PROXY: &str = "10.0.0.2";

fn policy() -> ProxyPolicy {
    ProxyPolicy {
        trusted: TrustedPeers::parse(&["10.0.0.0/24".into(), "fd00::/64".into()]).unwrap(),
        headers: HeaderNames::authelia(),
        secret: None,
        admin_users: vec!["root@example".into()],
        admin_groups: vec!["council-admins".into()],
    }
}

fn ask(policy: &ProxyPolicy, peer: &str, headers: &[(&str, &[u8])]) -> Result<Identity, Refusal> {
    policy.identify(peer.parse().unwrap(), headers.iter().copied())
}

#[test]
fn a_trusted_proxy_names_the_user() {
    let who = ask(
        &policy(),
        PROXY,
        &[
            ("remote-user", b"Ann"),
            ("remote-email", b"ann@example.com"),
            ("remote-name", "Ann Müller".as_bytes()),
            ("remote-groups", b"staff, council-admins,"),
            ("accept", b"*/*"),
        ],
    )
    .unwrap();
    assert_eq!(who.user.as_str(), "ann");
    assert_eq!(who.name.as_deref(), Some("Ann Müller"));
    assert_eq!(who.groups, ["staff", "council-admins"]);
    assert!(who.is_admin);
}

#[test]
fn an_untrusted_peer_is_nobody_whatever_it_sends() {
    for peer in ["10.0.1.2", "127.0.0.1", "::1", "::ffff:10.0.1.2", "fd00:0:0:1::1"] {
        for headers in [
            &[("remote-user", b"admin".as_slice())][..],
            &[("remote-user", b"a"), ("remote-user", b"b")],
            &[("remote_user", b"admin")],
            &[("x-forwarded-for", b"10.0.0.2"), ("x-real-ip", b"10.0.0.2"), ("remote-user", b"admin")],
            &[],
        ] {
            assert_eq!(ask(&policy(), peer, headers), Err(Refusal::UntrustedPeer), "{peer} {headers:?}");
        }
    }
}

#[test]
fn no_user_is_nobody() {
    assert_eq!(ask(&policy(), PROXY, &[("remote-groups", b"council-admins")]), Err(Refusal::NoUser));
}

#[test]
fn copies_aliases_and_values_that_are_nobodys_are_refused() {
    let user = ("remote-user", b"ann".as_slice());
    for (what, extra) in [
        ("a second user", ("remote-user", b"admin".as_slice())),
        ("an underscore", ("remote_user", b"admin")),
        ("a dot", ("remote.user", b"admin")),
        ("mixed separators in groups", ("remote_groups", b"council-admins")),
        ("capitals", ("Remote_Groups", b"council-admins")),
    ] {
        let refusal = ask(&policy(), PROXY, &[user, extra]).unwrap_err();
        assert!(matches!(refusal, Refusal::Repeated(_) | Refusal::Alias(_)), "{what}: {refusal:?}");
    }
    for value in [
        &b""[..],
        b" ",
        b"\t",
        b" ann",
        b"a\x00b",
        b"a\x7fb",
        b"\xff\xfe",
        "a\u{200b}nn".as_bytes(),
        "\u{202e}nna".as_bytes(),
        "\u{feff}ann".as_bytes(),
        "\u{212a}ate".as_bytes(),
        "\u{1d173}ann".as_bytes(),
        "\u{2800}".as_bytes(),
        "\u{301}".as_bytes(),
        b"alice, bob",
        b"None",
        b"anonymous",
        b"--",
        b"{http.auth.user.id}",
        b"$user",
        b"${user}",
        b"(null)",
        b"<no value>",
        b"%{REMOTE_USER}e",
    ] {
        let refusal = ask(&policy(), PROXY, &[("remote-user", value)]).unwrap_err();
        assert_eq!(refusal, Refusal::Value("Remote-User".into()), "{value:?}");
    }
    assert_eq!(
        ask(&policy(), PROXY, &[user, ("remote-groups", b"{groups}")]),
        Err(Refusal::Value("Remote-Groups".into()))
    );
}

#[test]
fn groups_are_matched_exactly() {
    let admin = |groups: &str| {
        let headers = [("remote-user", b"ann".as_slice()), ("remote-groups", groups.as_bytes())];
        ask(&policy(), PROXY, &headers).unwrap().is_admin
    };
    for groups in ["council-admins", "staff,council-admins", "staff ,  council-admins , x"] {
        assert!(admin(groups), "{groups:?}");
    }
    for groups in [
        "staff,\u{a0}council-admins",
        "staff,council-admins\u{a0},x",
        "staff,\u{2003}council-admins",
        "staff,\u{3000}council-admins",
        "Council-Admins",
        "council-admin\u{17f}",
        "council\u{2010}admins",
        "staff|council-admins",
        "council-admins;staff",
        "staff council-admins",
    ] {
        assert!(!admin(groups), "{groups:?}");
    }
}

#[test]
fn nobody_signs_in_as_the_user_of_a_server_without_sign_in() {
    for name in ["local", "LOCAL", "Local"] {
        let refusal = ask(&policy(), PROXY, &[("remote-user", name.as_bytes())]);
        assert_eq!(refusal, Err(Refusal::Reserved), "{name}");
    }
    assert_eq!(ask(&policy(), PROXY, &[("remote-user", b"locale")]).unwrap().user.as_str(), "locale");
}

#[test]
fn what_a_person_may_lack_may_be_empty() {
    let who =
        ask(&policy(), PROXY, &[("remote-user", b"ann"), ("remote-groups", b""), ("remote-email", b" ")])
            .unwrap();
    assert!(who.groups.is_empty() && who.email.is_none() && !who.is_admin);
}

#[test]
fn groups_match_exactly() {
    for groups in [&b"council-admins2"[..], b"Council-Admins", b"my council-admins", b"council-admins|staff"]
    {
        assert!(
            !ask(&policy(), PROXY, &[("remote-user", b"ann"), ("remote-groups", groups)]).unwrap().is_admin
        );
    }
    assert!(ask(&policy(), PROXY, &[("remote-user", b"Root@Example")]).unwrap().is_admin);
}

#[test]
fn the_proxys_secret_is_required_once_it_is_set() {
    let secret = Some(("X-Proxy-Secret".to_owned(), SecretString::from("s3cret")));
    let policy = ProxyPolicy { secret, ..policy() };
    let user = ("remote-user", b"ann".as_slice());
    assert!(ask(&policy, PROXY, &[user, ("x-proxy-secret", b"s3cret")]).is_ok());
    for headers in [
        &[user][..],
        &[user, ("x-proxy-secret", b"S3cret")],
        &[user, ("x-proxy-secret", b"")],
        &[user, ("x-proxy-secret", b"s3cret"), ("x-proxy-secret", b"s3cret")],
    ] {
        assert_eq!(ask(&policy, PROXY, headers), Err(Refusal::ProxySecret));
    }
}

proptest! {
    #[test]
    fn any_headers_are_read(headers in prop::collection::vec(("[a-zA-Z_.-]{1,14}", prop::collection::vec(any::<u8>(), 0..12)), 0..6)) {
        let headers = headers.iter().map(|(name, value)| (name.as_str(), value.as_slice()));
        drop(policy().identify(PROXY.parse().unwrap(), headers));
    }
}

/// The same question answered another way: integers for addresses, plain rules for headers.
fn oracle(network: (u128, u32, bool), peer: IpAddr, headers: &[(&str, &str)]) -> &'static str {
    let (base, prefix, v4) = network;
    let (bits, width, peer_is_v4) = match peer {
        IpAddr::V4(ip) => (u128::from(u32::from(ip)), 32, true),
        IpAddr::V6(ip) => {
            let bits = u128::from(ip);
            if bits >> 32 == 0xffff { (bits & 0xffff_ffff, 32, true) } else { (bits, 128, false) }
        }
    };
    if peer_is_v4 != v4 || (bits ^ base) >> (width - prefix) != 0 {
        return "untrusted";
    }
    let spelled = |name: &str| name.to_lowercase().replace(['_', '.'], "-");
    let users: Vec<_> = headers.iter().filter(|(name, _)| spelled(name) == "remote-user").collect();
    match users[..] {
        [] => "nobody",
        [(name, value)]
            if name.to_lowercase() == "remote-user" && !["", " ", "$user", "a\u{200b}"].contains(value) =>
        {
            "somebody"
        }
        _ => "malformed",
    }
}

/// A million random combinations of peer, network and headers agree with the oracle.
#[test]
fn random_peers_networks_and_headers_agree_with_an_independent_oracle() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let names = ["remote-user", "Remote-User", "remote_user", "remote.user", "x-forwarded-for", "accept"];
    let values = ["ann", "admin", "", " ", "$user", "a\u{200b}", "10.0.0.1"];
    let mut seen = std::collections::BTreeMap::new();
    for _ in 0..5_000 {
        let v4 = rng.next_u32() % 2 == 0;
        let (width, base) = if v4 {
            (32, u128::from(rng.next_u32()))
        } else {
            (128, u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64()))
        };
        let prefix = 8 + rng.next_u32() % (width - 7);
        let base = base >> (width - prefix) << (width - prefix);
        let address = |bits: u128| match v4 {
            true => IpAddr::V4(Ipv4Addr::from(u32::try_from(bits).unwrap())),
            false => IpAddr::V6(Ipv6Addr::from(bits)),
        };
        if !v4 && base >> 32 == 0xffff {
            continue;
        }
        let trusted = TrustedPeers::parse(&[format!("{}/{prefix}", address(base))]).unwrap();
        let policy = ProxyPolicy { trusted, ..policy() };
        for _ in 0..200 {
            // A peer that shares the network up to a random bit, so that the edges are hit.
            let noise = if v4 {
                u128::from(rng.next_u32())
            } else {
                u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64())
            };
            let mut peer = address(base ^ noise.checked_shr(rng.next_u32() % (width + 1)).unwrap_or(0));
            if let IpAddr::V4(ip) = peer
                && rng.next_u32() % 2 == 0
            {
                peer = IpAddr::V6(ip.to_ipv6_mapped());
            }
            let count = rng.next_u32() % 4;
            let mut pick = |list: &[&'static str]| list[rng.next_u32() as usize % list.len()];
            let headers: Vec<(&str, &str)> = (0..count).map(|_| (pick(&names), pick(&values))).collect();
            let found =
                match policy.identify(peer, headers.iter().map(|(name, value)| (*name, value.as_bytes()))) {
                    Ok(_) => "somebody",
                    Err(Refusal::UntrustedPeer) => "untrusted",
                    Err(Refusal::NoUser) => "nobody",
                    Err(Refusal::Repeated(_) | Refusal::Alias(_) | Refusal::Value(_)) => "malformed",
                    Err(refusal) => panic!("{refusal:?}"),
                };
            assert_eq!(
                found,
                oracle((base, prefix, v4), peer, &headers),
                "{peer} in {base:x}/{prefix} with {headers:?}"
            );
            *seen.entry(found).or_insert(0u32) += 1;
        }
    }
    assert!(seen.values().all(|count| *count > 1_000) && seen.len() == 4, "{seen:?}");
}
