//! The functions of the store, each wall between users taken away in turn.

use llm_council::id::{ConversationId, MessageId, ProjectId, RunId, TokenId, UserId};
use llm_council::store::analytics::{self, AgainstBest, RowFilter};
use llm_council::store::conversations::{self, Conversation, Filter, Message, Node};
use llm_council::store::feedback::{self, Opinion, Thumb};
use llm_council::store::settings::Layers;
use llm_council::store::shares::{self, NewShare, SharedMessage};
use llm_council::store::tokens::NewToken;
use llm_council::store::usage::{GroupBy, Span};
use llm_council::store::{Db, Scope, StoreError, Tx, audit, erasure, settings, tokens, usage, users};
use serde_json::json;
use sqlx::{AssertSqlSafe, Row as _};
use uuid::Uuid;

use crate::support::db::TestDb;

fn id(name: &str) -> UserId {
    UserId::from_canonical(name)
}

async fn tx(db: &Db, name: &str) -> Tx {
    db.begin(&Scope::User(id(name))).await.unwrap()
}

/// A conversation and its messages.
async fn find(tx: &mut Tx, id: ConversationId) -> (Conversation, Vec<Message>) {
    let nodes = conversations::tree(tx, id).await.unwrap().in_force();
    (conversations::head(tx, id).await.unwrap(), conversations::messages(tx, id, &nodes).await.unwrap())
}

/// A conversation with one question and one answer, and a run for it.
async fn conversation_of(test: &TestDb, name: &str, question: &str, status: &str) -> ConversationId {
    let mut tx = tx(test.db(), name).await;
    let conversation = conversations::create(&mut tx, None).await.unwrap();
    tx.commit().await.unwrap();
    let run = Uuid::now_v7();
    let mut superuser = test.superuser().await;
    sqlx::query(
        "INSERT INTO runs (id, user_id, conversation_id, message_id, format, status, plan, error)
         VALUES ($1, $2, $3, $1, 'council', $4, '{\"question\": \"secret\"}',
                 CASE WHEN $4 = 'failed' THEN '{\"kind\": \"timeout\", \"message\": \"secret\"}'::jsonb END)",
    )
    .bind(run)
    .bind(name)
    .bind(conversation.id.0)
    .bind(status)
    .execute(&mut superuser)
    .await
    .unwrap();
    sqlx::query(
        "INSERT INTO messages (id, conversation_id, user_id, position, role, content, body, run_id)
         VALUES (gen_random_uuid(), $1, $2, 0, 'user', $3, NULL, NULL),
                (gen_random_uuid(), $1, $2, 1, 'assistant', 'Forty-two, said the chairman.', '{\"stage3\": {}}', $4)",
    )
    .bind(conversation.id.0)
    .bind(name)
    .bind(question)
    .bind(run)
    .execute(&mut superuser)
    .await
    .unwrap();
    sqlx::query(
        "INSERT INTO calls (run_id, key, user_id, stage, model, purpose, fingerprint, outcome, result, tries,
                            prompt_tokens, completion_tokens, cost_usd, latency_ms)
         VALUES ($1, 'stage1/m', $2, 'stage1', 'm', 'answer', 'f', 'ok', '{}', 1, 10, 20, 0.5, 900),
                ($1, 'stage1/n', $2, 'stage1', 'n', 'answer', 'f', 'timeout', '{}', 3, NULL, NULL, NULL, 900),
                ($1, 'stage1/o', $2, 'stage1', 'o', 'answer', 'f', 'budget', '{}', 0, NULL, NULL, NULL, NULL)",
    )
    .bind(run)
    .bind(name)
    .execute(&mut superuser)
    .await
    .unwrap();
    conversation.id
}

