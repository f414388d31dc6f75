//! Runs whose server is gone are taken over by the others, at once and by shares; those of a server that is only busy
//! are not.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::db::TestDb;
use crate::support::model_server::{Gate, Record, Script};
use crate::support::replicas::{NO_POLLING, Replicas, TIMEOUT, by, under_way, waiting_for_locks};

/// So many runs whose server is gone, each of a user of its own, with the plan of this one, and that much left of
/// their leases.
async fn leave_behind(db: &TestDb, run: &str, count: i32, lease: &str) {
    let sql = "INSERT INTO runs (id, user_id, conversation_id, message_id, format, status, plan, attempt, owner, lease_until)
               SELECT gen_random_uuid(), 'left-' || n, gen_random_uuid(), gen_random_uuid(), format, 'running', plan, 1,
                      'gone', now() + $3::interval
               FROM runs, generate_series(1, $2) AS n WHERE id = $1::uuid";
    let mut database = db.superuser().await;
    sqlx::query(sql).bind(run).bind(count).bind(lease).execute(&mut database).await.unwrap();
    sqlx::raw_sql("SELECT pg_notify('llm_council', 'work')").execute(&mut database).await.unwrap();
}

#[tokio::test]
async fn a_run_is_taken_over_as_soon_as_its_lease_runs_out() {
    // Whatever waited for the next look would wait for a quarter of an hour.
    let servers = Replicas::with(&[NO_POLLING]).await;
    let (run, _, mut stream) = under_way(&servers).await;
    servers.gate.open();
    stream.until("complete").await;
    leave_behind(&servers.db, &run, 1, "3 s").await;
    let owner = "SELECT owner, lease_until - interval '3600 s' > created_at + interval '2 s' FROM runs WHERE user_id = 'left-1'";
    let mut database = servers.db.superuser().await;
    let begun = Instant::now();
    let is_after_it = loop {
        let (owner, after): (String, bool) = sqlx::query_as(owner).fetch_one(&mut database).await.unwrap();
        if owner != "gone" {
            break after;
        }
        assert!(begun.elapsed() < TIMEOUT, "nobody looks when the lease runs out");
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    assert!(is_after_it, "it was taken from an owner whose lease held");
}

#[tokio::test]
async fn hundreds_of_abandoned_runs_are_shared_at_once_portion_by_portion() {
    const LEFT: i32 = 300;
    // Whatever waited for the next look would wait for a quarter of an hour.
    let servers = Replicas::with(&[NO_POLLING]).await;
    let (run, _, mut stream) = under_way(&servers).await;
    servers.gate.open();
    stream.until("complete").await;
    let gate = Gate::new();
    servers.models.rule(move |_| Some(Script::answer("").hold(&gate)));
    leave_behind(&servers.db, &run, LEFT, "-1 s").await;
    let begun = Instant::now();
    let owners = "SELECT count(*) FROM runs WHERE owner <> 'gone' GROUP BY owner ORDER BY 1";
    let mut database = servers.db.superuser().await;
    let shares = loop {
        let shares: Vec<i64> = sqlx::query_scalar(owners).fetch_all(&mut database).await.unwrap();
        if shares.iter().sum::<i64>() == i64::from(LEFT) {
            break shares;
        }
        assert!(begun.elapsed() < TIMEOUT, "only so many were taken: {shares:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    eprintln!("{LEFT} runs were taken over in {:?}, in shares of {shares:?}", begun.elapsed());
    assert!(shares.len() == 2 && shares[0] >= 40, "each takes its part: {shares:?}");
}

#[tokio::test]
async fn a_run_that_cannot_be_read_when_it_is_taken_over_has_not_lost_another_server() {
    let servers = Replicas::with(&[NO_POLLING]).await;
    let (run, _, mut stream) = under_way(&servers).await;
    servers.gate.open();
    stream.until("complete").await;
    let mut database = servers.db.superuser().await;
    let refuse = "REVOKE SELECT ON decisions FROM llm_council_engine";
    sqlx::raw_sql(refuse).execute(&mut database).await.unwrap();
    leave_behind(&servers.db, &run, 1, "-1 s").await;
    let begun = Instant::now();
    let given_back = "SELECT attempt > 1 AND owner IS NULL FROM runs WHERE user_id = 'left-1'";
    while !sqlx::query_scalar::<_, bool>(given_back).fetch_one(&mut database).await.unwrap() {
        assert!(begun.elapsed() < TIMEOUT, "its owner is still the server that could not read it");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let answer = "GRANT SELECT ON decisions TO llm_council_engine;
                  UPDATE runs SET lease_until = now() WHERE user_id = 'left-1';
                  SELECT pg_notify('llm_council', 'work')";
    sqlx::raw_sql(answer).execute(&mut database).await.unwrap();
    let state = "SELECT status <> 'running', crashes FROM runs WHERE user_id = 'left-1'";
    loop {
        let (is_over, crashes): (bool, i32) = sqlx::query_as(state).fetch_one(&mut database).await.unwrap();
        assert_eq!(crashes, 1, "the server that left it behind");
        if is_over {
            break;
        }
        assert!(begun.elapsed() < TIMEOUT, "it is not taken over");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn a_run_that_takes_long_to_read_is_not_taken_from_the_server_that_reads_it() {
    let servers = Replicas::with(&[("runs.lease_seconds", "2")]).await;
    let (run, _, mut stream) = under_way(&servers).await;
    servers.gate.open();
    stream.until("complete").await;
    let mut holder = servers.db.superuser().await;
    sqlx::raw_sql("BEGIN; LOCK TABLE decisions").execute(&mut holder).await.unwrap();
    leave_behind(&servers.db, &run, 1, "-1 s").await;
    let mut look = servers.db.superuser().await;
    let begun = Instant::now();
    let state = "SELECT status <> 'running', attempt, crashes, extract(epoch FROM lease_until)::float8
                 FROM runs WHERE user_id = 'left-1'";
    let mut claimed_until = None;
    let mut holder = Some(holder);
    loop {
        let (is_over, attempt, crashes, lease_until): (bool, i32, i32, Option<f64>) =
            sqlx::query_as(state).fetch_one(&mut look).await.unwrap();
        assert!(attempt <= 2 && crashes <= 1, "the other server has taken it as well");
        if is_over {
            break;
        }
        if let Some(until) = lease_until.filter(|_| attempt == 2)
            && until > *claimed_until.get_or_insert(until) + 3.0
        {
            // It was read for longer than a lease lasts.
            holder = None;
        }
        assert!(begun.elapsed() < TIMEOUT, "it is not ended");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(holder.is_none(), "it waited for what could not be read");
}

#[tokio::test]
async fn a_new_run_finds_its_place_while_others_are_being_taken_over() {
    let servers = Replicas::with(&[NO_POLLING, ("runs.max_live", "2")]).await;
    let Replicas { one, other, models, gate, db } = servers;
    other.kill();
    let ann = one.user("ann");
    let id = ann.conversation().await;
    gate.open();
    let run = ann.post(&format!("/api/conversations/{id}/message"), json!({"content": "Why?"})).await.ok();
    // The database is long about a takeover.
    let mut database = db.superuser().await;
    let slow = "CREATE FUNCTION wait_for_it() RETURNS trigger LANGUAGE plpgsql AS
                    'BEGIN PERFORM pg_advisory_xact_lock(4711); RETURN NEW; END';
                CREATE TRIGGER slow_takeover BEFORE UPDATE ON runs FOR EACH ROW
                    WHEN (NEW.attempt > OLD.attempt) EXECUTE FUNCTION wait_for_it();
                SELECT pg_advisory_lock(4711)";
    sqlx::raw_sql(slow).execute(&mut database).await.unwrap();
    leave_behind(&db, run["run_id"].as_str().unwrap(), 1, "-1 s").await;
    let begun = Instant::now();
    let mut look = db.superuser().await;
    while waiting_for_locks(&mut look).await == 0 {
        assert!(begun.elapsed() < TIMEOUT, "nothing is taken over");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let mut stream = ann.ask(&id, json!({"content": "And at once?"})).await;
    assert_eq!(stream.next().await.unwrap().kind(), "run_started", "one place of two is free");
    stream.until("complete").await;
    drop(database);
    let left = "SELECT count(*) FROM runs WHERE status = 'running'";
    while sqlx::query_scalar::<_, i64>(left).fetch_one(&mut look).await.unwrap() > 0 {
        assert!(begun.elapsed() < TIMEOUT, "the abandoned run is not ended");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(models.records().len(), 29, "three whole runs, one without a title");
}

#[tokio::test]
async fn a_run_is_not_taken_from_a_server_whose_connections_are_all_busy() {
    let servers = Replicas::with(&[("runs.lease_seconds", "3"), ("database.max_connections", "1")]).await;
    let (ann, bob) = (servers.one.user("ann"), servers.one.user("bob"));
    let id = ann.conversation().await;
    let mut stream = ann.ask(&id, json!({"content": "Why?"})).await;
    let run = stream.until("run_started").await.json["run_id"].as_str().unwrap().to_owned();
    servers.models.until(|records| records.len() >= 4).await;

    // The only connection waits for a lock, for longer than a lease lasts.
    let mut holder = servers.db.superuser().await;
    sqlx::raw_sql("BEGIN; LOCK TABLE presets").execute(&mut holder).await.unwrap();
    let presets = async { bob.get("/api/settings/presets").await.status };
    let release = async {
        let begun = Instant::now();
        let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()
                         AND state_change < now() - interval '8 s'";
        let mut looker = servers.db.superuser().await;
        while sqlx::query_scalar::<_, i64>(waiting).fetch_one(&mut looker).await.unwrap() == 0 {
            assert!(begun.elapsed() < TIMEOUT, "nobody waits");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        sqlx::raw_sql("ROLLBACK").execute(&mut holder).await.unwrap();
    };
    let (status, ()) = tokio::join!(presets, release);
    assert_eq!(status, 200);
    servers.gate.open();
    assert_eq!(stream.rest().await.last().unwrap().kind(), "complete");
    let attempt = "SELECT attempt FROM runs WHERE id = $1::uuid";
    let attempt = sqlx::query_scalar::<_, i32>(attempt).bind(&run);
    assert_eq!(attempt.fetch_one(&mut servers.db.superuser().await).await.unwrap(), 1);
    let by_the_other = |record: &&Record| by(record, "sk-other");
    assert_eq!(servers.models.records().iter().filter(by_the_other).count(), 0, "nothing was asked again");
}

#[tokio::test]
async fn a_run_whose_row_is_locked_does_not_cost_the_others_their_leases() {
    let servers = Replicas::with(&[("runs.lease_seconds", "3")]).await;
    // Leases are prolonged in the order of the runs: the one that is in the way comes first.
    let mut streams = Vec::new();
    for name in ["bob", "ann"] {
        let user = servers.one.user(name);
        let id = user.conversation().await;
        let mut stream = user.ask(&id, json!({"content": format!("Why, {name}?")})).await;
        for _ in 0..3 {
            stream.until("stage1_model_complete").await;
        }
        streams.push(stream);
    }
    let mut holder = servers.db.superuser().await;
    sqlx::raw_sql("BEGIN; SELECT FROM runs WHERE user_id = 'bob' FOR UPDATE")
        .execute(&mut holder)
        .await
        .unwrap();
    let mut look = servers.db.superuser().await;
    let prolonged = "SELECT lease_until > $1::timestamptz + interval '4 s' FROM runs WHERE user_id = 'ann'";
    let now: String = sqlx::query_scalar("SELECT lease_until::text FROM runs WHERE user_id = 'ann'")
        .fetch_one(&mut look)
        .await
        .unwrap();
    let begun = Instant::now();
    while !sqlx::query_scalar::<_, bool>(prolonged).bind(&now).fetch_one(&mut look).await.unwrap() {
        assert!(begun.elapsed() < TIMEOUT, "nobody prolongs it");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    sqlx::raw_sql("ROLLBACK").execute(&mut holder).await.unwrap();
    servers.gate.open();
    for stream in &mut streams {
        assert_eq!(stream.rest().await.last().unwrap().kind(), "complete");
    }
    let attempt = sqlx::query_scalar::<_, i32>("SELECT attempt FROM runs WHERE user_id = 'ann'");
    assert_eq!(attempt.fetch_one(&mut look).await.unwrap(), 1, "{}", servers.other.log());
}
