//! Variables that were meant for us and would be overlooked: a setting that does not arrive leaves the
//! server as it is by default, which is open.

use super::keys::{self, ENV_PREFIX, KEYS, Key};
use super::kind::Kind;

/// An earlier system's names for settings that are called otherwise here.
const EARLIER: [(&str, &str, &str); 2] = [
    ("AUTHENABLED", "auth.mode", "`proxy` for `true`, `none` for `false`"),
    ("TRUSTEDPROXYIPS", "auth.trusted_proxies", "the proxy's address or network"),
];

/// What is wrong with a variable that looks like one of ours and is not: the key that was meant, as far
/// as that can be told, and what to do.
pub(super) fn misnamed(variable: &str, value: &str) -> Option<(String, String)> {
    if variable.starts_with(ENV_PREFIX) || is_service_link(variable, value) {
        return None;
    }
    let rest = letters(variable).strip_prefix(&letters(ENV_PREFIX))?.to_owned();
    if let Some((_, key, values)) = EARLIER.iter().find(|(earlier, ..)| *earlier == rest) {
        let message =
            format!("is the name of an earlier system; set {} instead ({values})", keys::env_name(key));
        return Some(((*key).to_owned(), message));
    }
    let meant = KEYS.iter().find_map(|key| spelled_otherwise(key, &rest));
    if let Some((key, name)) = meant {
        return Some((key.name.to_string(), format!("is not read: write {name}")));
    }
    // Our other variables (LLM_COUNCIL_CONFIG) have no section's name.
    let in_a_section = KEYS
        .iter()
        .filter_map(|key| key.name.split_once('.'))
        .any(|(section, _)| rest.strip_prefix(&letters(section)).is_some_and(|rest| !rest.is_empty()));
    in_a_section.then(|| {
        let message = format!(
            "is not read: variables of settings begin with {ENV_PREFIX} and have two underscores between the \
             parts of a key (docs/configuration.md lists them all)"
        );
        (variable.to_owned(), message)
    })
}

/// The key and the right name of its variable, where these letters are those of a key.
fn spelled_otherwise(key: &'static Key, rest: &str) -> Option<(&'static Key, String)> {
    let name = letters(&key.name);
    if rest == name {
        return Some((key, key.env()));
    }
    let is_file = key.kind == Kind::Secret && rest.strip_suffix("FILE") == Some(&name);
    is_file.then(|| (key, format!("{}_FILE", key.env())))
}

/// The letters and digits, in capitals: what remains of a name whatever is between its parts.
fn letters(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_uppercase()).collect()
}

/// Kubernetes tells every container where its namespace's services are. A service called `llm-council` results in
/// `LLM_COUNCIL_PORT=tcp://10.0.0.7:8001`.
fn is_service_link(variable: &str, value: &str) -> bool {
    variable.ends_with("_SERVICE_HOST")
        || variable.contains("_SERVICE_PORT")
        || ["_TCP_", "_UDP_", "_SCTP_"].iter().any(|protocol| variable.contains(protocol))
        || ["tcp://", "udp://", "sctp://"].iter().any(|scheme| value.starts_with(scheme))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_that_is_nearly_ours_is_answered_with_the_right_name() {
        for variable in [
            "LLM_COUNCIL_AUTH_MODE",
            "LLM_COUNCIL_AUTH__MODE",
            "LLM_COUNCIL-AUTH-MODE",
            "llm_council__auth__mode",
            "Llm_Council__Auth__Mode",
            "LLMCOUNCIL__AUTH__MODE",
            "LLMCOUNCIL_AUTH_MODE",
            "LLMCOUNCILAUTHMODE",
            "LLMCOUNCIL_AUTH_ENABLED",
        ] {
            let (key, message) = misnamed(variable, "proxy").unwrap_or_else(|| panic!("{variable}"));
            assert_eq!(key, "auth.mode", "{variable}");
            assert!(message.contains("LLM_COUNCIL__AUTH__MODE"), "{variable}: {message}");
        }
        for (variable, right) in [
            ("LLM_COUNCIL_AUTH_PROXY_SECRET_FILE", "LLM_COUNCIL__AUTH__PROXY_SECRET_FILE"),
            ("LLM_COUNCIL_DATA_DIR", "LLM_COUNCIL__DATA_DIR"),
            ("LLMCOUNCIL_DATA_DIR", "LLM_COUNCIL__DATA_DIR"),
            ("LLMCOUNCIL_TRUSTED_PROXY_IPS", "LLM_COUNCIL__AUTH__TRUSTED_PROXIES"),
            ("LLM_COUNCIL_SERVER_PORT", "LLM_COUNCIL__SERVER__PORT"),
            ("LLM_COUNCIL_AUTH_MOD", "begin with LLM_COUNCIL__"),
            ("LLM_COUNCIL_PROVIDERS_LOCAL_KIND", "begin with LLM_COUNCIL__"),
        ] {
            let (_, message) = misnamed(variable, "x").unwrap_or_else(|| panic!("{variable}"));
            assert!(message.contains(right), "{variable}: {message}");
        }
    }

    #[test]
    fn variables_of_others_are_left_alone() {
        for (variable, value) in [
            ("LLM_COUNCIL__AUTH__MODE", "proxy"),
            ("LLM_COUNCIL_CONFIG", "/etc/council.toml"),
            ("LLM_COUNCIL_PG_BIN", "/usr/lib/postgresql/15/bin"),
            ("LLM_COUNCIL_PROGRAM", "target/debug/llm-council"),
            ("LLM_COUNCIL_OUTAGE_SECONDS", "5"),
            ("LLM_COUNCIL_URL", "http://localhost:8001"),
            ("LLM_COUNCIL_SERVER", "https://council.example"),
            ("LLM_COUNCIL_TOKEN", "lc_0"),
            ("LLM_COUNCIL_SERVICE_HOST", "10.0.0.7"),
            ("LLM_COUNCIL_PORT", "tcp://10.0.0.7:8001"),
            ("LLM_COUNCIL_SERVER_PORT", "tcp://10.0.0.7:8001"),
            ("LLM_COUNCIL_SERVER_PORT_8001_TCP_ADDR", "10.0.0.7"),
            ("LLM_COUNCIL_SERVER_SERVICE_PORT_HTTP", "8001"),
            ("AUTH_MODE", "proxy"),
            ("PATH", "/bin"),
        ] {
            assert_eq!(misnamed(variable, value), None, "{variable}");
        }
    }
}
