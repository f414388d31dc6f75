//! Texts of an administrator in the place of the built-in ones: who is asked with them, how long a run keeps them, and what
//! is refused at start.

use serde_json::{Value, json};

use crate::support::app::TestApp;
use crate::support::db::TestDb;
use crate::support::model_server::{AskedFor, Gate, ModelServer, Record, plausible};
use crate::support::process::Program;

/// What a reviewer is asked here; `{mark}` tells one text from another.
const REVIEW: &str = "MARK: judge like an editor.\n\n{conversation}{question}\n\n{answers}\n\n{rule}{steps}\n\nFINAL RANKING:\n{example}";

fn review(mark: &str) -> String {
    REVIEW.replace("MARK", mark)
}

/// As a table of a configuration file.
fn toml(texts: &[(&str, &str)]) -> String {
    let lines = texts.iter().map(|(name, text)| format!("{name} = '''\n{text}\n'''\n"));
    format!("\n[prompts]\n{}", lines.collect::<String>())
}

fn reviews(records: &[Record]) -> Vec<String> {
    let asked = records.iter().filter(|record| record.request.asked_for() == AskedFor::Review);
    asked.map(|record| record.request.prompt().to_owned()).collect()
}

#[tokio::test]
async fn a_text_of_the_administrator_reaches_the_models_and_the_run_names_it() {
    let own =
        toml(&[("review", &review("Here")), ("routing_kinds", "CODING CREATIVE FACTUAL ANALYSIS GENERAL")]);
    let app = TestApp::with(&own).await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let events = ann.ask(&id, json!({"content": "Why is the sky blue?"})).await.rest().await;
    let asked = reviews(&app.models.records());
    assert_eq!(asked.len(), 4);
    for prompt in &asked {
        assert!(prompt.starts_with("Here: judge like an editor.\n\n"), "{prompt}");
        assert!(
            prompt.contains("Why is the sky blue?") && prompt.contains("A scripted answer of m/one"),
            "{prompt}"
        );
        assert!(!prompt.ends_with('\n'), "it ends as the built-in text does");
    }
    let told = &events[0].json["prompts"];
    assert_eq!(told[0]["name"], "review", "{told}");
    assert_eq!(told.as_array().unwrap().len(), 1, "what the run cannot use is none of its own: {told}");
    let version = told[0]["version"].as_str().unwrap();
    assert!(version.len() == 6 && version.chars().all(|c| c.is_ascii_hexdigit()), "{version}");
    let stored = ann.get(&format!("/api/conversations/{id}")).await.ok();
    assert_eq!(stored["messages"][1]["metadata"]["prompts"], *told);
    assert_eq!(stored["messages"][1]["stage2"][0]["parse"], "strict", "and its ballots are read as ever");
    let config = ann.get("/api/config").await.ok();
    let names: Vec<&Value> = config["prompts"].as_array().unwrap().iter().map(|own| &own["name"]).collect();
    assert_eq!(names, ["review", "routing_kinds"]);
    assert_eq!(config["prompts"][0], told[0]);
    assert!(!config.to_string().contains("judge like an editor"), "the texts are the administrator's");
    // Whoever is only classified is asked with them as well.
    ann.post("/api/routing/classify", json!({"query": "Why?"})).await.ok();
    let classified = app.models.records().pop().unwrap();
    assert!(
        classified.request.prompt().contains("CODING CREATIVE FACTUAL"),
        "{}",
        classified.request.prompt()
    );
    app.close().await;
}

#[tokio::test]
async fn a_run_without_own_texts_says_nothing_of_them() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let events = ann.ask(&id, json!({"content": "Why?"})).await.rest().await;
    assert_eq!(events[0].json["prompts"], Value::Null);
    let stored = ann.get(&format!("/api/conversations/{id}")).await.ok();
    assert_eq!(stored["messages"][1]["metadata"]["prompts"], Value::Null);
    assert_eq!(ann.get("/api/config").await.ok()["prompts"], json!([]));
    app.close().await;
}