/// The figures and the feedback of somebody's only run.
async fn figures_of(test: &TestDb, name: &str) -> RunId {
    let mut superuser = test.superuser().await;
    let run: Uuid = sqlx::query_scalar("SELECT id FROM runs WHERE user_id = $1")
        .bind(name)
        .fetch_one(&mut superuser)
        .await
        .unwrap();
    let sql = format!(
        "INSERT INTO run_figures (run_id, user_id, chairman, stood_in, ballots)
         VALUES ('{run}', '{name}', 'm', false, '[[[\"m\"], [\"n\"]]]');
         INSERT INTO placings (run_id, seat, user_id, model, place, average_rank, won)
         VALUES ('{run}', 0, '{name}', 'm', 1, 1, 1), ('{run}', 1, '{name}', 'n', 2, 2, 0);
         INSERT INTO feedback (run_id, user_id, better, better_seat) VALUES ('{run}', '{name}', 'member', 0)"
    );
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut superuser).await.unwrap();
    RunId(run)
}

async fn nothing_of_bobs_is_ann_s(test: &TestDb, bobs: ConversationId, bobs_run: RunId, token: TokenId) {
    let missing =
        |result: Result<(), StoreError>| assert!(matches!(result, Err(StoreError::NotFound)), "{result:?}");
    let mut tx = tx(test.db(), "ann").await;
    missing(conversations::tree(&mut tx, bobs).await.map(drop));
    let first = Node { id: MessageId::generate(), position: 0, parent: None, is_question: true };
    missing(conversations::remember(&mut tx, bobs, first).await);
    assert_eq!(conversations::messages(&mut tx, bobs, &[first]).await.unwrap(), []);
    assert_eq!(conversations::texts(&mut tx, bobs, &[first]).await.unwrap(), []);
    missing(conversations::head(&mut tx, bobs).await.map(drop));
    missing(conversations::rename(&mut tx, bobs, "mine").await);
    missing(conversations::set_archived(&mut tx, bobs, true).await);
    missing(conversations::set_tags(&mut tx, bobs, &["mine".into()]).await);
    missing(conversations::delete(&mut tx, bobs).await.map(drop));
    missing(conversations::restore(&mut tx, bobs).await);
    missing(tokens::revoke(&mut tx, token).await);
    assert!(conversations::list(&mut tx, &Filter::default(), 10, 0).await.unwrap().conversations.is_empty());
    assert!(conversations::search(&mut tx, "meaning", 10, 0).await.unwrap().hits.is_empty());
    assert_eq!(conversations::tags_of_user(&mut tx, 10, 0).await.unwrap(), (vec![], 0));
    assert_eq!(tokens::list(&mut tx, 10, 0).await.unwrap(), (vec![], 0));
    assert_eq!(settings::layers(&mut tx).await.unwrap(), Layers::default());
    assert!(!settings::reset_user(&mut tx).await.unwrap());
    no_figures_of_bobs_are_ann_s(&mut tx, bobs_run).await;
    tx.commit().await.unwrap();
}

async fn no_figures_of_bobs_are_ann_s(tx: &mut Tx, bobs_run: RunId) {
    let filter = RowFilter::of(tx, Span::default()).await.unwrap();
    assert_eq!(analytics::runs(tx, &filter).await.unwrap().runs, 0);
    assert!(analytics::usage(tx, &filter).await.unwrap().is_empty());
    assert!(analytics::places(tx, &filter).await.unwrap().is_empty());
    assert!(analytics::latencies(tx, &filter).await.unwrap().is_empty());
    assert!(analytics::days(tx, &filter).await.unwrap().is_empty());
    assert!(analytics::chairmen(tx, &filter).await.unwrap().is_empty());
    assert!(analytics::duels(tx, &filter).await.unwrap().is_empty());
    for tag in [None, Some("bobs")] {
        assert!(analytics::ballots(tx, &filter, tag).await.unwrap().is_empty());
        assert!(analytics::preferences(tx, &filter, tag).await.unwrap().is_empty());
    }
    assert_eq!(analytics::against_best(tx, &filter).await.unwrap(), AgainstBest::default());
    assert!(analytics::recent(tx, &filter, 10, 0).await.unwrap().is_empty());
    assert!(analytics::records(tx).await.unwrap().is_empty());
    assert_eq!(feedback::find(tx, bobs_run).await.unwrap(), None);
    assert!(!feedback::remove(tx, bobs_run).await.unwrap());
    let opinion = Opinion { thumb: Some(Thumb::Down), better: None, comment: None };
    let refused = feedback::put(tx, bobs_run, opinion).await;
    assert!(matches!(refused, Err(StoreError::NotFound)), "{refused:?}");
    analytics::clear(tx).await.unwrap();
}

