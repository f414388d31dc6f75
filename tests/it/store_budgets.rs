//! Budgets in the database: who may read and write what, and sums that come out the same however they
//! are added up.

use llm_council::id::UserId;
use llm_council::store::budgets::set::{set as set_budget, set_cap};
use llm_council::store::budgets::{self, BudgetOwner, Defaults, Period, SetBy, State, days, figures};
use llm_council::store::{Scope, StoreError};
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use crate::support::db::TestDb;

fn user(name: &str) -> Scope {
    Scope::User(UserId::from_canonical(name))
}

async fn set(test: &TestDb, owner: &BudgetOwner, period: Period, limit_usd: f64) {
    let mut tx = test.db().begin(&Scope::Admin).await.unwrap();
    set_budget(&mut tx, owner, period, Some(limit_usd), &UserId::from_canonical("root")).await.unwrap();
    tx.commit().await.unwrap();
}

/// A finished run with a call that cost a dollar, one of unknown cost that was expected to cost a quarter,
/// and one of unknown price, so many days ago.
async fn spent(test: &TestDb, name: &str, groups: &[&str], days_ago: i32) {
    let run = Uuid::now_v7();
    let mut superuser = test.superuser().await;
    sqlx::query(
        "INSERT INTO runs (id, user_id, conversation_id, message_id, format, status, plan, groups, finished_at)
         VALUES ($1, $2, $1, $1, 'council', 'complete', '{}', $3, now() - make_interval(days => $4))",
    )
    .bind(run)
    .bind(name)
    .bind(groups)
    .bind(days_ago)
    .execute(&mut superuser)
    .await
    .unwrap();
    sqlx::query(
        "INSERT INTO calls (run_id, key, user_id, stage, model, purpose, fingerprint, outcome, result, tries,
                            cost_usd, assumed_usd, latency_ms, finished_at)
         SELECT $1, key, $2, 'stage1', 'm', 'answer', 'f', 'ok', '{}', 1, usd, assumed, ms,
                now() - make_interval(days => $3)
         FROM (VALUES ('a', 1.0, NULL, 5), ('stopped', NULL, 0.25, 5), ('b', NULL, NULL, 5),
                      ('never sent', NULL, NULL, NULL)) AS call (key, usd, assumed, ms)",
    )
    .bind(run)
    .bind(name)
    .bind(days_ago)
    .execute(&mut superuser)
    .await
    .unwrap();
}

async fn states(test: &TestDb, name: &str, groups: &[&str]) -> Vec<State> {
    let groups: Vec<String> = groups.iter().map(ToString::to_string).collect();
    let mut tx = test.db().begin(&Scope::Engine).await.unwrap();
    let id = UserId::from_canonical(name);
    let binding = budgets::binding(&mut tx, &id, &groups, &Defaults::default()).await.unwrap();
    figures::states(&mut tx, &binding).await.unwrap()
}

#[tokio::test]
async fn nobody_reads_another_users_budget_or_cap_and_only_admins_write_budgets() {
    let test = TestDb::new().await;
    let (ann, all, eng) =
        (BudgetOwner::User("ann".into()), BudgetOwner::Instance, BudgetOwner::Group("eng".into()));
    for owner in [&ann, &all, &eng] {
        set(&test, owner, Period::Day, 1.0).await;
    }
    let mut tx = test.db().begin(&user("ann")).await.unwrap();
    set_cap(&mut tx, Period::Month, Some(2.0)).await.unwrap();
    tx.commit().await.unwrap();

    let of = async |tx: &mut _, name: &str| {
        let (id, groups) = (UserId::from_canonical(name), ["eng".to_owned()]);
        let binding = budgets::binding(tx, &id, &groups, &Defaults::default()).await.unwrap();
        binding.into_iter().map(|budget| (budget.owner, budget.set_by)).collect::<Vec<_>>()
    };
    let mut tx = test.db().begin(&user("ann")).await.unwrap();
    let hers = [
        (all.clone(), SetBy::Admin),
        (eng.clone(), SetBy::Admin),
        (ann.clone(), SetBy::Admin),
        (ann.clone(), SetBy::Oneself),
    ];
    assert_eq!(of(&mut tx, "ann").await, hers);
    // The query would find Ann's; the policy does not let it.
    let mut tx = test.db().begin(&user("bob")).await.unwrap();
    assert_eq!(of(&mut tx, "ann").await, hers[..2]);
    let refused = set_budget(&mut tx, &all, Period::Day, None, &UserId::from_canonical("bob")).await;
    assert!(matches!(refused, Err(StoreError::WrongScope { .. })));
    let refused = figures::states(&mut tx, &[]).await;
    assert!(matches!(refused, Err(StoreError::WrongScope { .. })));
    drop(tx);
    for sql in [
        "UPDATE budgets SET limit_usd = 9",
        "DELETE FROM budgets",
        "SELECT * FROM reservations",
        "SELECT * FROM spent_days",
    ] {
        let mut tx = test.db().begin(&user("ann")).await.unwrap();
        let refused = sqlx::query(AssertSqlSafe(sql)).execute(&mut *tx).await.unwrap_err().to_string();
        assert!(refused.contains("permission denied"), "{sql}: {refused}");
    }
    let mut tx = test.db().begin(&user("bob")).await.unwrap();
    let caps = sqlx::query("DELETE FROM user_caps").execute(&mut *tx).await.unwrap().rows_affected();
    assert_eq!(caps, 0);
}

