//! The configuration, where files are kept, and how people sign in.

use std::path::Path;

use super::fact::CheckFact;
use super::options::SeenRequest;
use super::report::{Area, Check, State};
use crate::config::{ANY_HOST, AuthMode, Config};
use crate::identity::{Gate, Mode};
use crate::objects::Objects;
use crate::store::Db;

/// Less free space than this is soon used up.
const LOW_BYTES: u64 = 1 << 30;

/// The configuration, which could be read. `simulated` are the providers that make their answers up.
pub(super) fn configuration(config: &Config, simulated: &[String]) -> Vec<Check> {
    let check = |state, fact| Check::new(Area::Configuration, state, fact);
    let mut checks = vec![check(State::Ok, CheckFact::ConfigurationRead)];
    let provider = config.providers.default.clone();
    checks.push(check(State::Ok, CheckFact::DefaultProvider { provider }));
    if simulated.len() == config.providers.list.len() {
        checks.push(check(State::Warning, CheckFact::AllSimulated));
    } else if !simulated.is_empty() {
        checks.push(check(State::Warning, CheckFact::SomeSimulated { providers: simulated.to_vec() }));
    }
    checks.extend(config.notices.iter().map(|notice| check(State::Warning, noticed(notice))));
    checks
}

/// What a notice says, as a code where it has one.
fn noticed(notice: &str) -> CheckFact {
    match notice {
        ANY_HOST => CheckFact::AnyHost,
        notice => CheckFact::Notice { notice: notice.to_owned() },
    }
}

/// What is free where files are kept.
pub(super) fn storage(data_dir: &Path) -> Check {
    let (state, fact) = match rustix::fs::statvfs(data_dir) {
        Ok(found) => {
            let bytes = |blocks: u64| blocks.saturating_mul(found.f_frsize);
            let (free_bytes, total_bytes) = (bytes(found.f_bavail), bytes(found.f_blocks));
            if free_bytes < LOW_BYTES {
                (State::Warning, CheckFact::DiskLow { free_bytes, total_bytes })
            } else {
                (State::Ok, CheckFact::DiskFree { free_bytes, total_bytes })
            }
        }
        Err(rustix::io::Errno::NOENT) => (State::Ok, CheckFact::NoDataDirectory),
        Err(error) => (State::Failed, CheckFact::DiskUnknown { reason: error.to_string() }),
    };
    Check::new(Area::Storage, state, fact)
}

/// Whether files can be kept in the object store, where there is one. `db` is a database that can be read and written.
pub(super) async fn object_store(objects: &Objects, db: Option<&Db>) -> Option<Check> {
    if !objects.is_there() {
        return None;
    }
    let Some(db) = db else {
        return Some(Check::new(Area::Storage, State::Skipped, CheckFact::ObjectStoreNotTried));
    };
    let (state, fact) = match objects.try_out(db).await {
        Ok(()) => (State::Ok, CheckFact::ObjectStoreWorks),
        Err(error) => (State::Failed, CheckFact::ObjectStoreFailed { reason: error.to_string() }),
    };
    Some(Check::new(Area::Storage, state, fact))
}

/// How people sign in, and how a given request arrived.
pub(super) fn identity(config: &Config, gate: &Gate, seen: Option<&SeenRequest>) -> Vec<Check> {
    let check = |state, fact| Check::new(Area::Identity, state, fact);
    let auth = &config.auth;
    let mut checks = Vec::new();
    match &gate.mode {
        Mode::Local(_) => {
            let reachable = !config.server.bind.to_canonical().is_loopback();
            let state = if reachable { State::Warning } else { State::Ok };
            checks.push(check(state, CheckFact::NoSignIn { reachable }));
        }
        Mode::Proxy(policy) => {
            let fact = CheckFact::SignInByProxy {
                trusted: auth.trusted_proxies.clone(),
                user_header: policy.headers.user.clone(),
                groups_header: policy.headers.groups.clone(),
                secret: policy.secret.is_some(),
            };
            checks.push(check(State::Ok, fact));
        }
    }
    if auth.mode == AuthMode::Proxy && auth.admin_groups.is_empty() && auth.admin_users.is_empty() {
        checks.push(check(State::Warning, CheckFact::NoAdmins));
    }
    if let (Mode::Proxy(policy), Some(seen)) = (&gate.mode, seen) {
        let names = &policy.headers;
        let carried = |name: &&String| seen.headers.iter().any(|header| header.eq_ignore_ascii_case(name));
        let identity = [&names.user, &names.email, &names.name, &names.groups];
        let headers = identity.into_iter().filter(carried).cloned().collect();
        let secret = policy.secret.as_ref().is_some_and(|(name, _)| carried(&name));
        let trusted = seen.peer.is_some_and(|peer| policy.trusted.contains(peer));
        let peer = seen.peer.map(|peer| peer.to_canonical().to_string());
        let state = if trusted { State::Ok } else { State::Warning };
        checks.push(check(state, CheckFact::SeenRequest { peer, trusted, headers, secret }));
    }
    checks
}
