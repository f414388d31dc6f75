//! Adding something to a question while its members answer.

use serde_json::{Value, json};

use crate::support::app::{Answer, TestApp, User};
use crate::support::db::TestDb;
use crate::support::events::{Event, Events, find, kinds};
use crate::support::model_server::{AskedFor, Gate, ModelServer, RecordedRequest, Script, plausible};
use crate::support::process::{Process, Program};

const ADDED: &str = "I mean the second edition.";

async fn correct(user: &User<'_>, run: &str, content: &str) -> Answer {
    user.post(&format!("/api/runs/{run}/corrections"), json!({"content": content})).await
}

/// One member's calls of this kind wait until somebody opens the gate.
fn held(models: &ModelServer, model: &'static str, kind: AskedFor) -> Gate {
    let gate = Gate::new();
    let held = gate.clone();
    models.rule(move |request| {
        let script = plausible(request);
        let waits = request.model == model && request.asked_for() == kind;
        Some(if waits { script.hold(&held) } else { script })
    });
    gate
}

/// Asks, and reads until such an event has come.
async fn ask_until(user: &User<'_>, id: &str, body: Value, kind: &str) -> (String, Vec<Event>, Events) {
    let mut stream = user.ask(id, body).await;
    let mut seen = vec![stream.next().await.expect("an event")];
    while seen.last().is_some_and(|event| event.kind() != kind) {
        seen.push(stream.next().await.expect("an event"));
    }
    (seen[0].json["run_id"].as_str().expect("a run").to_owned(), seen, stream)
}

/// The requests of this kind, as they were sent.
fn asked(models: &ModelServer, kind: AskedFor) -> Vec<RecordedRequest> {
    let requests = models.records().into_iter().map(|record| record.request);
    requests.filter(|request| request.asked_for() == kind).collect()
}

fn says(request: &RecordedRequest, text: &str) -> bool {
    let messages = request.body["messages"].as_array().into_iter().flatten();
    messages.filter_map(|message| message["content"].as_str()).any(|content| content.contains(text))
}

/// That there are requests, and that each of them says this.
fn all_say(requests: &[RecordedRequest], text: &str) -> bool {
    !requests.is_empty() && requests.iter().all(|request| says(request, text))
}

#[tokio::test]
async fn those_who_judge_and_write_read_a_correction_and_members_do_not() {
    let app = TestApp::start().await;
    let gate = held(&app.models, "m/one", AskedFor::Answer);
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let body = json!({"content": "Who wrote it?", "use_refinement": true, "use_adversary": true});
    let (run, mut events, mut stream) = ask_until(&ann, &id, body, "stage1_start").await;

    let added = correct(&ann, &run, &format!("  {ADDED}\n")).await.ok();
    assert_eq!((&added["status"], &added["correction"]["text"]), (&json!("ok"), &json!(ADDED)));
    assert_eq!(correct(&ann, &run, ADDED).await.ok(), added, "sent twice it is added once");
    gate.open();
    events.extend(stream.rest().await);
    assert_eq!(events.last().unwrap().kind(), "complete");

    let told: Vec<&Value> = events
        .iter()
        .filter(|event| event.kind() == "correction_added")
        .map(|event| &event.json["data"])
        .collect();
    assert_eq!(told, [&added["correction"]]);
    let place = |kind: &str| kinds(&events).iter().position(|it| *it == kind).unwrap();
    assert!(place("correction_added") < place("stage2_start"));

    let reads =
        |kind| asked(&app.models, kind).iter().map(|request| says(request, ADDED)).collect::<Vec<_>>();
    assert_eq!(reads(AskedFor::Answer), [false; 4]);
    for kind in [AskedFor::Review, AskedFor::Synthesis, AskedFor::Critique, AskedFor::Attack] {
        let reads = reads(kind);
        assert!(!reads.is_empty() && reads.iter().all(|it| *it), "{kind:?}: {reads:?}");
    }
    let stored = ann.get(&format!("/api/runs/{run}")).await.ok();
    assert_eq!(stored["metadata"]["corrections"], json!([added["correction"]]));

    // The next question is asked in its light.
    ann.ask(&id, json!({"content": "And when?"})).await.rest().await;
    let later = asked(&app.models, AskedFor::Answer).split_off(4);
    assert!(all_say(&later, &format!("Who wrote it?\n\nCorrection: {ADDED}")));

    let text = ann.get(&format!("/api/conversations/{id}/export")).await;
    assert!(text.text.contains(ADDED), "{}", text.text);
    app.close().await;
}

