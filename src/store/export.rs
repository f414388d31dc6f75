//! What is stored of one user apart from their conversations, table by table, page by page: for a copy of all their
//! data.

use sqlx::{AssertSqlSafe, Row as _};
use uuid::Uuid;

use super::{StoreError, Tx};

/// The rows of one table, as a list of JSON objects.
#[derive(Debug, Clone, Copy)]
pub struct Listing {
    /// What the list is called.
    pub name: &'static str,
    /// The table.
    pub table: &'static str,
    /// What the list has of each row: columns of the table `t`.
    columns: &'static str,
    /// Which of the person's rows, as a further condition.
    condition: &'static str,
    /// What the rows are ordered by: a UUID and a text that no two rows share.
    order: (&'static str, &'static str),
    /// How many rows make a page: few where they may be long.
    page: usize,
    /// Whether it reveals other ways in (names of tokens, addresses of webhooks, devices), which no token may read.
    pub only_in_person: bool,
}

/// The position after a row.
#[derive(Debug, Clone)]
pub struct Cursor(Uuid, String);

impl Cursor {
    /// The position before the first row.
    pub const START: Self = Self(Uuid::nil(), String::new());
}

const NO_ID: &str = "'00000000-0000-0000-0000-000000000000'::uuid";

const fn listing(
    name: &'static str,
    table: &'static str,
    columns: &'static str,
    order: (&'static str, &'static str),
    page: usize,
) -> Listing {
    Listing { name, table, columns, condition: "t.user_id = $1", order, page, only_in_person: false }
}

/// Every list there is. No secret is in any: neither hashes of tokens, nor what webhooks are signed with, nor how devices are reached.
pub const LISTINGS: [Listing; 29] = [
    Listing {
        condition: "t.id = $1",
        ..listing("account", "users", "id, email, name, groups, created_at, last_seen_at", (NO_ID, "t.id"), 1)
    },
    listing("settings", "user_settings", "value, updated_at", (NO_ID, "t.user_id"), 1),
    listing("spending_limits", "user_caps", "period, limit_usd, updated_at", (NO_ID, "t.period"), 10),
    listing("presets", "presets", "id, name, value, created_at, updated_at", ("t.id", "''"), 20),
    listing("folders", "folders", "id, name, created_at", ("t.id", "''"), 200),
    listing(
        "library",
        "library_entries",
        "id, kind, version, is_shared, created_at, updated_at",
        ("t.id", "''"),
        200,
    ),
    listing(
        "library_versions",
        "library_versions",
        "entry_id, version, name, text, is_shared, created_at",
        ("t.entry_id", "to_char(t.version, 'FM0000000000')"),
        20,
    ),
    Listing {
        only_in_person: true,
        ..listing(
            "tokens",
            "tokens",
            "id, name, permissions, created_at, expires_at, last_used_at, revoked_at",
            ("t.id", "''"),
            200,
        )
    },
    Listing {
        only_in_person: true,
        ..listing(
            "webhooks",
            "webhooks",
            "id, url, events, includes_content, is_enabled, disabled_reason, created_at",
            ("t.id", "''"),
            200,
        )
    },
    Listing {
        only_in_person: true,
        ..listing(
            "devices",
            "push_subscriptions",
            "id, device, includes_title, created_at, told_at, problem",
            ("t.id", "''"),
            200,
        )
    },
    listing(
        "scheduled_questions",
        "schedules",
        "id, name, request, cron, time_zone, budget_usd, next_at, paused_reason, created_at, updated_at",
        ("t.id", "''"),
        5,
    ),
    listing(
        "scheduled_results",
        "schedule_results",
        "id, schedule_id, due_at, created_at, run_id, refusal, problem",
        ("t.id", "''"),
        200,
    ),
    listing(
        "shared_conversations",
        "shares",
        "id, conversation_id, project_id, shared_by, title, messages, created_at, expires_at",
        ("t.id", "''"),
        2,
    ),
    Listing {
        condition: "t.id IN (SELECT m.project_id FROM project_members m WHERE m.kind = 'user' AND m.name = $1)",
        ..listing(
            "projects",
            "projects",
            "id, name, instructions, defaults, retention_days, created_at, updated_at",
            ("t.id", "''"),
            20,
        )
    },
    Listing {
        condition: "t.kind = 'user' AND t.name = $1",
        ..listing(
            "project_memberships",
            "project_members",
            "project_id, role, added_at",
            ("t.project_id", "''"),
            200,
        )
    },
    Listing {
        condition: "t.project_id IN (SELECT m.project_id FROM project_members m WHERE m.kind = 'user' AND m.name = $1)",
        ..listing(
            "project_files",
            "project_files",
            "project_id, id, filename, file_type, mime_type, size, characters, text_is_cut, created_at",
            ("t.project_id", "t.id"),
            200,
        )
    },
    listing(
        "feedback",
        "feedback",
        "run_id, thumb, better, better_seat, comment, updated_at",
        ("t.run_id", "''"),
        500,
    ),
    listing(
        "earlier_answers",
        "message_versions",
        "message_id, run_id, content, body, replaced_at",
        ("t.run_id", "''"),
        2,
    ),
    listing(
        "cached_questions",
        "cache_entries",
        "id, query, message_id, run_id, shared_with, hit_count, created_at, last_hit_at",
        ("t.id", "''"),
        100,
    ),
    listing(
        "runs",
        "runs",
        "id, conversation_id, message_id, format, status, error, groups, created_at, started_at, finished_at",
        ("t.id", "''"),
        500,
    ),
    listing(
        "usage",
        "calls",
        "run_id, key, stage, purpose, model, provider, outcome, prompt_tokens, completion_tokens, reasoning_tokens,
         cached_tokens, total_tokens, cost_usd, cost_source, assumed_usd, latency_ms, tries, finished_at",
        ("t.run_id", "t.key"),
        500,
    ),
    listing(
        "rankings",
        "placings",
        "run_id, seat, model, place, average_rank, borda, first_place_votes, won, confidence, finished_at",
        ("t.run_id", "t.seat::text"),
        500,
    ),
    listing(
        "benches",
        "benches",
        "id, name, status, suite, questions, max_cost_usd, created_at, finished_at",
        ("t.id", "''"),
        1,
    ),
    listing(
        "bench_items",
        "bench_items",
        "bench_id, question, variant, outcome, finished_at",
        ("t.bench_id", "t.question || '/' || t.variant"),
        50,
    ),
    listing(
        "attachments",
        "attachments",
        "id, filename, file_type, mime_type, size, characters, text_is_cut, problem, width, height, created_at, uploaded_at",
        (NO_ID, "t.id"),
        200,
    ),
    listing("holds", "legal_holds", "placed_at", (NO_ID, "t.user_id"), 1),
    listing(
        "access",
        "access_requests",
        "id, reason, hours, requested_by, requested_at, approved_by, approved_at, expires_at, revoked_by, revoked_at",
        ("t.id", "''"),
        200,
    ),
    listing(
        "access_reads",
        "access_reads",
        "request_id, read_by, conversation_id, read_at",
        (NO_ID, "to_char(t.id, 'FM00000000000000000000')"),
        500,
    ),
    listing(
        "audit",
        "audit_log",
        "at, action, target, details",
        (NO_ID, "to_char(t.id, 'FM00000000000000000000')"),
        500,
    ),
];

