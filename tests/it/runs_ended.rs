//! What becomes of runs that nobody watches, that kill their servers, or that are over.

use std::time::Duration;

use llm_council::id::{RunId, UserId};
use llm_council::runs::{Next, RunSettings, Runs};
use llm_council::store::{Scope, conversations};
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;

use crate::projects::{holding, released};
use crate::schedules::schedule;
use crate::support::app::TestApp;
use crate::support::model_server::{AskedFor, Gate, Outcome, Script};

#[tokio::test]
async fn a_run_that_nobody_watches_goes_on() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let mut stream = ann.ask(&id, json!({"content": "Why?"})).await;
    let run = stream.until("run_started").await.json["run_id"].as_str().unwrap().to_owned();
    drop(stream);
    assert_eq!(ann.events(&run, 0).await.rest().await.last().unwrap().kind(), "complete");
    app.close().await;
}

#[tokio::test]
async fn a_run_that_nobody_watches_is_cancelled_where_the_rules_say_so() {
    let app = TestApp::with("[runs]\non_disconnect = \"cancel\"\ndisconnect_grace_seconds = 0\n").await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |request| (request.model == "m/one").then(|| Script::answer("Well").hold(&held)));
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let mut stream = ann.ask(&id, json!({"content": "Why?"})).await;
    let run = stream.until("run_started").await.json["run_id"].as_str().unwrap().to_owned();
    let mut other = ann.events(&run, 0).await;
    other.until("stage1_token").await;
    drop(stream);
    // One reader is left: nothing happens to the run.
    other.until("stage1_model_complete").await;
    drop(other);
    app.models.until(|records| records.iter().any(|record| record.outcome == Outcome::ClientGone)).await;
    assert_eq!(ann.events(&run, 0).await.rest().await.last().unwrap().kind(), "cancelled");
    let stored = ann.get(&format!("/api/conversations/{id}")).await.ok();
    assert_eq!(stored["messages"][1]["status"], "cancelled");
    assert_eq!(stored["messages"][1]["stage1"].as_array().unwrap().len(), 4, "what it had is kept");
    app.close().await;
}

#[tokio::test]
async fn who_changes_a_run_that_nobody_watches_does_not_end_it() {
    let app = TestApp::with("[runs]\non_disconnect = \"cancel\"\ndisconnect_grace_seconds = 0\n").await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |request| match (request.model.as_str(), request.asked_for()) {
        ("m/one", AskedFor::Answer) => Some(Script::answer("Well").hold(&held)),
        ("m/two", AskedFor::Answer) => Some(Script::status(400, "not today")),
        _ => None,
    });
    let (ann, bob) = (app.user("ann"), app.user("bob"));
    let id = schedule(&ann, json!({"paused": true})).await;
    let asked = ann.post(&format!("/api/schedules/{id}/run"), json!({})).await.ok();
    let run = asked["run_id"].as_str().unwrap();
    let added = json!({"content": "In the south of France."});
    ann.post(&format!("/api/runs/{run}/corrections"), added).await.ok();
    let again = format!("/api/runs/{run}/retry-member");
    let member = json!({"member": "m/two"});
    ann.send_until("POST", &again, Some(&member), |answer| answer.status == 200).await;

    // A later one that its reader leaves is cancelled.
    let mut stream = bob.ask(&bob.conversation().await, json!({"content": "Why?"})).await;
    let other = stream.until("run_started").await.json["run_id"].as_str().unwrap().to_owned();
    drop(stream);
    bob.until_cancelled(&other).await;
    gate.open();
    assert_eq!(ann.events(run, 0).await.rest().await.last().unwrap().kind(), "complete");
    app.close().await;
}