#[tokio::test]
async fn a_correction_that_comes_too_late_is_refused() {
    let app = TestApp::start().await;
    let gate = held(&app.models, "m/two", AskedFor::Review);
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let (run, _, mut stream) = ask_until(&ann, &id, json!({"content": "Why?"}), "stage2_start").await;
    let late = correct(&ann, &run, ADDED).await;
    assert_eq!(
        (late.status, late.json()["type"].as_str().unwrap().ends_with("not-correctable")),
        (409, true)
    );
    assert!(late.text.contains("too late"), "{}", late.text);
    gate.open();
    let events = stream.rest().await;
    assert_eq!(events.last().unwrap().kind(), "complete");
    assert!(!kinds(&events).contains(&"correction_added"));
    assert!(correct(&ann, &run, ADDED).await.text.contains("this run is over"));
    let stored = ann.get(&format!("/api/runs/{run}")).await.ok();
    assert_eq!(stored["metadata"]["corrections"], Value::Null);
    app.close().await;
}

#[tokio::test]
async fn where_nobody_reviews_it_is_open_until_the_chairman_writes() {
    let app = TestApp::start().await;
    let gate = held(&app.models, "m/one", AskedFor::Answer);
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let body = json!({"content": "Why?", "use_reviews": false});
    let (run, _, mut stream) = ask_until(&ann, &id, body, "stage1_start").await;
    correct(&ann, &run, ADDED).await.ok();
    gate.open();
    stream.rest().await;
    assert!(all_say(&asked(&app.models, AskedFor::Synthesis), ADDED));
    app.close().await;
}

#[tokio::test]
async fn only_the_council_takes_corrections_and_bad_ones_are_refused() {
    let app = TestApp::start().await;
    let gate = held(&app.models, "m/one", AskedFor::Answer);
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let (run, _, mut stream) = ask_until(&ann, &id, json!({"content": "Why?"}), "stage1_start").await;
    let path = format!("/api/runs/{run}/corrections");
    for body in
        [json!({}), json!({"content": " \n"}), json!({"content": 3}), json!({"content": "x".repeat(4_001)})]
    {
        assert_eq!(ann.post(&path, body).await.wrong_fields(), ["content"]);
    }
    assert_eq!(correct(&app.user("bob"), &run, ADDED).await.status, 404);
    for number in 1..=5 {
        correct(&ann, &run, &format!("Number {number}.")).await.ok();
    }
    let more = correct(&ann, &run, "Number 6.").await;
    assert_eq!((more.status, more.text.contains("five times already")), (409, true), "{}", more.text);
    correct(&ann, &run, "Number 3.").await.ok();
    gate.open();
    stream.rest().await;

    for body in
        [json!({"content": "Why?", "mode": "debate"}), json!({"content": "Why?", "direct_to": "m/one"})]
    {
        let gate = Gate::new();
        let held = gate.clone();
        app.models.rule(move |request| Some(plausible(request).hold(&held)));
        let mut stream = ann.ask(&id, body).await;
        let run = stream.next().await.expect("an event").json["run_id"].as_str().unwrap().to_owned();
        let refused = correct(&ann, &run, ADDED).await;
        assert_eq!((refused.status, refused.text.contains("whole council")), (409, true), "{}", refused.text);
        gate.open();
        stream.rest().await;
    }
    app.close().await;
}