#[tokio::test]
async fn nothing_of_another_user_is_reached_with_or_without_row_level_security() {
    let test = TestDb::new().await;
    let bobs = conversation_of(&test, "bob", "What is the meaning?", "complete").await;
    let mut bob = tx(test.db(), "bob").await;
    conversations::set_tags(&mut bob, bobs, &["bobs".into()]).await.unwrap();
    settings::save_user(&mut bob, &json!({"verbosity": 1})).await.unwrap();
    let token = tokens::create(
        &mut bob,
        &NewToken { name: "cli", hash: b"bob", permissions: &["ask".into()], expires_at: None },
    )
    .await
    .unwrap();
    bob.commit().await.unwrap();

    let run = figures_of(&test, "bob").await;
    nothing_of_bobs_is_ann_s(&test, bobs, run, token.id).await;
    for table in [
        "users",
        "conversations",
        "messages",
        "runs",
        "calls",
        "decisions",
        "user_settings",
        "tokens",
        "run_figures",
        "placings",
        "leanings",
        "feedback",
        "analytics_cleared",
    ] {
        let sql = format!("ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY, DISABLE ROW LEVEL SECURITY");
        sqlx::query(AssertSqlSafe(sql)).execute(&mut test.superuser().await).await.unwrap();
    }
    nothing_of_bobs_is_ann_s(&test, bobs, run, token.id).await;

    let mut bob = tx(test.db(), "bob").await;
    let (head, messages) = find(&mut bob, bobs).await;
    assert_eq!((head.tags, messages.len()), (vec!["bobs".to_owned()], 2));
    let filter = RowFilter::of(&mut bob, Span::default()).await.unwrap();
    assert_eq!(analytics::places(&mut bob, &filter).await.unwrap().len(), 2, "and nobody has cleared it");
    assert_eq!(analytics::preferences(&mut bob, &filter, Some("bobs")).await.unwrap().len(), 1);
    assert_eq!(analytics::against_best(&mut bob, &filter).await.unwrap().member_preferred, 1);
}

#[tokio::test]
async fn a_conversation_is_found_with_the_state_of_its_runs() {
    let test = TestDb::new().await;
    let failed = conversation_of(&test, "ann", "What is the meaning?", "failed").await;
    let running = conversation_of(&test, "ann", "And of the rest?", "running").await;
    let mut tx = tx(test.db(), "ann").await;
    let (head, messages) = find(&mut tx, failed).await;
    assert_eq!((head.message_count, head.running, head.title.as_str()), (2, false, "New Conversation"));
    assert_eq!(messages[0].content.as_deref(), Some("What is the meaning?"));
    assert_eq!(messages[0].run_status, None);
    assert_eq!(messages[1].run_status.as_deref(), Some("failed"));
    assert_eq!(messages[1].run_error.as_ref().unwrap()["kind"], "timeout");
    assert_eq!(messages[1].body, Some(json!({"stage3": {}})));
    assert!(conversations::head(&mut tx, running).await.unwrap().running);
}