#[tokio::test]
async fn a_run_that_kills_its_servers_is_given_up_with_what_it_had() {
    let app = TestApp::start().await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |request| {
        (request.asked_for() == AskedFor::Synthesis).then(|| Script::answer("In the").hold(&held))
    });
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let mut stream = ann.ask(&id, json!({"content": "Why?"})).await;
    let run = stream.until("run_started").await.json["run_id"].as_str().unwrap().to_owned();
    stream.until("stage2_complete").await;
    app.app.runs.hand_over().await.unwrap();
    app.app.runs.idle().await;
    // As if three servers had taken it up since and died, the last one just now.
    sqlx::query("UPDATE runs SET crashes = 3, owner = 'dead' WHERE status = 'running'")
        .execute(&mut app.db.superuser().await)
        .await
        .unwrap();
    let other = Runs::new(
        app.db.db().clone(),
        app.app.models.clone(),
        app.app.objects.clone(),
        app.app.shutdown.tasks(),
        RunSettings::default(),
    );
    app.app.shutdown.tasks().spawn_background(other.clone().write(app.db.db().clone()));
    app.app.shutdown.tasks().spawn_background(other.clone().work());
    let last = stream.rest().await.pop().unwrap();
    assert_eq!(last.kind(), "error");
    assert!(last.json["message"].as_str().unwrap().contains("given up after 4 servers"), "{}", last.json);
    let stored = ann.get(&format!("/api/runs/{run}")).await.ok();
    assert_eq!(stored["status"], "failed");
    assert_eq!(stored["stage1"].as_array().unwrap().len(), 4);
    assert_eq!(stored["stage2"].as_array().unwrap().len(), 4);
    assert_eq!(stored["metadata"]["aggregate_rankings"].as_array().unwrap().len(), 4);
    other.idle().await;
    app.close().await;
}

#[tokio::test]
async fn a_run_that_begins_while_its_conversation_is_being_deleted_is_stopped() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |_| Some(Script::answer("").hold(&held).text("Late.")));
    // Both wait for the conversation: first the question, then the deletion, which has found no run to stop.
    let mut holder = app.db.superuser().await;
    let hold = format!("BEGIN; SELECT FROM conversations WHERE id = '{id}' FOR UPDATE");
    sqlx::raw_sql(AssertSqlSafe(hold)).execute(&mut holder).await.unwrap();
    let until_waiting = async |wanted: i64| {
        let mut looker = app.db.superuser().await;
        let waiting = "SELECT count(*) FROM pg_stat_activity
                       WHERE wait_event_type = 'Lock' AND datname = current_database()";
        for _ in 0..1_000 {
            if sqlx::query_scalar::<_, i64>(waiting).fetch_one(&mut looker).await.unwrap() == wanted {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("there are never {wanted} that wait");
    };
    let path = format!("/api/conversations/{id}");
    let asked = ann.ask(&id, json!({"content": "Why?"}));
    let deleted = async {
        until_waiting(1).await;
        ann.send("DELETE", &path, None).await
    };
    let released = async {
        until_waiting(2).await;
        sqlx::raw_sql("ROLLBACK").execute(&mut holder).await.unwrap();
    };
    let (mut live, deleted, ()) = tokio::join!(asked, deleted, released);
    assert_eq!(deleted.ok()["deleted"], true);
    assert_eq!(live.rest().await.last().unwrap().kind(), "cancelled");
    gate.open();
    app.close().await;
}

#[tokio::test]
async fn a_conversation_is_not_deleted_without_the_stop_of_the_run_that_begins_meanwhile() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |_| Some(Script::answer("").hold(&held).text("Late.")));
    let full = "CREATE FUNCTION be_full() RETURNS trigger LANGUAGE plpgsql AS
                    'BEGIN RAISE EXCEPTION ''full'' USING ERRCODE = ''53100''; END';
                CREATE TRIGGER full_disk BEFORE UPDATE ON runs FOR EACH ROW
                    WHEN (NEW.cancel_requested_at IS DISTINCT FROM OLD.cancel_requested_at)
                    EXECUTE FUNCTION be_full()";
    sqlx::raw_sql(full).execute(&mut app.db.superuser().await).await.unwrap();
    // Both wait for the conversation: first the question, then the deletion, which has found no run to stop.
    let holder = holding(&app, "SELECT FROM conversations FOR UPDATE").await;
    let path = format!("/api/conversations/{id}");
    let asked = ann.ask(&id, json!({"content": "Why?"}));
    let deleted = async {
        released(&app, app.db.superuser().await, 1, "SELECT 1").await;
        ann.send("DELETE", &path, None).await
    };
    let (mut live, deleted, ()) = tokio::join!(asked, deleted, released(&app, holder, 2, "ROLLBACK"));
    assert_eq!(deleted.status, 503, "{}", deleted.text);
    assert_eq!(ann.get(&path).await.status, 200, "it is still there, with its run");
    let there_is_room = "DROP TRIGGER full_disk ON runs";
    sqlx::raw_sql(there_is_room).execute(&mut app.db.superuser().await).await.unwrap();
    ann.send("DELETE", &path, None).await.ok();
    assert_eq!(live.rest().await.last().unwrap().kind(), "cancelled");
    gate.open();
    app.close().await;
}