#[tokio::test]
async fn nothing_of_a_correction_outlives_its_conversation() {
    let app = TestApp::start().await;
    let gate = held(&app.models, "m/one", AskedFor::Answer);
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let (run, _, mut stream) = ask_until(&ann, &id, json!({"content": "Why?"}), "stage1_start").await;
    correct(&ann, &run, ADDED).await.ok();
    gate.open();
    stream.rest().await;
    let kept = async || {
        let rows = "SELECT count(*) FROM runs WHERE corrections::text LIKE '%' || $1 || '%'";
        let mut database = app.db.superuser().await;
        sqlx::query_scalar::<_, i64>(rows).bind(ADDED).fetch_one(&mut database).await.unwrap()
    };
    assert_eq!(kept().await, 1);
    for query in ["", "?purge=true"] {
        ann.send("DELETE", &format!("/api/conversations/{id}{query}"), None).await.ok();
    }
    assert_eq!(kept().await, 0);
    app.close().await;
}

/// Somebody with three models in the first tier and one in the second.
async fn with_tiers(app: &TestApp) -> User<'_> {
    let ann = app.user("ann");
    let tiers = json!({"tier1_models": ["s/one", "s/two", "s/three"], "tier2_models": ["l/one"]});
    ann.put("/api/config", tiers).await.ok();
    ann
}

#[tokio::test]
async fn a_second_tier_that_is_called_by_the_reviews_reads_what_was_added() {
    let app = TestApp::start().await;
    let gate = Gate::new();
    let held = gate.clone();
    // The first tier is sure, and its reviewers cannot decide.
    app.models.rule(move |request| {
        let sure = Script::answer("So it is.\n\nCONFIDENCE: 9");
        let kind = request.asked_for();
        if kind == AskedFor::Answer {
            return Some(if request.model == "s/one" { sure.hold(&held) } else { sure });
        }
        let is_first = kind == AskedFor::Review && request.labels().len() == 3;
        is_first.then(|| Script::answer(&format!("FINAL RANKING:\n1. {}", request.labels().join(" = "))))
    });
    let ann = with_tiers(&app).await;
    let id = ann.conversation().await;
    let body = json!({"content": "Why?", "use_escalation": true});
    let (run, _, mut stream) = ask_until(&ann, &id, body, "tier1_start").await;
    correct(&ann, &run, ADDED).await.ok();
    gate.open();
    let events = stream.rest().await;
    assert_eq!(events.last().unwrap().kind(), "complete");
    assert_eq!(kinds(&events).iter().filter(|kind| **kind == "stage2_start").count(), 2, "both were asked");
    let reads: Vec<(String, bool)> = asked(&app.models, AskedFor::Answer)
        .into_iter()
        .map(|request| (request.model.clone(), says(&request, ADDED)))
        .filter(|(model, _)| model == "l/one")
        .collect();
    assert_eq!(reads, [("l/one".to_owned(), true)]);
    assert!(all_say(&asked(&app.models, AskedFor::Review), ADDED));
    app.close().await;
}

#[tokio::test]
async fn a_second_tier_that_is_called_by_the_answers_is_asked_while_it_is_open() {
    let app = TestApp::start().await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |request| {
        let unsure = Script::answer("Perhaps.\n\nCONFIDENCE: 1");
        let script = if request.model == "l/one" { unsure.hold(&held) } else { unsure };
        (request.asked_for() == AskedFor::Answer).then_some(script)
    });
    let ann = with_tiers(&app).await;
    let id = ann.conversation().await;
    let body = json!({"content": "Why?", "use_escalation": true});
    let (run, _, mut stream) = ask_until(&ann, &id, body, "tier2_start").await;
    correct(&ann, &run, ADDED).await.ok();
    gate.open();
    stream.rest().await;
    let reviews = asked(&app.models, AskedFor::Review);
    assert_eq!((reviews.len(), reviews.iter().all(|request| says(request, ADDED))), (4, true));
    app.close().await;
}

