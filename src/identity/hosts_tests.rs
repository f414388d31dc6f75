use proptest::prelude::*;

use super::*;

fn check(hosts: &Hosts, headers: &[&str], target: Option<&str>) -> Result<(), WrongHost> {
    hosts.check(headers.iter().map(|value| value.as_bytes()), target)
}

fn own(bound: &str, public: Option<&str>) -> Hosts {
    let bound: IpAddr = bound.parse().unwrap();
    let bound = (!bound.is_unspecified()).then_some(bound);
    Hosts::Own { bound, public: public.map(str::to_owned) }
}

#[test]
fn without_a_list_only_this_machines_own_names_are_answered() {
    let hosts = own("192.168.7.9", Some("council.example"));
    for known in [
        "localhost",
        "LocalHost:8001",
        "localhost.",
        "localhost.:8001",
        "127.0.0.1",
        "127.0.0.1:1",
        "127.255.0.3:8001",
        "[::1]",
        "[::1]:8001",
        "[0:0:0:0:0:0:0:1]:8001",
        "[::ffff:127.0.0.1]",
        "192.168.7.9:8001",
        "[::ffff:192.168.7.9]:8001",
        "council.example",
        "Council.Example.:443",
        "localhost:",
    ] {
        assert_eq!(check(&hosts, &[known], None), Ok(()), "{known}");
    }
    for unknown in [
        "evil.example",
        "localhost.evil.example",
        "evil.localhost",
        "127.0.0.1.evil.example",
        "council.example.evil.example",
        "128.0.0.1",
        "0.0.0.0",
        "[::]",
        "[::2]:8001",
        "192.168.7.8",
        "127.1",
        "2130706433",
    ] {
        assert_eq!(check(&hosts, &[unknown], None), Err(WrongHost::Unknown), "{unknown}");
    }
    // A wildcard bind address adds no name, and the wildcard address itself is not one either.
    assert_eq!(check(&own("0.0.0.0", None), &["192.168.7.9"], None), Err(WrongHost::Unknown));
    assert_eq!(check(&own("0.0.0.0", None), &["0.0.0.0:8001"], None), Err(WrongHost::Unknown));
    assert_eq!(check(&own("::", None), &["localhost:8001"], None), Ok(()));
}

#[test]
fn a_list_is_the_whole_list() {
    let hosts = Hosts::Listed(vec!["council.example".into(), "council.test:8443".into(), "[fd00::7]".into()]);
    for known in ["council.example", "COUNCIL.example:1", "council.test:8443", "[FD00:0::7]:8001"] {
        assert_eq!(check(&hosts, &[known], None), Ok(()), "{known}");
    }
    for unknown in ["council.test", "council.test:443", "localhost", "127.0.0.1", "a.council.example"] {
        assert_eq!(check(&hosts, &[unknown], None), Err(WrongHost::Unknown), "{unknown}");
    }
}

#[test]
fn what_names_no_host_or_several_is_malformed_whoever_is_answered() {
    for hosts in [Hosts::Any, own("127.0.0.1", None), Hosts::Listed(vec!["localhost".into()])] {
        for values in [
            &[][..],
            &[""],
            &["."],
            &["localhost", "localhost"],
            &["localhost", "evil.example"],
            &["localhost, evil.example"],
            &["a@localhost"],
            &["localhost/"],
            &["localhost:80:80"],
            &["localhost:x"],
            &["localhost:99999"],
            &["localhost.."],
            &["::1"],
            &["[::1"],
            &["[::1]x"],
            &["[127.0.0.1]"],
            &["[fe80::1%25eth0]"],
            &["lo%63alhost"],
            &["l\u{f6}calhost"],
        ] {
            assert_eq!(check(&hosts, values, None), Err(WrongHost::Malformed), "{hosts:?} {values:?}");
        }
    }
}

#[test]
fn a_target_that_is_a_whole_url_counts_as_well() {
    let hosts = own("127.0.0.1", None);
    assert_eq!(check(&hosts, &["localhost"], Some("127.0.0.1:8001")), Ok(()));
    assert_eq!(check(&hosts, &["localhost"], Some("evil.example")), Err(WrongHost::Unknown));
    assert_eq!(check(&hosts, &["evil.example"], Some("localhost")), Err(WrongHost::Unknown));
}

proptest! {
    #[test]
    fn any_header_is_read_and_only_loopback_and_localhost_are_known(host in "\\PC{0,20}|[a-z0-9.:\\[\\]]{0,20}") {
        if check(&own("127.0.0.1", None), &[&host], None).is_ok() {
            let url = url::Url::parse(&format!("http://{host}/")).unwrap();
            let loopback = match url.host().unwrap() {
                url::Host::Domain(name) => name.trim_end_matches('.') == "localhost",
                url::Host::Ipv4(ip) => ip.is_loopback(),
                url::Host::Ipv6(ip) => IpAddr::V6(ip).to_canonical().is_loopback(),
            };
            prop_assert!(loopback, "{host}");
        }
    }
}