#[tokio::test]
async fn a_deletion_and_the_end_of_a_run_do_not_wait_for_each_other() {
    // No heartbeat comes in between.
    let app = TestApp::with("[runs]\nlease_seconds = 3600\n").await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |_| Some(Script::answer("").hold(&held).text("Late.")));
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let mut live = ann.ask(&id, json!({"content": "Why?"})).await;
    live.until("stage1_start").await;
    // As its end does: first the run, and then the conversation.
    let mut end = holding(&app, "SELECT FROM runs FOR NO KEY UPDATE").await;
    let deleted = async {
        let mut tx = app.db.db().begin(&Scope::User(UserId::from_canonical("ann"))).await?;
        conversations::delete(&mut tx, id.parse().unwrap()).await?;
        tx.commit().await
    };
    let ended = async {
        released(&app, app.db.superuser().await, 1, "SELECT 1").await;
        sqlx::raw_sql("UPDATE conversations SET updated_at = now(); COMMIT").execute(&mut end).await
    };
    let (deleted, ended) = tokio::join!(deleted, ended);
    ended.expect("the run ends");
    deleted.expect("the conversation is deleted");
    assert_eq!(live.rest().await.last().unwrap().kind(), "cancelled");
    gate.open();
    app.close().await;
}

#[tokio::test]
async fn whoever_reads_a_run_at_another_server_hears_of_its_end_where_its_conversation_is_deleted() {
    let app = TestApp::start().await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |request| (request.model == "m/one").then(|| Script::answer("Well").hold(&held)));
    let ann = app.user("ann");
    let mut stream = ann.ask(&ann.conversation().await, json!({"content": "Why?"})).await;
    let started = stream.until("run_started").await;
    let run: RunId = started.json["run_id"].as_str().unwrap().parse().unwrap();
    stream.until("stage1_model_complete").await;
    // It executes nothing, so it reads the log.
    let elsewhere = Runs::new(
        app.db.db().clone(),
        app.app.models.clone(),
        app.app.objects.clone(),
        app.app.shutdown.tasks(),
        RunSettings::default(),
    );
    let mut reader = elsewhere.subscribe(&UserId::from_canonical("ann"), run, 0).await.unwrap();
    let mut database = app.db.superuser().await;
    sqlx::raw_sql("UPDATE conversations SET deleted_at = now()").execute(&mut database).await.unwrap();
    sqlx::raw_sql("BEGIN; LOCK TABLE runs IN ACCESS EXCLUSIVE MODE").execute(&mut database).await.unwrap();
    let read = async {
        loop {
            match reader.next().await.unwrap().expect("its last event") {
                Next::Frames(frames) => {
                    if let Some(last) = frames.iter().find(|frame| frame.ends) {
                        return serde_json::from_slice::<Value>(&last.json).unwrap();
                    }
                }
                Next::Queued(position) => panic!("it is under way: {position}"),
            }
        }
    };
    let stopped = async {
        // The reader has read the log, and looks how far the run is.
        let looks = "SELECT EXISTS (SELECT FROM pg_stat_activity
                     WHERE wait_event_type = 'Lock' AND datname = current_database()
                         AND query LIKE 'SELECT status FROM runs%')";
        let mut looker = app.db.superuser().await;
        while !sqlx::query_scalar::<_, bool>(looks).fetch_one(&mut looker).await.unwrap() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        sqlx::raw_sql("ROLLBACK").execute(&mut database).await.unwrap();
        ann.post(&format!("/api/runs/{run}/cancel"), json!({})).await.ok()
    };
    let both = async { tokio::join!(read, stopped) };
    let (last, stopped) = tokio::time::timeout(Duration::from_secs(60), both).await.expect("both in time");
    assert_eq!((&last["type"], &stopped["cancelled"]), (&json!("cancelled"), &json!(true)));
    gate.open();
    app.close().await;
}