#[tokio::test]
async fn a_corrected_question_is_asked_again_with_it_and_nothing_is_paid_twice() {
    let app = TestApp::with("\n[runs]\nmax_live = 1\n").await;
    let gate = held(&app.models, "m/one", AskedFor::Answer);
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let (run, _, mut stream) = ask_until(&ann, &id, json!({"content": "Why?"}), "stage1_start").await;
    correct(&ann, &run, ADDED).await.ok();
    gate.open();
    stream.rest().await;
    let calls = app.models.records().len();

    let retry = |run: String, from: &'static str| {
        let ann = &ann;
        async move {
            let again = ann.post(&format!("/api/runs/{run}/retry"), json!({"from": from})).await.ok();
            let run = again["run_id"].as_str().unwrap().to_owned();
            (run.clone(), ann.events(&run, 0).await.rest().await)
        }
    };
    let (second, events) = retry(run, "stage3").await;
    assert_eq!(find(&events, "run_started")["corrections"][0]["text"], ADDED);
    let paid = app.models.records().split_off(calls).into_iter().map(|record| record.request);
    let paid: Vec<RecordedRequest> = paid.collect();
    assert!(paid.iter().all(|request| request.asked_for() == AskedFor::Synthesis), "{paid:?}");
    assert!(all_say(&paid, ADDED));
    let stored = ann.get(&format!("/api/runs/{second}")).await.ok();
    assert_eq!(stored["metadata"]["corrections"][0]["text"], ADDED);

    // What it has from before is not added a second time.
    let gate = held(&app.models, "m/one", AskedFor::Review);
    let again = ann.post(&format!("/api/runs/{second}/retry"), json!({"from": "stage2"})).await.ok();
    let third = again["run_id"].as_str().unwrap().to_owned();
    let mut stream = ann.events(&third, 0).await;
    stream.until("run_started").await;
    correct(&ann, &third, ADDED).await.ok();
    gate.open();
    let events = stream.rest().await;
    assert!(!kinds(&events).contains(&"correction_added"));
    let stored = ann.get(&format!("/api/runs/{third}")).await.ok();
    assert_eq!(stored["metadata"]["corrections"].as_array().map(Vec::len), Some(1));

    // Nor where it is said again before anybody executes the run.
    let gate = held(&app.models, "m/two", AskedFor::Answer);
    let other = ann.conversation().await;
    let (_, _, mut before) = ask_until(&ann, &other, json!({"content": "Who?"}), "stage1_start").await;
    let again = ann.post(&format!("/api/runs/{third}/retry"), json!({"from": "stage2"})).await.ok();
    let third = again["run_id"].as_str().unwrap().to_owned();
    assert_eq!(ann.get(&format!("/api/runs/{third}")).await.ok()["status"], "queued");
    correct(&ann, &third, ADDED).await.ok();
    gate.open();
    before.rest().await;
    let events = ann.events(&third, 0).await.rest().await;
    assert_eq!(find(&events, "run_started")["corrections"][0]["text"], ADDED);
    assert!(!kinds(&events).contains(&"correction_added"));

    // Where everything is asked again the members read it, too.
    let calls = app.models.records().len();
    let (_, events) = retry(third, "stage1").await;
    assert_eq!(events.last().unwrap().kind(), "complete");
    let answers = app.models.records().split_off(calls);
    let answers = answers.iter().filter(|record| record.request.asked_for() == AskedFor::Answer);
    assert_eq!(answers.map(|record| says(&record.request, ADDED)).collect::<Vec<_>>(), [true; 4]);
    app.close().await;
}

#[tokio::test]
async fn the_answer_to_a_corrected_question_is_not_kept_for_others() {
    let app = TestApp::start().await;
    let gate = held(&app.models, "m/one", AskedFor::Answer);
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let body = json!({"content": "Why?", "use_cache": true});
    let (run, _, mut stream) = ask_until(&ann, &id, body.clone(), "stage1_start").await;
    correct(&ann, &run, ADDED).await.ok();
    gate.open();
    let events = stream.rest().await;
    assert_eq!(find(&events, "cache_not_stored")["reason"], "corrected");
    let id = ann.conversation().await;
    let events = ann.ask(&id, body).await.rest().await;
    assert!(kinds(&events).contains(&"cache_miss"));
    app.close().await;
}