/// Tables whose rows belong to a user but are in no list, and why.
pub const LEFT_OUT: [(&str, &str); 16] = [
    ("conversations", "each is a file"),
    ("messages", "in the files of their conversations"),
    ("message_attachments", "in the files of their conversations"),
    ("run_events", "what a run told while it ran; its outcome is in the conversation"),
    ("decisions", "random choices of a run, for going on after a crash"),
    ("run_figures", "sums over what `rankings` has"),
    ("leanings", "worked out of ballots that are in the conversations"),
    ("cache_lookups", "counts of the cache's hits"),
    ("reservations", "gone when a run ends"),
    ("spent_days", "sums over what `usage` has"),
    ("analytics_cleared", "a time that analytics begin at"),
    ("webhook_deliveries", "gone after 30 days, those of devices after one; about runs that `runs` has"),
    ("budgets", "set by administrators"),
    ("kept_users", "names that nobody can sign in with"),
    ("erasures", "there is nothing to copy while one is under way"),
    ("blocked_users", "who is blocked gets no copy"),
];

impl Listing {
    /// The rows after a cursor as JSON objects, and the cursor after the last of them; none after the last row.
    pub async fn page(
        self,
        tx: &mut Tx,
        after: &Cursor,
    ) -> Result<Option<(Vec<String>, Cursor)>, StoreError> {
        let user = tx.user()?;
        let Self { table, columns, condition, order: (id, text), page, .. } = self;
        let columns: Vec<String> = columns.split(',').map(|column| format!("t.{}", column.trim())).collect();
        let sql = format!(
            "SELECT {id} AS id, ({text}) COLLATE \"C\" AS place,
                    (SELECT to_jsonb(shown) FROM (SELECT {}) AS shown)::text AS json
             FROM {table} t WHERE {condition} AND ({id}, ({text}) COLLATE \"C\") > ($2, $3)
             ORDER BY 1, 2 LIMIT {page}",
            columns.join(", "),
        );
        let rows = sqlx::query(AssertSqlSafe(sql))
            .bind(user.as_str())
            .bind(after.0)
            .bind(&after.1)
            .fetch_all(&mut **tx)
            .await?;
        let Some(last) = rows.last() else { return Ok(None) };
        let cursor = Cursor(last.try_get("id")?, last.try_get("place")?);
        let json = rows.iter().map(|row| row.try_get("json")).collect::<Result<_, _>>()?;
        Ok(Some((json, cursor)))
    }
}