#[tokio::test]
async fn a_reader_for_whom_the_database_was_slow_gets_everything_that_was_written_meanwhile() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let whole = ann.ask(&ann.conversation().await, json!({"content": "Why?"})).await.rest().await;
    let run: RunId = whole[0].json["run_id"].as_str().unwrap().parse().unwrap();
    app.app.runs.idle().await;
    let mut database = app.db.superuser().await;
    // Another server executes it, and has written one event.
    let begun = "UPDATE runs SET status = 'running', owner = 'another', finished_at = NULL,
                                 lease_until = now() + interval '1 hour';
                 DELETE FROM run_events;
                 INSERT INTO run_events (run_id, first_seq, last_seq, user_id, frames)
                 SELECT id, 1, 1, user_id, E'1\\tstart\\t{}\\n' FROM runs";
    sqlx::raw_sql(begun).execute(&mut database).await.unwrap();
    let mut reader = app.app.runs.subscribe(&UserId::from_canonical("ann"), run, 0).await.unwrap();
    let first = reader.next().await.unwrap();
    assert!(matches!(first, Some(Next::Frames(frames)) if frames.len() == 1));
    sqlx::raw_sql("BEGIN; LOCK TABLE runs IN ACCESS EXCLUSIVE MODE").execute(&mut database).await.unwrap();
    let read = async {
        let mut numbers = Vec::new();
        while let Some(next) = reader.next().await.unwrap() {
            match next {
                Next::Frames(frames) => numbers.extend(frames.iter().map(|frame| frame.seq)),
                Next::Queued(position) => panic!("it is under way: {position}"),
            }
        }
        numbers
    };
    let written = async {
        // The reader has read the log, and looks how far the run is.
        let looks = "SELECT EXISTS (SELECT FROM pg_stat_activity
                     WHERE wait_event_type = 'Lock' AND datname = current_database()
                         AND query LIKE 'SELECT status FROM runs%')";
        let mut looker = app.db.superuser().await;
        while !sqlx::query_scalar::<_, bool>(looks).fetch_one(&mut looker).await.unwrap() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let rest = "INSERT INTO run_events (run_id, first_seq, last_seq, user_id, frames)
                    SELECT id, nr, nr, user_id, nr || E'\\t' || CASE nr WHEN 6 THEN 'end' ELSE 'long/' || nr END
                               || E'\\t{\"long\": \"' || repeat('x', 100000) || E'\"}\\n'
                    FROM runs, generate_series(2, 6) AS nr;
                    UPDATE runs SET status = 'complete', finished_at = now(), owner = NULL, lease_until = NULL;
                    COMMIT";
        sqlx::raw_sql(rest).execute(&mut database).await.unwrap();
    };
    let both = async { tokio::join!(read, written) };
    let (numbers, ()) = tokio::time::timeout(Duration::from_secs(60), both).await.expect("both in time");
    assert_eq!(numbers, [2, 3, 4, 5, 6], "more than is read at once");
    app.close().await;
}

#[tokio::test]
async fn the_log_of_an_ended_run_shrinks_to_its_structure() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let whole = ann.ask(&id, json!({"content": "Why?"})).await.rest().await;
    let run = whole[0].json["run_id"].as_str().unwrap().to_owned();
    assert!(whole.iter().any(crate::support::events::Event::is_token));
    assert_eq!(app.app.runs.compact_logs(Duration::from_secs(3600)).await.unwrap(), 0, "too young");
    assert_eq!(app.app.runs.compact_logs(Duration::ZERO).await.unwrap(), 1);
    assert_eq!(app.app.runs.compact_logs(Duration::ZERO).await.unwrap(), 0, "once is enough");
    let structure: Vec<_> = whole.iter().filter(|event| !event.is_token()).cloned().collect();
    assert_eq!(ann.events(&run, 0).await.rest().await, structure);
    // A reader who stopped at a token goes on behind it.
    let token = whole.iter().rfind(|event| event.is_token()).unwrap().id.unwrap();
    let rest = ann.events(&run, token).await.rest().await;
    let expected: Vec<_> = structure.into_iter().filter(|event| event.id > Some(token)).collect();
    assert_eq!(rest, expected);
    app.close().await;
}

#[tokio::test]
async fn a_simulated_call_that_is_stopped_cost_nothing_and_says_so() {
    let app = TestApp::simulated_slowly().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let mut stream = ann.ask(&id, json!({"content": "Why?"})).await;
    let run = stream.until("run_started").await.json["run_id"].as_str().unwrap().to_owned();
    stream.until("stage1_token").await;
    ann.post(&format!("/api/runs/{run}/cancel"), json!({})).await.ok();
    let events = stream.rest().await;
    let costs = &events.iter().find(|event| event.kind() == "costs_complete").unwrap().json["data"];
    assert_eq!((&costs["total_cost"], &costs["unknown_cost_calls"]), (&json!(0.0), &json!(0)), "{costs}");
    let usage = &ann.get("/api/analytics").await.ok()["summary"];
    assert_eq!((&usage["total_cost"], &usage["unknown_cost_calls"]), (&json!(0.0), &json!(0)), "{usage}");
    app.close().await;
}
