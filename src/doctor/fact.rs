//! What a check finds, as a code with parameters; the sentence is made of it.

use std::fmt;

use serde::Serialize;
use utoipa::ToSchema;

use crate::config::ANY_HOST;

/// A finding about the server itself.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum CheckFact {
    /// Every key is known and every value can be used.
    ConfigurationRead,
    /// Something is allowed and perhaps not meant. The notice is in English.
    Notice {
        notice: String,
    },
    /// Requests for any host name are answered.
    AnyHost,
    /// Which provider is meant where a model names none.
    DefaultProvider {
        provider: String,
    },
    /// Nobody real is asked.
    AllSimulated,
    /// Some providers make their answers up.
    SomeSimulated {
        providers: Vec<String>,
    },

    DatabaseReachable {
        /// PostgreSQL's.
        version: String,
        /// Whether it is the server's own, in the data directory.
        local: bool,
    },
    /// Why it cannot be used, in English.
    DatabaseFailed {
        reason: String,
    },
    /// There is no local database yet; the first start makes it.
    DatabaseNotMade,
    SchemaCurrent {
        version: i64,
    },
    SchemaEmpty,
    /// The next start, or `migrate`, brings it up to date.
    SchemaOlder {
        version: i64,
        missing: usize,
    },
    SchemaNewer {
        version: i64,
    },
    SchemaChanged {
        version: i64,
    },
    SchemaBroken {
        version: i64,
    },
    /// The roles are there, and row level security binds them.
    RolesReady,
    /// They are made at the first start.
    RolesToBeMade,
    RolesMissing {
        roles: Vec<String>,
    },
    RolesUnsafe {
        roles: Vec<String>,
    },
    TablesUnprotected {
        tables: Vec<String>,
    },
    ClocksAgree {
        /// The database's clock less this machine's.
        offset_ms: i64,
    },
    ClocksDiffer {
        offset_ms: i64,
    },

    DiskFree {
        free_bytes: u64,
        total_bytes: u64,
    },
    DiskLow {
        free_bytes: u64,
        total_bytes: u64,
    },
    /// The data directory is not there yet.
    NoDataDirectory,
    /// In English.
    DiskUnknown {
        reason: String,
    },
    /// An object was put, read and removed.
    ObjectStoreWorks,
    /// Why not, in English.
    ObjectStoreFailed {
        reason: String,
    },
    /// Without a database of this version nobody would know of the object that is put.
    ObjectStoreNotTried,

    /// Nobody signs in: everybody is one local user.
    NoSignIn {
        /// Whether others can reach the address.
        reachable: bool,
    },
    /// A proxy identifies users.
    SignInByProxy {
        trusted: Vec<String>,
        user_header: String,
        groups_header: String,
        /// Whether the proxy has to show a secret.
        secret: bool,
    },
    /// Nobody is an administrator.
    NoAdmins,
    /// How this very request came.
    SeenRequest {
        /// The address that it came from, where that is known.
        #[serde(skip_serializing_if = "Option::is_none")]
        peer: Option<String>,
        /// Whether the address is one whose headers count.
        trusted: bool,
        /// The identity headers that it carried, by name.
        headers: Vec<String>,
        /// Whether it carried the header of the proxy's secret.
        secret: bool,
    },
}

