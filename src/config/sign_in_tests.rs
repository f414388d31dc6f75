//! What the configuration says of how people sign in.

use super::tests::{errors, load};

#[test]
fn without_authentication_only_loopback_is_listened_on() {
    let bind = ("LLM_COUNCIL__SERVER__BIND", "0.0.0.0");
    assert!(errors("", &[bind]).contains("auth.mode is \"none\""));
    let insecure = ("LLM_COUNCIL__AUTH__ALLOW_INSECURE", "true");
    assert_eq!(load("", &[bind, insecure]).unwrap().server.bind.to_string(), "0.0.0.0");
    for loopback in ["127.8.0.1", "::1", "::ffff:127.0.0.1"] {
        load("", &[("LLM_COUNCIL__SERVER__BIND", loopback)]).unwrap();
    }
}

#[test]
fn proxy_mode_needs_trusted_proxies_and_listens_everywhere() {
    let proxy = ("LLM_COUNCIL__AUTH__MODE", "proxy");
    assert!(errors("", &[proxy]).starts_with("auth.trusted_proxies: "));
    let config = load("", &[proxy, ("LLM_COUNCIL__AUTH__TRUSTED_PROXIES", "10.0.0.0/8, fd00::/8")]).unwrap();
    assert_eq!(config.auth.trusted_proxies, ["10.0.0.0/8", "fd00::/8"]);
    assert_eq!(config.server.bind.to_string(), "0.0.0.0");
    assert!(config.server.cors_origins.is_empty());
}

#[test]
fn whoever_says_how_people_sign_in_must_say_that_they_do() {
    for (key, value) in [
        ("trusted_proxies", "[\"10.0.0.0/8\"]"),
        ("admin_groups", "[\"admins\"]"),
        ("admin_users", "[\"ada\"]"),
        ("proxy_secret", "\"hunter2\""),
        ("proxy_secret_header", "\"X-Secret\""),
        ("headers", "\"authentik\""),
        ("header.user", "\"X-User\""),
        ("header.groups", "\"X-Groups\""),
        ("group_separator", "\";\""),
    ] {
        for (mode, said) in [("", "is not set"), ("mode = \"none\"\n", "is \"none\"")] {
            let text = errors(&format!("[auth]\n{mode}{key} = {value}"), &[]);
            let expected =
                format!("auth.{key} (from config.toml): auth.mode {said}, so nobody would sign in");
            assert!(text.starts_with(&expected) && text.contains("auth.mode = \"proxy\""), "{text}");
            assert!(!text.contains("hunter2"), "{text}");
        }
    }
    // An empty list says nothing.
    load("[auth]\nadmin_groups = []\ntrusted_proxies = []", &[]).unwrap();
}

#[test]
fn groups_are_not_separated_by_blanks() {
    let text = errors("", &[("LLM_COUNCIL__AUTH__GROUP_SEPARATOR", " ")]);
    assert!(
        text.starts_with("auth.group_separator (from LLM_COUNCIL__AUTH__GROUP_SEPARATOR): must be one"),
        "{text}"
    );
    load("", &[("LLM_COUNCIL__AUTH__GROUP_SEPARATOR", "")]).unwrap();
}

#[test]
fn a_mode_that_is_nearly_said_does_not_open_the_server() {
    for blank in [" ", "\t", "\u{a0}"] {
        let text = errors("", &[("LLM_COUNCIL__AUTH__MODE", blank)]);
        assert!(
            text.starts_with("auth.mode (from LLM_COUNCIL__AUTH__MODE): must be none or proxy"),
            "{text}"
        );
    }
    assert!(
        errors("auth.mode = \"\"", &[]).starts_with("auth.mode (from config.toml): must be none or proxy")
    );
    assert!(errors("auth.mode = \"Proxy\"", &[]).contains("must be none or proxy, not \"Proxy\""));
    let env = [
        ("LLM_COUNCIL_AUTH__MODE", "proxy"),
        ("LLM_COUNCIL_AUTH_MODE", "proxy"),
        ("llm_council__auth__mode", "proxy"),
        ("LLMCOUNCIL_AUTH_ENABLED", "true"),
        ("LLMCOUNCIL_TRUSTED_PROXY_IPS", "10.0.0.0/8"),
        ("LLMCOUNCIL_DATA_DIR", "/data"),
        ("LLM_COUNCIL_AUTH_PROXY_SECRET", "hunter2"),
    ];
    let text = errors("", &env);
    assert_eq!(text.lines().count(), env.len(), "{text}");
    for (variable, _) in env {
        assert!(text.contains(&format!("(from {variable}): is ")), "{variable}: {text}");
    }
    assert!(!text.contains("hunter2"), "{text}");
    load("", &[("LLM_COUNCIL_AUTH_MODE", "")]).unwrap();
}

#[test]
fn everything_wrong_with_networks_and_admins_is_named_with_the_rest() {
    let toml = "[auth]\nmode = \"proxy\"\ntrusted_proxies = [\"0.0.0.0/1\", \"*\"]\n\
                admin_users = [\"alice, bob\", \"\u{212a}ate\", \"Local\"]\n[server]\nport = -1";
    let text = errors(toml, &[]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 6, "{text}");
    for (line, start) in lines.iter().zip(["auth.admin_users", "auth.admin_users", "auth.admin_users"]) {
        assert!(line.starts_with(start), "{text}");
    }
    assert!(
        lines[3].contains("\"*\" is not a network") && lines[4].contains("\"0.0.0.0/1\" trusts"),
        "{text}"
    );
}