#[tokio::test]
async fn a_run_under_way_keeps_its_texts_when_the_server_comes_back_with_others() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let gate = Gate::new();
    let held = gate.clone();
    models.rule(move |request| {
        let waits = request.model == "m/one" && request.asked_for() == AskedFor::Answer;
        waits.then(|| plausible(request).hold(&held))
    });
    let program = Program::council(&db, &models).set("runs.lease_seconds", "1");
    let before = program.clone().set("prompts.review", &review("Before")).serve().await;
    let ann = before.user("ann");
    let id = ann.conversation().await;
    let mut stream = ann.ask(&id, json!({"content": "Why?"})).await;
    let started = stream.until("run_started").await;
    let run = started.json["run_id"].as_str().unwrap().to_owned();
    for _ in 0..3 {
        stream.until("stage1_model_complete").await;
    }
    before.kill();

    let after = program.set("prompts.review", &review("After")).serve().await;
    gate.open();
    let ann = after.user("ann");
    let events = ann.events(&run, 0).await.rest().await;
    assert_eq!(events.last().unwrap().kind(), "complete");
    let asked = reviews(&models.records());
    assert!(!asked.is_empty() && asked.iter().all(|prompt| prompt.starts_with("Before: ")), "{asked:?}");
    let message = ann.get(&format!("/api/conversations/{id}")).await.ok()["messages"][1].clone();
    assert_eq!(message["metadata"]["prompts"], started.json["prompts"], "and says which they were");

    // The next one is asked in the words of now; the same answer asked for again in those of then.
    let next = ann.conversation().await;
    let events = ann.ask(&next, json!({"content": "Why?"})).await.rest().await;
    assert_ne!(events[0].json["prompts"], started.json["prompts"]);
    let asked = reviews(&models.records());
    assert!(asked.last().unwrap().starts_with("After: "));
    let again = ann.post(&format!("/api/runs/{run}/retry"), json!({"from": "stage2"})).await.ok();
    let events = ann.events(again["run_id"].as_str().unwrap(), 0).await.rest().await;
    assert_eq!(events[0].json["prompts"], started.json["prompts"]);
}

#[tokio::test]
async fn texts_that_would_leave_replies_unread_are_refused_at_start_all_at_once() {
    let file = toml(&[
        ("review", "Judge {answers} of {qestion}.\n{conversation}{rule}{steps}{example}"),
        ("reveiw", "?"),
        ("title", "   "),
        ("severity_form", "SEVERITY: <a word>"),
        ("chairman", "{material} {notes}"),
        ("confidence", "Say how sure you are, of {question}."),
    ]);
    let program = Program::plain().file("config.toml", &file).set("prompts.critiqe", "?");
    let ended = program.run(&["serve"]).await;
    assert_eq!(ended.code, Some(78), "{}", ended.stderr);
    for expected in [
        "prompts.review (from config.toml): must contain {question}, where the program puts something in",
        "prompts.review (from config.toml): has no place {qestion}; did you mean {question}?",
        "prompts.review (from config.toml): must contain `FINAL RANKING:`, word for word: replies are read by it",
        "prompts.reveiw (from config.toml): there is no such key; did you mean prompts.review?",
        "prompts.title (from config.toml): must not be empty; without this key models are asked in this program's words",
        "prompts.severity_form (from config.toml): must contain `critical`, `major`, `minor` and `none`, word for word",
        "prompts.chairman (from config.toml): must contain {rule}, where",
        "prompts.confidence (from config.toml): has no place {question}: nothing is put into this text",
        "prompts.confidence (from config.toml): must contain `CONFIDENCE:`, word",
        "prompts.critiqe (from LLM_COUNCIL__PROMPTS__CRITIQE): there is no such key; did you mean prompts.critique?",
    ] {
        assert_eq!(ended.stderr.matches(expected).count(), 1, "{expected}: {}", ended.stderr);
    }
    assert_eq!(ended.stderr.matches("prompts.").count(), 12, "and nothing else: {}", ended.stderr);
}