impl fmt::Display for CheckFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ConfigurationRead => f.write_str("every key is known and can be used"),
            Self::Notice { notice } => f.write_str(notice),
            Self::AnyHost => f.write_str(ANY_HOST),
            Self::DefaultProvider { provider } => {
                write!(f, "models named without a provider are asked at {provider}")
            }
            Self::AllSimulated => f.write_str(
                "every model is simulated, so no answer is real: give a provider its key, such as OPENROUTER_API_KEY",
            ),
            Self::SomeSimulated { providers } => {
                write!(f, "the answers of {} are made up", providers.join(", "))
            }
            Self::DatabaseReachable { version, local: true } => {
                write!(f, "the local PostgreSQL {version} answers")
            }
            Self::DatabaseReachable { version, local: false } => write!(f, "PostgreSQL {version} answers"),
            Self::DatabaseFailed { reason } => f.write_str(reason),
            Self::DatabaseNotMade => f.write_str("the local database is made by the first start"),
            Self::SchemaCurrent { version } => write!(f, "the schema is this version's ({version})"),
            Self::SchemaEmpty => f.write_str("there is no schema yet: the first start makes it"),
            Self::SchemaOlder { version, missing } => {
                let migrations = if *missing == 1 { "migration" } else { "migrations" };
                write!(
                    f,
                    "the schema is older ({version}) and lacks {missing} {migrations}: the next start, or \
                     llm-council migrate, brings it up to date"
                )
            }
            Self::SchemaNewer { version } => write!(
                f,
                "the schema is newer (migration {version}) than this program: run the version that made it"
            ),
            Self::SchemaChanged { version } => {
                write!(f, "migration {version} is not the one that this program has")
            }
            Self::SchemaBroken { version } => {
                write!(f, "migration {version} has begun and not ended: restore a backup")
            }
            Self::RolesReady => f.write_str("the server's roles are there, and row level security binds them"),
            Self::RolesToBeMade => f.write_str("the server's roles are made with the schema"),
            Self::RolesMissing { roles } => write!(
                f,
                "the database user may not take the roles {}: grant them as a superuser (docs/deploying.md)",
                roles.join(", ")
            ),
            Self::RolesUnsafe { roles } => write!(
                f,
                "the roles {} may log in, are superusers or bypass row level security: ALTER ROLE … NOLOGIN \
                 NOSUPERUSER NOBYPASSRLS",
                roles.join(", ")
            ),
            Self::TablesUnprotected { tables } => write!(
                f,
                "row level security is not forced on the tables {}: restore them, or ask the database's administrator",
                tables.join(", ")
            ),
            Self::ClocksAgree { offset_ms } => write!(f, "its clock is {} ms off", offset_ms.unsigned_abs()),
            Self::ClocksDiffer { offset_ms } => write!(
                f,
                "its clock and this machine's differ by {} ms: synchronise both with NTP",
                offset_ms.unsigned_abs()
            ),
            Self::DiskFree { free_bytes, total_bytes } => {
                write!(f, "{} of {} are free in data_dir", bytes(*free_bytes), bytes(*total_bytes))
            }
            Self::DiskLow { free_bytes, total_bytes } => write!(
                f,
                "only {} of {} are free in data_dir: make room before the disk is full",
                bytes(*free_bytes),
                bytes(*total_bytes)
            ),
            Self::NoDataDirectory => f.write_str("data_dir is not there yet: the first start makes it"),
            Self::DiskUnknown { reason } => write!(f, "data_dir cannot be examined: {reason}"),
            Self::ObjectStoreWorks => f.write_str("an object was put into the object store, read and removed"),
            Self::ObjectStoreFailed { reason } => {
                write!(f, "larger files can neither be kept nor read: {reason} (attachments.s3)")
            }
            Self::ObjectStoreNotTried => f.write_str(
                "the object store (attachments.s3) was not tried: that needs a database with this version's schema",
            ),
            Self::NoSignIn { reachable: false } => {
                f.write_str("nobody signs in, and only this machine can reach the server")
            }
            Self::NoSignIn { reachable: true } => f.write_str(
                "nobody signs in, and others can reach the server: everybody is one user and an administrator",
            ),
            Self::SignInByProxy { trusted, user_header, groups_header, secret } => write!(
                f,
                "a proxy in {} says who asks, in {user_header} and {groups_header}, {} a secret",
                trusted.join(", "),
                if *secret { "with" } else { "without" }
            ),
            Self::NoAdmins => {
                f.write_str("nobody is an administrator: set auth.admin_groups or auth.admin_users")
            }
            Self::SeenRequest { peer, trusted, headers, secret } => {
                let peer = peer.as_deref().unwrap_or("an unknown address");
                let trusted = if *trusted { "which is trusted" } else { "whose headers do not count" };
                let headers = if headers.is_empty() { "none".to_owned() } else { headers.join(", ") };
                let secret = if *secret { ", and the secret's header" } else { "" };
                write!(f, "this request came from {peer}, {trusted}; identity headers: {headers}{secret}")
            }
        }
    }
}

/// In the unit that people say it in.
fn bytes(bytes: u64) -> String {
    const GIB: u64 = 1 << 30;
    if bytes >= GIB {
        format!("{}.{} GiB", bytes / GIB, bytes % GIB * 10 / GIB)
    } else {
        format!("{} MiB", bytes >> 20)
    }
}
