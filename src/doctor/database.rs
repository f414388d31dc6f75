//! The database.

use std::error::Error;

use sqlx::postgres::PgConnectOptions;

use super::fact::CheckFact;
use super::report::{Area, Check, State};
use crate::store::{Inspection, Schema, SetupError, inspect};

/// Clocks that are further apart than this would put events into the wrong order.
const MAX_CLOCK_OFFSET_MS: u64 = 1000;

/// Where the database is.
#[derive(Debug, Clone)]
pub enum Database {
    At {
        options: Box<PgConnectOptions>,
        /// Whether it is the server's own, in the data directory.
        local: bool,
    },
    /// There is no local database yet.
    NotMade,
    /// Why it cannot even be looked for.
    Failed(String),
}

/// What was found, and whether this program's schema is there to be read.
pub(super) async fn examine(database: &Database) -> (Vec<Check>, bool) {
    let failed = |reason: String| {
        (vec![Check::new(Area::Database, State::Failed, CheckFact::DatabaseFailed { reason })], false)
    };
    match database {
        Database::NotMade => (vec![Check::new(Area::Database, State::Ok, CheckFact::DatabaseNotMade)], false),
        Database::Failed(reason) => failed(reason.clone()),
        Database::At { options, local } => match inspect(options).await {
            Err(error) => failed(with_cause(&error)),
            Ok(found) => {
                let is_readable = matches!(found.schema, Schema::Current { .. });
                (checks(found, *local), is_readable)
            }
        },
    }
}

/// What is wrong, with the innermost cause of it: a name that is not known, a certificate that has expired.
fn with_cause(error: &SetupError) -> String {
    let said = error.to_string();
    let mut cause: &(dyn Error + 'static) = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    let cause = cause.to_string();
    if said.contains(&cause) { said } else { format!("{said} ({cause})") }
}

fn checks(found: Inspection, local: bool) -> Vec<Check> {
    let roles = roles(&found);
    let (state, schema) = match found.schema {
        Schema::Current { version } => (State::Ok, CheckFact::SchemaCurrent { version }),
        Schema::Empty => (State::Ok, CheckFact::SchemaEmpty),
        Schema::Older { version, missing } => (State::Warning, CheckFact::SchemaOlder { version, missing }),
        Schema::Newer { version } => (State::Failed, CheckFact::SchemaNewer { version }),
        Schema::Changed { version } => (State::Failed, CheckFact::SchemaChanged { version }),
        Schema::Broken { version } => (State::Failed, CheckFact::SchemaBroken { version }),
    };
    let offset_ms = found.clock_offset_ms;
    let (clock_state, clock) = if offset_ms.unsigned_abs() > MAX_CLOCK_OFFSET_MS {
        (State::Warning, CheckFact::ClocksDiffer { offset_ms })
    } else {
        (State::Ok, CheckFact::ClocksAgree { offset_ms })
    };
    let reachable = CheckFact::DatabaseReachable { version: found.version, local };
    [(State::Ok, reachable), (state, schema), roles, (clock_state, clock)]
        .into_iter()
        .map(|(state, fact)| Check::new(Area::Database, state, fact))
        .collect()
}

fn roles(found: &Inspection) -> (State, CheckFact) {
    if !found.unsafe_roles.is_empty() {
        return (State::Failed, CheckFact::RolesUnsafe { roles: found.unsafe_roles.clone() });
    }
    if !found.unprotected_tables.is_empty() {
        return (State::Failed, CheckFact::TablesUnprotected { tables: found.unprotected_tables.clone() });
    }
    if found.missing_roles.is_empty() {
        return (State::Ok, CheckFact::RolesReady);
    }
    if found.schema == Schema::Empty && found.can_make_roles {
        return (State::Ok, CheckFact::RolesToBeMade);
    }
    (State::Failed, CheckFact::RolesMissing { roles: found.missing_roles.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(schema: Schema) -> Inspection {
        Inspection {
            version: "17.1".into(),
            schema,
            missing_roles: Vec::new(),
            can_make_roles: false,
            unsafe_roles: Vec::new(),
            unprotected_tables: Vec::new(),
            clock_offset_ms: -12,
        }
    }

    #[test]
    fn a_schema_that_a_start_can_mend_is_no_failure() {
        let state = |schema| checks(found(schema), false)[1].state;
        assert_eq!(state(Schema::Current { version: 18 }), State::Ok);
        assert_eq!(state(Schema::Older { version: 7, missing: 3 }), State::Warning);
        assert_eq!(state(Schema::Newer { version: 99 }), State::Failed);
        assert_eq!(state(Schema::Broken { version: 7 }), State::Failed);
    }

    #[test]
    fn roles_are_judged_by_the_worst() {
        let ready = found(Schema::Current { version: 18 });
        assert_eq!(roles(&ready), (State::Ok, CheckFact::RolesReady));
        let missing = vec!["llm_council_app".to_owned()];
        let empty = Inspection { missing_roles: missing.clone(), ..found(Schema::Empty) };
        assert_eq!(roles(&empty).0, State::Failed);
        let maker = Inspection { can_make_roles: true, ..empty };
        assert_eq!(roles(&maker), (State::Ok, CheckFact::RolesToBeMade));
        let mighty = Inspection { unsafe_roles: missing.clone(), ..maker };
        assert_eq!(roles(&mighty), (State::Failed, CheckFact::RolesUnsafe { roles: missing }));
    }
}