#[tokio::test]
async fn a_question_that_was_corrected_while_it_waited_gets_no_earlier_answer() {
    let app = TestApp::with("\n[runs]\nmax_live = 1\n").await;
    let ann = app.user("ann");
    let body = |mode: &str| json!({"content": "Why?", "use_cache": true, "cache_mode": mode});
    let id = ann.conversation().await;
    let events = ann.ask(&id, body("serve")).await.rest().await;
    assert!(kinds(&events).contains(&"cache_stored"));
    for mode in ["serve", "offer"] {
        let gate = held(&app.models, "m/one", AskedFor::Answer);
        let other = ann.conversation().await;
        let (_, _, mut first) = ask_until(&ann, &other, json!({"content": "Who?"}), "stage1_start").await;
        let id = ann.conversation().await;
        let mut second = ann.ask(&id, body(mode)).await;
        let run = second.until("run_queued").await.json["run_id"].as_str().unwrap().to_owned();
        correct(&ann, &run, ADDED).await.ok();
        let reviews = asked(&app.models, AskedFor::Review).len();
        gate.open();
        first.rest().await;
        let events = second.rest().await;
        assert_eq!(find(&events, "cache_miss")["reason"], "differs", "{mode}");
        assert_eq!(find(&events, "cache_not_stored")["reason"], "corrected", "{mode}");
        let reviews = asked(&app.models, AskedFor::Review).split_off(reviews);
        assert_eq!(reviews.iter().filter(|request| says(request, ADDED)).count(), 4, "{mode}");
    }
    app.close().await;
}

/// Two servers on one database.
async fn two(db: &TestDb, models: &ModelServer, settings: &[(&str, &str)]) -> (Process, Process) {
    let program = Program::council(db, models).set("server.heartbeat_seconds", "1");
    let program = settings.iter().fold(program, |program, (key, value)| program.set(key, value));
    tokio::join!(program.serve(), program.serve())
}

#[tokio::test]
async fn a_correction_is_taken_in_by_way_of_another_server() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let gate = held(&models, "m/one", AskedFor::Answer);
    // Nothing that waits for a lease, or for the next look after leases, happens within the test.
    let (one, other) = two(&db, &models, &[("runs.lease_seconds", "3600")]).await;
    let ann = one.user("ann");
    let id = ann.conversation().await;
    let (run, _, mut stream) = ask_until(&ann, &id, json!({"content": "Why?"}), "stage1_start").await;
    correct(&other.user("ann"), &run, ADDED).await.ok();
    gate.open();
    let events = stream.rest().await;
    assert_eq!(find(&events, "correction_added")["data"]["text"], ADDED);
    assert!(all_say(&asked(&models, AskedFor::Review), ADDED));
    let late = correct(&other.user("ann"), &run, "More.").await;
    assert_eq!(late.status, 409);
}

/// The server that executes the run dies after it has taken one in, or before.
async fn outlives(by_the_one_that_dies: bool) {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let gate = held(&models, "m/one", AskedFor::Answer);
    let (one, other) = two(&db, &models, &[]).await;
    let (run, there) = {
        let ann = one.user("ann");
        let id = ann.conversation().await;
        let (run, _, _stream) = ask_until(&ann, &id, json!({"content": "Why?"}), "stage1_start").await;
        if by_the_one_that_dies {
            correct(&ann, &run, ADDED).await.ok();
        }
        (run, other.user("ann"))
    };
    one.kill();
    if !by_the_one_that_dies {
        correct(&there, &run, ADDED).await.ok();
    }
    gate.open();
    let events = there.events(&run, 0).await.rest().await;
    assert_eq!(events.last().unwrap().kind(), "complete");
    assert_eq!(kinds(&events).iter().filter(|kind| **kind == "correction_added").count(), 1);
    assert!(all_say(&asked(&models, AskedFor::Review), ADDED));
    let stored = there.get(&format!("/api/runs/{run}")).await.ok();
    assert_eq!(stored["metadata"]["corrections"][0]["text"], ADDED);
}

#[tokio::test]
async fn a_correction_outlives_the_server_that_executes_the_run() {
    tokio::join!(outlives(true), outlives(false));
}