#[tokio::test]
async fn a_list_is_cut_into_pages_and_counts_the_whole() {
    let test = TestDb::new().await;
    let mut ids = Vec::new();
    for _ in 0..5 {
        let mut tx = tx(test.db(), "ann").await;
        ids.push(conversations::create(&mut tx, None).await.unwrap().id);
        tx.commit().await.unwrap();
    }
    ids.reverse();
    let mut tx = tx(test.db(), "ann").await;
    conversations::set_tags(&mut tx, ids[1], &["rust".into(), "sql".into()]).await.unwrap();
    conversations::set_archived(&mut tx, ids[2], true).await.unwrap();
    conversations::delete(&mut tx, ids[4]).await.unwrap();

    let everything = Filter::default();
    let page = conversations::list(&mut tx, &everything, 2, 1).await.unwrap();
    assert_eq!(page.total, 4);
    assert_eq!(page.conversations.iter().map(|c| c.id).collect::<Vec<_>>(), ids[1..3]);
    let page = conversations::list(&mut tx, &everything, 2, 100).await.unwrap();
    assert_eq!((page.total, page.conversations.len()), (4, 0), "past the end the total is still said");
    let tagged = Filter { tag: Some("sql"), ..Filter::default() };
    assert_eq!(conversations::list(&mut tx, &tagged, 9, 0).await.unwrap().conversations[0].id, ids[1]);
    let archived = Filter { archived: Some(true), ..Filter::default() };
    assert_eq!(conversations::list(&mut tx, &archived, 9, 0).await.unwrap().conversations[0].id, ids[2]);
    let deleted = Filter { deleted: true, ..Filter::default() };
    assert_eq!(conversations::list(&mut tx, &deleted, 9, 0).await.unwrap().conversations[0].id, ids[4]);
    assert_eq!(conversations::tags_of_user(&mut tx, 10, 0).await.unwrap().0, ["rust", "sql"]);
    assert!(matches!(conversations::head(&mut tx, ids[4]).await, Err(StoreError::NotFound)));
    conversations::restore(&mut tx, ids[4]).await.unwrap();
    assert_eq!(conversations::head(&mut tx, ids[4]).await.unwrap().deleted_at, None);
}

#[tokio::test]
async fn search_finds_words_in_titles_questions_and_answers_and_shows_the_place() {
    let test = TestDb::new().await;
    let long = format!("{}Ölpreis und <b>Inflation</b>{}", "vorher ".repeat(200), " nachher".repeat(200));
    let question = conversation_of(&test, "ann", &long, "complete").await;
    let titled = conversation_of(&test, "ann", "Something else", "complete").await;
    let mut tx = tx(test.db(), "ann").await;
    conversations::rename(&mut tx, titled, "On INFLATION").await.unwrap();
    let hits = conversations::search(&mut tx, "inflation", 10, 0).await.unwrap().hits;
    assert_eq!(hits.iter().map(|hit| hit.conversation_id).collect::<Vec<_>>(), [titled, question]);
    assert_eq!(hits[0].snippet, "On INFLATION");
    assert!(hits[1].snippet.contains("Ölpreis und <b>Inflation</b>"), "{}", hits[1].snippet);
    assert!(
        hits[1].snippet.starts_with('…') && hits[1].snippet.ends_with('…') && hits[1].snippet.len() < 300
    );
    for (query, found) in
        [("infl", 2), ("On INFLAT", 1), ("nflation", 0), ("\"infl\"", 0), ("infl ", 0), ("infl on", 0)]
    {
        assert_eq!(conversations::search(&mut tx, query, 10, 0).await.unwrap().hits.len(), found, "{query}");
    }
    let answers = conversations::search(&mut tx, "chairman", 10, 0).await.unwrap();
    assert_eq!((answers.hits.len(), answers.total), (2, 2), "in the answers");
    for odd in ["", "\"", "-", "&|!:*()", "' OR 1=1", &"x ".repeat(5000)] {
        conversations::search(&mut tx, odd, 10, 0).await.unwrap();
    }

    let first = conversations::search(&mut tx, "inflation", 1, 0).await.unwrap();
    let second = conversations::search(&mut tx, "inflation", 1, 1).await.unwrap();
    assert_eq!((first.total, second.total), (2, 2));
    assert_eq!([first.hits, second.hits].concat(), hits);
    let past_the_end = conversations::search(&mut tx, "inflation", 1, 2).await.unwrap();
    assert_eq!((past_the_end.total, past_the_end.hits.len()), (2, 0), "the total is still said");
    conversations::delete(&mut tx, question).await.unwrap();
    assert_eq!(conversations::search(&mut tx, "inflation", 1, 0).await.unwrap().total, 1);
}

