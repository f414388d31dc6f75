//! Which rows a query counts: whose, of which time span and of which format.

use jiff::Timestamp;
use sqlx::Postgres;
use sqlx::postgres::PgArguments;
use sqlx::query::Query;

use crate::store::usage::Span;
use crate::store::{Scope, StoreError, Tx, time_or_null};

/// Which rows figures count: whose, of which time span and of which format. `until` is exclusive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowFilter {
    /// `None` for everybody's.
    user: Option<String>,
    from: Option<Timestamp>,
    until: Option<Timestamp>,
    /// `None` for every format.
    format: Option<String>,
    /// When the user cleared their analytics: nothing from before that moment counts.
    pub cleared_at: Option<Timestamp>,
}

impl RowFilter {
    /// The transaction's own user, or everybody in the admins' scope, over a span of time. The
    /// transaction is made ready for queries that read much.
    ///
    /// # Errors
    /// [`StoreError::WrongScope`] in the engine's scope.
    pub async fn of(tx: &mut Tx, span: Span) -> Result<Self, StoreError> {
        let user = match tx.scope() {
            Scope::User(user) => Some(user.to_string()),
            Scope::Admin => None,
            Scope::Engine | Scope::Access { .. } => {
                return Err(StoreError::WrongScope { needed: "user or admin" });
            }
        };
        // Sort in memory.
        sqlx::raw_sql("SELECT set_config('work_mem', '32MB', true)").execute(&mut **tx).await?;
        let cleared_at = match &user {
            Some(user) => sqlx::query("SELECT cleared_at FROM analytics_cleared WHERE user_id = $1")
                .bind(user)
                .fetch_optional(&mut **tx)
                .await?
                .map(|row| time_or_null(&row, "cleared_at"))
                .transpose()?
                .flatten(),
            None => None,
        };
        Ok(Self { user, from: span.from.max(cleared_at), until: span.until, format: None, cleared_at })
    }

    /// The same filter for runs of one format alone (`runs.format`).
    #[must_use]
    pub fn of_format(self, format: Option<&str>) -> Self {
        Self { format: format.map(str::to_owned), ..self }
    }

    /// The statement with `$1` to `$4` bound. It is planned with these very values: whether it is about one user or
    /// all, a day or years, decides which plan is fastest.
    pub(super) fn query<'q>(&self, sql: &'static str) -> Query<'q, Postgres, PgArguments> {
        sqlx::query(sql)
            .persistent(false)
            .bind(self.user.clone())
            .bind(self.from.map(jiff_sqlx::Timestamp::from))
            .bind(self.until.map(jiff_sqlx::Timestamp::from))
            .bind(self.format.clone())
    }
}

/// The rows with a `run_id` that a [`RowFilter`] counts, by a column of time.
macro_rules! within {
    ($at:literal) => {
        within!("", $at)
    };
    ($table:literal, $at:literal) => {
        concat!(
            in_time!($table, $at),
            " AND ($4::text IS NULL
                   OR EXISTS (SELECT FROM runs asked WHERE asked.id = ",
            $table,
            "run_id AND asked.format = $4))"
        )
    };
}

/// The rows of `runs` that a [`RowFilter`] counts, by a column of time. An answer that is given again counts where it was
/// given first.
macro_rules! runs_within {
    ($at:literal) => {
        concat!(
            in_time!("", $at),
            " AND ($4::text IS NULL OR format = $4)
              AND NOT EXISTS (SELECT FROM cache_lookups look WHERE look.run_id = runs.id AND look.is_hit)"
        )
    };
}

macro_rules! in_time {
    ($table:literal, $at:literal) => {
        concat!(
            "($1::text IS NULL OR ",
            $table,
            "user_id = $1)
             AND ($2::timestamptz IS NULL OR ",
            $table,
            $at,
            " >= $2)
             AND ($3::timestamptz IS NULL OR ",
            $table,
            $at,
            " < $3)"
        )
    };
}

pub(super) use {in_time, runs_within, within};
