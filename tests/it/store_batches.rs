//! What the writer commits: a batch is one statement, and changes only runs that are still its own.

use llm_council::id::{ConversationId, MessageId, RunId, UserId};
use llm_council::store::figures::{FiguresRow, PlacingRow};
use llm_council::store::journal::{self, Batch, FinishedRow};
use llm_council::store::{Db, RunStatus, Scope, Sessions, Tx};
use serde_json::json;
use sqlx::{PgConnection, Row as _};
use uuid::Uuid;

use crate::store::{fill, session_of};
use crate::support::db::TestDb;

/// The user's run that [`fill`] has made, as it ends.
async fn end_of(database: &mut PgConnection, user: &str) -> FinishedRow {
    let sql =
        "SELECT r.id, m.id AS message, m.conversation_id FROM runs r JOIN messages m USING (conversation_id)
               WHERE r.user_id = $1";
    let row = sqlx::query(sql).bind(user).fetch_one(database).await.unwrap();
    let run = RunId(row.get("id"));
    let placing = PlacingRow {
        seat: 1,
        model: "m".to_owned(),
        confidence: None,
        place: None,
        average_rank: None,
        borda: None,
        first_place_votes: None,
        won: None,
    };
    FinishedRow {
        run,
        status: RunStatus::Complete,
        error: None,
        message: MessageId(row.get("message")),
        conversation: ConversationId(row.get("conversation_id")),
        body: "{}".to_owned(),
        text: Some("An answer.".to_owned()),
        corrections: Some(json!([])),
        title: Some("A Title".to_owned()),
        figures: Some(FiguresRow {
            run,
            user: UserId::from_canonical(user),
            chairman: None,
            stood_in: false,
            ballots: "[]".to_owned(),
            placings: vec![placing],
            leanings: Vec::new(),
            agreement: None,
            reading_agreement: None,
            first_is_best: None,
            replaces: true,
        }),
        has_reservation: true,
    }
}

/// What the end of a run changes, as one line of words.
async fn state_of(database: &mut PgConnection, run: RunId) -> String {
    sqlx::query_scalar(
        "SELECT concat_ws(', ', r.status, m.content, c.title, c.title_is_default,
                          (SELECT count(*) FROM reservations x WHERE x.run_id = r.id),
                          (SELECT count(*) FROM placings p WHERE p.run_id = r.id AND p.seat = 1))
         FROM runs r JOIN messages m USING (conversation_id) JOIN conversations c ON c.id = r.conversation_id
         WHERE r.id = $1",
    )
    .bind(run.0)
    .fetch_one(database)
    .await
    .unwrap()
}

async fn begin(db: &Db) -> Tx {
    db.begin(&Scope::User(UserId::from_canonical("bob"))).await.unwrap()
}

#[tokio::test]
async fn a_batch_ends_runs_in_its_one_statement_and_only_those_that_are_still_ours() {
    for sessions in [Sessions::Own, Sessions::Shared] {
        let test = TestDb::new().await;
        let mut superuser = test.superuser().await;
        for user in ["ann", "eve"] {
            fill(&mut superuser, user).await;
        }
        let (ours, lost) = (end_of(&mut superuser, "ann").await, end_of(&mut superuser, "eve").await);
        let before = state_of(&mut superuser, lost.run).await;
        let (mine, theirs): (i32, i32) = sqlx::query_as(
            "SELECT (SELECT attempt FROM runs WHERE id = $1), (SELECT attempt FROM runs WHERE id = $2)",
        )
        .bind(ours.run.0)
        .bind(lost.run.0)
        .fetch_one(&mut superuser)
        .await
        .unwrap();
        // An earlier run of this answer, whose figures are counted no more.
        let earlier = Uuid::now_v7();
        sqlx::query(
            "WITH old AS (INSERT INTO runs (id, user_id, conversation_id, message_id, format, status, plan)
                          SELECT $1, user_id, conversation_id, message_id, 'council', 'complete', '{}'
                          FROM runs WHERE id = $2)
             INSERT INTO placings (run_id, seat, user_id, model) VALUES ($1, 0, 'ann', 'm')",
        )
        .bind(earlier)
        .bind(ours.run.0)
        .execute(&mut superuser)
        .await
        .unwrap();

        let db = journal::database(test.options(), 1);
        db.open(sessions);
        let batch = |mine| Batch {
            runs: vec![(ours.run, mine), (lost.run, theirs - 1)],
            finished: vec![&ours, &lost],
            ..Batch::default()
        };
        // The first time, the statement is prepared.
        assert_eq!(journal::commit(&db, &batch(mine - 1)).await.unwrap(), []);
        let mut tx = begin(&db).await;
        let (session, number) = session_of(&mut tx).await;
        tx.commit().await.unwrap();
        let batch = batch(mine);
        assert_eq!(journal::commit(&db, &batch).await.unwrap(), [ours.run]);
        let mut tx = begin(&db).await;
        assert_eq!(session_of(&mut tx).await, (session, number + 2), "one transaction in between");
        drop(tx);

        assert_eq!(state_of(&mut superuser, ours.run).await, "complete, An answer., A Title, f, 0, 1");
        assert_eq!(state_of(&mut superuser, lost.run).await, before);
        let of_earlier: i64 = sqlx::query_scalar("SELECT count(*) FROM placings WHERE run_id = $1")
            .bind(earlier)
            .fetch_one(&mut superuser)
            .await
            .unwrap();
        assert_eq!(of_earlier, 0);
        db.close().await;
    }
}