#[tokio::test]
async fn search_finds_what_stands_within_texts_without_blanks_and_within_addresses() {
    let test = TestDb::new().await;
    let ask = |name, question| conversation_of(&test, name, question, "complete");
    let japanese = ask("ann", "日本語の質問です").await;
    let spaced = ask("ann", "これは 質問 です").await;
    let long = "1 q ".repeat(100);
    let address =
        format!("{long}See https://example.com/path?q=1, or 100%_sure@mail.example, please. {long}");
    let address = ask("ann", &address).await;
    let version = ask("ann", "Why does Python 3.14.2 fail in my_module.rs?").await;
    ask("bob", "日本語の質問です https://example.com/path?q=1 3.14.2").await;
    let mut tx = tx(test.db(), "ann").await;
    for (query, found) in [
        ("質問", &[spaced, japanese][..]),
        ("の質問です。", &[japanese]),
        ("日本語 質問", &[japanese]),
        ("質問 天気", &[]),
        ("質問 or 3.14", &[spaced]),
        ("https://example.com/path?q=1", &[address]),
        ("example.com/path", &[address]),
        ("EXAMPLE.com/pa", &[address]),
        ("0%_sure@mail", &[address]),
        ("exa%ple.com", &[]),
        ("example_com", &[]),
        ("3.14", &[version]),
        ("python 3.14", &[version]),
        ("perl 3.14", &[]),
        ("y_mod", &[version]),
    ] {
        let page = conversations::search(&mut tx, query, 10, 0).await.unwrap();
        let ids: Vec<_> = page.hits.iter().map(|hit| hit.conversation_id).collect();
        assert_eq!((&*ids, page.total), (found, i64::try_from(found.len()).unwrap()), "{query}");
    }
    let hit = conversations::search(&mut tx, "example.com/path", 10, 0).await.unwrap().hits.remove(0);
    assert!(hit.snippet.contains("See https://example.com/path?q=1"), "{}", hit.snippet);
    assert!(hit.snippet.starts_with('…') && hit.message_id.is_some());
    conversations::rename(&mut tx, version, "明日の天気の話").await.unwrap();
    let hit = conversations::search(&mut tx, "天気", 10, 0).await.unwrap().hits.remove(0);
    assert_eq!((&*hit.snippet, hit.message_id), ("明日の天気の話", None));
}

#[tokio::test]
async fn nothing_is_shared_with_a_project_that_has_gone_meanwhile_and_that_is_no_fault() {
    let test = TestDb::new().await;
    let conversation = conversation_of(&test, "ann", "Why?", "complete").await;
    let mut tx = tx(test.db(), "ann").await;
    let (_, messages) = find(&mut tx, conversation).await;
    let message = json!({"id": messages[0].id, "role": "user", "content": "Why?", "attachments": [],
                         "created_at": "2026-01-10T12:00:00Z"});
    let messages: [SharedMessage; 1] = [serde_json::from_value(message).unwrap()];
    let share = |conversation, project| NewShare {
        conversation,
        project,
        shared_by: "ann",
        title: "Why",
        messages: &messages,
        days: 1,
    };
    let gone = share(conversation, Some(ProjectId::generate()));
    assert_eq!(shares::create(&mut tx, &gone, 10).await.unwrap(), None);
    assert!(shares::create(&mut tx, &share(conversation, None), 10).await.unwrap().is_some());
    let nowhere = share(ConversationId::generate(), None);
    assert!(matches!(shares::create(&mut tx, &nowhere, 10).await, Err(StoreError::NotFound)));
}