#[tokio::test]
async fn the_texts_are_printed_as_the_section_of_a_configuration() {
    let program = Program::plain();
    let all = program.run(&["prompts"]).await;
    assert_eq!(all.code, Some(0), "{}", all.stderr);
    let table: toml::Table = toml::from_str(&all.stdout).unwrap();
    assert!(table["prompts"].as_table().unwrap().len() > 60);

    let one = program.run(&["prompts", "--name", "review"]).await;
    for expected in [
        "[prompts]\n",
        "# What a reviewer is asked.\n",
        "# Places, all of them needed: {conversation}, {question}, {answers}, {rule}, {steps}, {example}\n",
        "# Needed word for word, since replies are read by it: FINAL RANKING:\n",
        "review = '''\nYou are judging answers to a question.",
    ] {
        assert!(one.stdout.contains(expected), "{expected}: {}", one.stdout);
    }
    assert_eq!(one.stdout.matches("'''").count(), 2, "only this one");
    // What was printed is a configuration that a server takes.
    let taken =
        Program::plain().file("config.toml", &one.stdout).run(&["prompts", "--name", "reviews"]).await;
    assert_eq!(taken.code, Some(1));
    assert!(
        taken.stderr.contains("there is no text \"reviews\"; did you mean \"review\"?"),
        "{}",
        taken.stderr
    );
}

#[tokio::test]
async fn runs_that_are_asked_with_the_same_texts_keep_them_once() {
    let app = TestApp::start().await;
    let (ann, bob) = (app.user("ann"), app.user("bob"));
    for user in [&ann, &bob, &ann] {
        let id = user.conversation().await;
        user.post(&format!("/api/conversations/{id}/message"), json!({"content": "Why?"})).await.ok();
    }
    let mut superuser = app.db.superuser().await;
    let sets: i64 =
        sqlx::query_scalar("SELECT count(*) FROM prompt_sets").fetch_one(&mut superuser).await.unwrap();
    assert_eq!(sets, 1);
    let longest: i32 = sqlx::query_scalar("SELECT max(octet_length(plan::text)) FROM runs")
        .fetch_one(&mut superuser)
        .await
        .unwrap();
    assert!(longest < 3_000, "a plan of {longest} bytes");

    // Asked again, a run is asked with its own texts or not at all.
    let id = ann.conversation().await;
    let asked = ann.post(&format!("/api/conversations/{id}/message"), json!({"content": "How?"})).await.ok();
    let again = format!("/api/runs/{}/retry", asked["run_id"].as_str().unwrap());
    sqlx::query("UPDATE prompt_sets SET texts = jsonb_set(texts, '{rule}', '\"An older rule.\"')")
        .execute(&mut superuser)
        .await
        .unwrap();
    let before = app.models.records().len();
    let run = ann.post(&again, json!({"from": "stage2"})).await.ok()["run_id"].clone();
    let run = run.as_str().unwrap();
    ann.events(run, 0).await.rest().await;
    let prompts = reviews(&app.models.records()[before..]);
    assert!(prompts.iter().all(|prompt| prompt.contains("An older rule.")), "{prompts:?}");
    assert_eq!(prompts.len(), 4);
    sqlx::query("DELETE FROM prompt_sets").execute(&mut superuser).await.unwrap();
    let lost = ann.post(&format!("/api/runs/{run}/retry"), json!({"from": "stage2"})).await;
    assert_eq!(lost.status, 409, "{}", lost.text);
    // What is asked next keeps them anew.
    let id = bob.conversation().await;
    bob.post(&format!("/api/conversations/{id}/message"), json!({"content": "Why?"})).await.ok();
    app.close().await;
}
