//! How long results are kept.

use llm_council::id::UserId;
use llm_council::store::{Scope, schedules};
use serde_json::json;

use super::{act, comes, count, results, schedule};
use crate::support::app::TestApp;

#[tokio::test]
async fn old_results_go_unless_they_are_held_and_the_database_shows_them_to_their_owner_alone() {
    let app = TestApp::start().await;
    let (ann, bob) = (app.user("ann"), app.user("bob"));
    let (hers, his) = (schedule(&ann, json!({})).await, schedule(&bob, json!({})).await);
    // A refusal leaves nothing else behind.
    act(&app, "UPDATE schedules SET request = '{\"content\": \"\"}'").await;
    comes(&app, "now()").await;
    comes(&app, "now()").await;
    assert_eq!(results(&ann, &hers).await.len(), 2);
    let remove = async |days| {
        let mut tx = app.app.db.begin(&Scope::Engine).await.unwrap();
        let gone = schedules::remove_old(&mut tx, days, 10).await.unwrap();
        tx.commit().await.unwrap();
        gone
    };
    act(&app, "UPDATE schedule_results SET created_at = now() - interval '91 days'").await;
    act(&app, "INSERT INTO legal_holds (user_id, reason, placed_by) VALUES ('bob', 'A case', 'root')").await;
    assert_eq!(remove(100).await, 0);
    assert_eq!(remove(90).await, 2);
    assert_eq!((results(&ann, &hers).await.len(), results(&bob, &his).await.len()), (0, 2));

    // Statements without a `WHERE`: row level security by itself.
    let ann = Scope::User(UserId::from_canonical("ann"));
    let mut tx = app.app.db.begin(&ann).await.unwrap();
    for (sql, seen) in [("SELECT count(*) FROM schedules", 1), ("SELECT count(*) FROM schedule_results", 0)] {
        let rows: i64 = sqlx::query_scalar(sql).fetch_one(&mut *tx).await.unwrap();
        assert_eq!(rows, seen, "{sql}");
    }
    let paused = sqlx::query("UPDATE schedules SET next_at = NULL").execute(&mut *tx).await.unwrap();
    let gone = sqlx::query("DELETE FROM schedules").execute(&mut *tx).await.unwrap();
    assert_eq!((paused.rows_affected(), gone.rows_affected()), (1, 1));
    tx.commit().await.unwrap();
    assert_eq!(
        count(&app, "SELECT count(*) FROM schedules WHERE user_id = 'bob' AND next_at > now()").await,
        1
    );
    app.close().await;
}