#[tokio::test]
async fn an_answer_of_very_many_different_words_can_be_stored() {
    let test = TestDb::new().await;
    let words: String = (0..150_000).map(|n| format!("w{n:x} ")).collect();
    conversation_of(&test, "ann", &words, "complete").await;
    conversation_of(&test, "ann", &"日本語の文章、".repeat(60_000), "complete").await;
}

#[tokio::test]
async fn what_was_deleted_long_ago_is_purged_and_the_ledger_kept() {
    let test = TestDb::new().await;
    let old = conversation_of(&test, "ann", "An old secret", "failed").await;
    let fresh = conversation_of(&test, "ann", "A new secret", "complete").await;
    let mut superuser = test.superuser().await;
    sqlx::query("UPDATE conversations SET deleted_at = now() - CASE WHEN id = $1 THEN interval '31 days' ELSE '1 day' END")
        .bind(old.0)
        .execute(&mut superuser)
        .await
        .unwrap();
    let mut engine = test.db().begin(&Scope::Engine).await.unwrap();
    assert_eq!(conversations::purge_deleted(&mut engine, 100).await.unwrap(), 1);
    engine.commit().await.unwrap();
    let row = sqlx::query(
        "SELECT (SELECT count(*) FROM messages WHERE conversation_id = $1) AS messages,
                (SELECT count(*) FROM calls c JOIN runs r ON r.id = c.run_id
                 WHERE r.conversation_id = $1 AND c.result IS NULL) AS calls,
                (SELECT plan::text || error::text FROM runs WHERE conversation_id = $1) AS run,
                (SELECT sum(cost_usd) FROM calls) AS cost_usd",
    )
    .bind(old.0)
    .fetch_one(&mut superuser)
    .await
    .unwrap();
    assert_eq!((row.get::<i64, _>("messages"), row.get::<i64, _>("calls")), (0, 3));
    assert_eq!(row.get::<String, _>("run"), r#"{}{"kind": "timeout"}"#);
    assert_eq!(row.get::<f64, _>("cost_usd"), 1.0);
    let mut ann = tx(test.db(), "ann").await;
    assert!(matches!(conversations::restore(&mut ann, old).await, Err(StoreError::NotFound)));
    conversations::restore(&mut ann, fresh).await.unwrap();
    assert!(matches!(conversations::purge_deleted(&mut ann, 1).await, Err(StoreError::WrongScope { .. })));
}

#[tokio::test]
async fn an_erasure_does_not_read_all_events_and_decisions_of_everybody_for_each_portion() {
    let test = TestDb::new().await;
    conversation_of(&test, "ann", "Why?", "complete").await;
    let sql = "UPDATE runs SET finished_at = now();
               INSERT INTO run_events (run_id, first_seq, last_seq, user_id, frames)
                   SELECT id, 1, 1, user_id, 'x' FROM runs;
               INSERT INTO decisions (run_id, key, user_id, value) SELECT id, 'x', user_id, '{}' FROM runs";
    sqlx::raw_sql(sql).execute(&mut test.superuser().await).await.unwrap();
    // A small table is read whole even where a large one is not.
    let db = Db::lazy(test.options().options([("enable_seqscan", "off")]), 1);
    assert_eq!(erasure::begin(&db, &id("ann")).await.unwrap(), erasure::EraseOutcome::Yes);
    erasure::finish(&db, &id("ann")).await.unwrap();
    let mut tx = db.begin(&Scope::Engine).await.unwrap();
    sqlx::query("SELECT pg_stat_force_next_flush()").execute(&mut *tx).await.unwrap();
    tx.commit().await.unwrap();
    db.close().await;
    let read_whole = "SELECT coalesce(string_agg(relname, ', '), '') FROM pg_stat_user_tables
                      WHERE relname IN ('run_events', 'decisions') AND seq_scan > 0";
    let mut superuser = test.superuser().await;
    let read_whole: String = sqlx::query_scalar(read_whole).fetch_one(&mut superuser).await.unwrap();
    assert_eq!(read_whole, "");
    let left = "SELECT (SELECT count(*) FROM run_events) + (SELECT count(*) FROM decisions)
                     + (SELECT count(*) FROM runs WHERE user_id = 'ann') + (SELECT count(*) FROM erasures)";
    assert_eq!(sqlx::query_scalar::<_, i64>(left).fetch_one(&mut superuser).await.unwrap(), 0);
}

#[tokio::test]
async fn settings_have_two_layers_and_only_admins_change_everyones() {
    let test = TestDb::new().await;
    let mut ann = tx(test.db(), "ann").await;
    settings::save_user(&mut ann, &json!({"a": 1})).await.unwrap();
    settings::save_user(&mut ann, &json!({"a": 2})).await.unwrap();
    let refused = settings::save_instance(&mut ann, &json!({}), &id("ann")).await;
    assert!(matches!(refused, Err(StoreError::WrongScope { .. })));
    let nul = settings::save_user(&mut ann, &json!({"a": "\u{0}"})).await;
    assert!(matches!(nul, Err(StoreError::NulCharacter { .. })));
    ann.commit().await.unwrap();
    let mut admin = test.db().begin(&Scope::Admin).await.unwrap();
    settings::save_instance(&mut admin, &json!({"b": 1}), &id("root")).await.unwrap();
    settings::save_instance(&mut admin, &json!({"b": 2}), &id("root")).await.unwrap();
    admin.commit().await.unwrap();
    let mut ann = tx(test.db(), "ann").await;
    let both = Layers { instance: Some(json!({"b": 2})), user: Some(json!({"a": 2})) };
    assert_eq!(settings::layers(&mut ann).await.unwrap(), both);
    assert!(settings::reset_user(&mut ann).await.unwrap());
    assert_eq!(settings::layers(&mut ann).await.unwrap().user, None);
    assert_eq!(settings::instance(&mut ann).await.unwrap(), Some(json!({"b": 2})));
}

#[tokio::test]
async fn a_token_names_its_owner_until_it_is_revoked_or_over() {
    let test = TestDb::new().await;
    let mut ann = tx(test.db(), "ann").await;
    let new = |hash| NewToken { name: "cli", hash, permissions: &[], expires_at: None };
    let kept = tokens::create(&mut ann, &new(b"kept")).await.unwrap();
    let revoked = tokens::create(&mut ann, &new(b"revoked")).await.unwrap();
    let over = NewToken { expires_at: Some(jiff::Timestamp::UNIX_EPOCH), ..new(b"over") };
    tokens::create(&mut ann, &over).await.unwrap();
    tokens::revoke(&mut ann, revoked.id).await.unwrap();
    tokens::revoke(&mut ann, revoked.id).await.unwrap();
    ann.commit().await.unwrap();
    let mut engine = test.db().begin(&Scope::Engine).await.unwrap();
    let found = tokens::owner_of(&mut engine, b"kept").await.unwrap();
    assert_eq!(found, Some((id("ann"), kept.id, vec![])));
    for hash in [b"revoked".as_slice(), b"over", b"unknown", b""] {
        assert_eq!(tokens::owner_of(&mut engine, hash).await.unwrap(), None);
    }
    engine.commit().await.unwrap();
    let mut ann = tx(test.db(), "ann").await;
    let (listed, total) = tokens::list(&mut ann, 10, 0).await.unwrap();
    assert_eq!((listed.len(), total), (3, 3));
    assert!(listed.iter().all(|token| token.last_used_at.is_some() == (token.id == kept.id)));
    let twice = tokens::create(&mut ann, &new(b"kept")).await;
    assert!(matches!(twice, Err(StoreError::AlreadyExists)), "{twice:?}");
}

#[tokio::test]
async fn admins_see_users_runs_and_costs_and_what_is_unknown_is_not_nothing() {
    let test = TestDb::new().await;
    conversation_of(&test, "ann", "q", "failed").await;
    conversation_of(&test, "bob", "q", "complete").await;
    for name in ["ann", "bob"] {
        let mut tx = tx(test.db(), name).await;
        let groups = ["eng".to_owned()];
        users::touch(&mut tx, Some("a@example.org"), None, Some(&groups)).await.unwrap();
        users::touch(&mut tx, None, Some(name), Some(&groups)).await.unwrap();
        users::touch(&mut tx, None, None, None).await.unwrap();
        let seen = users::groups_last_seen(&mut tx).await.unwrap();
        assert_eq!(seen, groups, "a visit that says nothing of groups changes none");
        audit::append(&mut tx, &id(name), "conversation.delete", Some("x"), &json!({})).await.unwrap();
        let forged = audit::append(&mut tx, &id("eve"), "conversation.delete", None, &json!({})).await;
        assert!(matches!(forged, Err(StoreError::WrongScope { .. })));
        let refused = usage::usage(&mut tx, GroupBy::User, Span::default(), None, (10, 0)).await;
        assert!(matches!(refused, Err(StoreError::WrongScope { .. })));
        tx.commit().await.unwrap();
    }
    let mut admin = test.db().begin(&Scope::Admin).await.unwrap();
    let (by_model, total) =
        usage::usage(&mut admin, GroupBy::Model, Span::default(), None, (10, 0)).await.unwrap();
    let figures: Vec<_> = by_model
        .iter()
        .map(|u| (u.key.as_str(), u.runs, u.failed_calls, u.cost_usd, u.unpriced_calls))
        .collect();
    assert_eq!(figures, [("m", 2, 0, Some(1.0), 0), ("n", 2, 2, None, 2), ("o", 2, 2, None, 0)]);
    assert_eq!(total, 3);
    for by in [GroupBy::User, GroupBy::Day, GroupBy::Format] {
        let (lines, total) = usage::usage(&mut admin, by, Span::default(), None, (1, 0)).await.unwrap();
        assert_eq!(lines.len(), 1, "{by:?}");
        let past = usage::usage(&mut admin, by, Span::default(), None, (1, 9)).await.unwrap();
        assert_eq!(past, (vec![], total), "{by:?}");
    }
    let before = Span { until: Some(jiff::Timestamp::UNIX_EPOCH), ..Span::default() };
    assert_eq!(usage::usage(&mut admin, GroupBy::User, before, None, (10, 0)).await.unwrap(), (vec![], 0));
    let runs = usage::recent_runs(&mut admin, None, false, 10, 0).await.unwrap();
    assert_eq!(runs.iter().map(|run| run.error_kind.as_deref()).collect::<Vec<_>>(), [None, Some("timeout")]);
    assert_eq!((runs[0].calls, runs[0].failed_calls, runs[0].cost_usd), (3, 2, Some(0.5)));
    let people = usage::users(&mut admin, None, 10, 0).await.unwrap();
    assert_eq!(
        people.iter().map(|p| (p.name.as_deref(), p.email.as_deref())).collect::<Vec<_>>(),
        [(Some("bob"), None), (Some("ann"), None)]
    );
    let log = audit::list(&mut admin, audit::Filter::default(), 1).await.unwrap();
    assert_eq!((log.len(), &log[0].user), (1, &id("bob")));
    let older =
        audit::list(&mut admin, audit::Filter { before: Some(log[0].id), ..audit::Filter::default() }, 10)
            .await
            .unwrap();
    assert_eq!((older.len(), &older[0].user), (1, &id("ann")));
}