#[tokio::test]
async fn what_is_configured_binds_where_no_admin_has_set_another() {
    let test = TestDb::new().await;
    set(&test, &BudgetOwner::User("ann".into()), Period::Day, 1.0).await;
    let defaults = Defaults {
        per_run_usd: Some(0.1),
        user_per_day_usd: Some(2.0),
        user_per_month_usd: Some(20.0),
        ..Defaults::default()
    };
    let mut tx = test.db().begin(&user("ann")).await.unwrap();
    let binding = budgets::binding(&mut tx, &UserId::from_canonical("ann"), &[], &defaults).await.unwrap();
    let seen: Vec<_> = binding.iter().map(|one| (one.period, one.limit_usd, one.set_by)).collect();
    assert_eq!(
        seen,
        [
            (Period::Run, 0.1, SetBy::Config),
            (Period::Day, 1.0, SetBy::Admin),
            (Period::Month, 20.0, SetBy::Config)
        ]
    );
}

#[tokio::test]
async fn sums_count_what_belongs_to_whom_and_when() {
    let test = TestDb::new().await;
    let owner = [BudgetOwner::Instance, BudgetOwner::Group("eng".into()), BudgetOwner::User("ann".into())];
    for one in &owner {
        set(&test, one, Period::Day, 10.0).await;
        set(&test, one, Period::Month, 10.0).await;
    }
    spent(&test, "ann", &["eng", "ops"], 0).await;
    spent(&test, "ann", &[], 0).await;
    spent(&test, "bob", &["eng"], 0).await;
    spent(&test, "eve", &["ops"], 0).await;
    spent(&test, "ann", &["eng"], 40).await;
    let seen: Vec<_> = states(&test, "ann", &["eng"])
        .await
        .iter()
        .map(|state| (state.budget.owner.scope(), state.spent_usd, state.unknown_cost_calls))
        .collect();
    let twice = |one: (&'static str, f64, i64)| [one, one];
    assert_eq!(
        seen,
        [twice(("instance", 5.0, 4)), twice(("group", 2.5, 2)), twice(("user", 2.5, 2))].concat()
    );
}

#[tokio::test]
async fn days_that_are_over_are_added_up_once_and_change_no_sum() {
    let test = TestDb::new().await;
    for one in [BudgetOwner::Instance, BudgetOwner::Group("eng".into()), BudgetOwner::User("ann".into())] {
        set(&test, &one, Period::Day, 10.0).await;
        set(&test, &one, Period::Month, 10.0).await;
    }
    for days_ago in 0..31 {
        spent(&test, "ann", if days_ago % 2 == 0 { &["eng"] } else { &["ops"] }, days_ago).await;
        spent(&test, "bob", &["eng", "ops"], days_ago).await;
    }
    let before = states(&test, "ann", &["eng"]).await;
    let closed = days::close_days(test.db()).await.unwrap();
    assert_eq!(states(&test, "ann", &["eng"]).await, before);
    assert_eq!(days::close_days(test.db()).await.unwrap(), 0);
    let today: i32 = sqlx::query_scalar("SELECT extract(day FROM now() AT TIME ZONE 'UTC')::int")
        .fetch_one(&mut test.superuser().await)
        .await
        .unwrap();
    // Yesterday is closed ten minutes after midnight.
    assert!((today - 2..today).contains(&i32::try_from(closed).unwrap()), "{closed} days on day {today}");
    // It is the days that are read now, not the ledger.
    sqlx::query("UPDATE spent_days SET usd = usd + 100").execute(&mut test.superuser().await).await.unwrap();
    let after = states(&test, "ann", &["eng"]).await;
    for (before, after) in before.iter().zip(&after) {
        let grown = closed > 0 && before.budget.period == Period::Month;
        assert_eq!(after.spent_usd > before.spent_usd, grown, "{after:?}");
    }
}
