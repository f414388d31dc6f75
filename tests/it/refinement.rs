//! Refinement over HTTP: critics that find something, critics that do not, and calls that fail.

use serde_json::{Value, json};

use crate::support::app::TestApp;
use crate::support::events::{Event, find, kinds};
use crate::support::model_server::{AskedFor, Gate, RecordedRequest, Script};
use crate::support::money::plausibly;

const BODY: &str = r#"{"content": "Why?", "use_refinement": true}"#;

/// The events of refinement, with how often each came in a row.
fn steps(events: &[Event]) -> Vec<String> {
    let own = ["refinement_", "iteration_", "critique", "revision_"];
    let mut steps: Vec<(String, usize)> = Vec::new();
    for event in events.iter().filter(|event| own.iter().any(|start| event.kind().starts_with(start))) {
        match steps.last_mut() {
            Some((kind, count)) if *kind == event.kind() => *count += 1,
            _ => steps.push((event.kind().to_owned(), 1)),
        }
    }
    let write = |(kind, count): (String, usize)| match count {
        _ if kind.ends_with("_token") => kind,
        1 => kind,
        _ => format!("{kind} x{count}"),
    };
    steps.into_iter().map(write).collect()
}

fn all<'a>(events: &'a [Event], kind: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event.kind() == kind).map(|event| &event.json).collect()
}

fn one<'a>(events: &'a [Event], kind: &str) -> &'a Value {
    let found = all(events, kind);
    assert_eq!(found.len(), 1, "{kind}");
    found[0]
}

async fn run(app: &TestApp, body: &str) -> (Vec<Event>, Value) {
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let events = ann.ask(&id, serde_json::from_str(body).unwrap()).await.rest().await;
    let stored = ann.get(&format!("/api/conversations/{id}")).await.ok();
    (events, stored["messages"][1].clone())
}

/// One of the four critics names a fault.
fn one_critic_finds_something(app: &TestApp) {
    app.models.rule(|request| {
        let is_content = request.asked_for() == AskedFor::Critique && request.model != "m/two";
        is_content.then(|| Script::answer("No major issues."))
    });
}

/// It may be about a character that nobody sees, or about a mark of models' prompts.
#[tokio::test]
async fn whoever_chooses_criticises_or_revises_reads_the_question_as_it_is() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    ann.put("/api/config", json!({"multi_chairman_models": ["m/one", "m/two"]})).await.ok();
    let question = "What is between a\u{200b}b, and what is <|im_end|>?";
    let mut body = json!({"content": question});
    for option in ["use_multi_chairman", "use_refinement", "use_adversary"] {
        body[option] = json!(true);
    }
    let id = ann.conversation().await;
    let ended = ann.post(&format!("/api/conversations/{id}/message"), body).await.ok();
    assert_eq!(ended["status"], "complete", "{ended}");
    for kind in [AskedFor::Selection, AskedFor::Critique, AskedFor::Revision, AskedFor::Attack] {
        let requests = prompts(&app, kind);
        assert!(!requests.is_empty(), "{kind:?}");
        assert!(requests.iter().all(|request| request.prompt().contains(question)), "{kind:?}");
    }
    app.close().await;
}

#[tokio::test]
async fn how_many_critics_it_takes_for_a_revision_can_be_chosen() {
    let app = TestApp::start().await;
    one_critic_finds_something(&app);
    for (needed, revisions) in [(None, 0), (Some(1), 2), (Some(2), 0)] {
        let mut body = serde_json::from_str::<Value>(BODY).unwrap();
        body["refinement_min_critiques"] = json!(needed);
        let (events, _) = run(&app, &body.to_string()).await;
        assert_eq!(all(&events, "revision_complete").len(), revisions, "{needed:?}");
    }
    let (events, _) =
        run(&app, r#"{"content": "Why?", "use_refinement": true, "refinement_min_critiques": 5}"#).await;
    let told = one(&events, "iteration_complete")["stop_reason"].as_str().unwrap();
    assert!(told.starts_with("4 of 4 critics answered, too few for a revision"), "{told}");

    let ann = app.user("ann");
    ann.put("/api/config", json!({"default_options": {"refinement_min_critiques": 1}})).await.ok();
    assert_eq!(ann.get("/api/refinement/config").await.ok()["min_critiques_for_revision"], 1);
    assert_eq!(app.user("bob").get("/api/refinement/config").await.ok()["min_critiques_for_revision"], 2);
    let (events, _) = run(&app, BODY).await;
    assert_eq!(all(&events, "revision_complete").len(), 2, "by default from now on");
    let id = ann.conversation().await;
    for wrong in [json!(0), json!(8), json!("two")] {
        let body = json!({"content": "Why?", "refinement_min_critiques": wrong});
        let refused = ann.post(&format!("/api/conversations/{id}/message"), body).await;
        assert_eq!(refused.wrong_fields(), ["refinement_min_critiques"], "{wrong}");
    }
    app.close().await;
}

fn prompts(app: &TestApp, kind: AskedFor) -> Vec<RecordedRequest> {
    let requests = app.models.records().into_iter().map(|record| record.request);
    requests.filter(|request| request.asked_for() == kind).collect()
}

#[tokio::test]
async fn a_draft_is_criticised_and_revised_until_the_critics_are_content() {
    let app = TestApp::start().await;
    app.models.rule(|request| {
        let revised = request.prompt().contains("A scripted revision");
        (request.asked_for() == AskedFor::Critique && revised).then(|| Script::answer("No major issues."))
    });
    let (events, message) = run(&app, BODY).await;
    assert_eq!(
        steps(&events),
        [
            "refinement_start",
            "iteration_start",
            "critiques_start",
            "critique_complete x4",
            "critiques_complete",
            "revision_start",
            "revision_token",
            "revision_complete",
            "iteration_complete",
            "iteration_start",
            "critiques_start",
            "critique_complete x4",
            "critiques_complete",
            "refinement_converged",
            "refinement_complete"
        ]
    );
    let kinds: Vec<&str> = events.iter().map(Event::kind).collect();
    let at = |kind: &str| kinds.iter().position(|one| *one == kind).unwrap();
    assert!(at("stage3_complete") < at("refinement_start"));
    assert!(at("refinement_complete") < at("costs_complete"));

    assert_eq!(one(&events, "refinement_start")["max_iterations"], 2);
    assert_eq!(all(&events, "critiques_start")[0]["model_count"], 4);
    let critique = all(&events, "critique_complete")[0];
    assert_eq!((&critique["iteration"], &critique["is_substantive"]), (&json!(1), &json!(true)));
    assert!(critique["model"].is_string() && critique["critique"].as_str().unwrap().contains("the year"));
    assert_eq!(all(&events, "critiques_complete")[0]["substantive_count"], 4);
    assert_eq!(one(&events, "revision_start")["model"], "m/chair", "whoever wrote the draft");
    let tokens: String =
        all(&events, "revision_token").iter().map(|token| token["content"].as_str().unwrap()).collect();
    assert_eq!(tokens, "A scripted revision by m/chair.");
    assert_eq!(one(&events, "revision_complete")["content"], tokens);
    assert_eq!(one(&events, "iteration_complete")["revision"], tokens);
    let converged = one(&events, "refinement_converged");
    assert_eq!((&converged["iteration"], &converged["final_response"]), (&json!(2), &json!(tokens)));
    assert_eq!(converged["reason"], "None of 4 critics named a fault; a revision takes 2.");

    // What is stored is what was told.
    let complete = one(&events, "refinement_complete");
    let stored = &message["metadata"]["refinement"];
    for field in ["iterations", "final_response", "total_iterations", "converged", "total_cost"] {
        assert_eq!(stored[field], complete[field], "{field}");
    }
    assert_eq!((&stored["converged"], &stored["total_iterations"]), (&json!(true), &json!(2)));
    assert_eq!(stored["iterations"][0]["critiques"].as_array().unwrap().len(), 4);
    assert_eq!(stored["iterations"][0]["substantive_count"], 4);
    assert_eq!(stored["iterations"][1]["revision"], json!(null));
    assert_eq!(
        (&stored["total_cost"], &stored["unknown_cost_calls"]),
        (&json!(null), &json!(9)),
        "no prices"
    );
    assert_eq!(message["stage3"]["response"], tokens);
    assert_eq!(message["stage3"]["draft"], "A scripted synthesis by m/chair.");
    assert_eq!(one(&events, "stage3_complete")["data"]["response"], "A scripted synthesis by m/chair.");
    assert_eq!(message["metadata"]["costs"]["by_stage"]["refinement"]["calls"], 9);

    // The critics' texts go to the chairman as data.
    let revision = &prompts(&app, AskedFor::Revision)[0];
    assert!(revision.prompt().contains("[Critique by m/two] BEGIN "));
    assert!(revision.prompt().contains("[Your answer] BEGIN "));
    app.close().await;
}

#[tokio::test]
async fn a_draft_without_faults_stays_as_it_is() {
    let app = TestApp::start().await;
    app.models.rule(|request| match (request.asked_for(), request.model.as_str()) {
        (AskedFor::Critique, "m/one") => Some(Script::answer("The year is wrong: it was 1969.")),
        (AskedFor::Critique, _) => Some(Script::answer("No major issues. The draft is accurate and clear.")),
        _ => None,
    });
    let (events, message) = run(&app, BODY).await;
    assert_eq!(
        steps(&events),
        [
            "refinement_start",
            "iteration_start",
            "critiques_start",
            "critique_complete x4",
            "critiques_complete",
            "refinement_converged",
            "refinement_complete"
        ]
    );
    assert_eq!(
        one(&events, "refinement_converged")["reason"],
        "1 of 4 critics named a fault; a revision takes 2."
    );
    assert_eq!(message["stage3"]["response"], "A scripted synthesis by m/chair.");
    assert_eq!(message["stage3"].get("draft"), None, "nothing took its place");
    assert!(prompts(&app, AskedFor::Revision).is_empty());
    app.close().await;
}

#[tokio::test]
async fn iterations_are_used_up_and_the_last_revision_is_the_answer() {
    let app = TestApp::start().await;
    let (events, message) =
        run(&app, r#"{"content": "Why?", "use_refinement": true, "refinement_max_iterations": 3}"#).await;
    assert_eq!(all(&events, "revision_complete").len(), 3);
    assert!(all(&events, "refinement_converged").is_empty());
    let refinement = &message["metadata"]["refinement"];
    assert_eq!((&refinement["converged"], &refinement["total_iterations"]), (&json!(false), &json!(3)));
    assert_eq!(message["stage3"]["draft"], "A scripted synthesis by m/chair.", "the first text, set once");
    app.close().await;
}

#[tokio::test]
async fn failed_critics_are_told_and_the_others_decide() {
    let app = TestApp::start().await;
    app.models.rule(|request| {
        (request.asked_for() == AskedFor::Critique && request.model == "m/two")
            .then(|| Script::status(503, "overloaded"))
    });
    let (events, message) =
        run(&app, r#"{"content": "Why?", "use_refinement": true, "refinement_max_iterations": 1}"#).await;
    let failed =
        all(&events, "critique_complete").into_iter().find(|event| event["model"] == "m/two").unwrap();
    assert_eq!((&failed["error_kind"], &failed["is_substantive"]), (&json!("overloaded"), &json!(false)));
    assert!(failed["error"].is_string());
    assert_eq!(one(&events, "critiques_complete")["substantive_count"], 3);
    assert!(!prompts(&app, AskedFor::Revision)[0].prompt().contains("Critique by m/two"));
    assert_eq!(message["stage3"]["response"], "A scripted revision by m/chair.");
    app.close().await;
}

#[tokio::test]
async fn without_critics_the_draft_stands_and_nothing_is_said_to_have_converged() {
    let app = TestApp::start().await;
    app.models.rule(|request| {
        (request.asked_for() == AskedFor::Critique && request.model != "m/one")
            .then(|| Script::status(503, "overloaded"))
    });
    let (events, message) = run(&app, BODY).await;
    assert_eq!(
        steps(&events),
        [
            "refinement_start",
            "iteration_start",
            "critiques_start",
            "critique_complete x4",
            "critiques_complete",
            "iteration_complete",
            "refinement_complete"
        ]
    );
    let refinement = &message["metadata"]["refinement"];
    assert_eq!(refinement["converged"], false);
    assert_eq!(
        refinement["iterations"][0]["stop_reason"],
        "1 of 4 critics answered, too few for a revision: the draft stands as it was."
    );
    assert_eq!(message["status"], "complete");
    assert_eq!(message["stage3"]["response"], "A scripted synthesis by m/chair.");
    app.close().await;
}

#[tokio::test]
async fn a_revision_that_fails_leaves_the_draft_before_it() {
    for (script, kind) in [
        (Script::status(503, "overloaded"), "overloaded"),
        (Script::answer("Half of a text ").cut(), "bad_response"),
        (Script::answer("A text that is cut").finish("length"), "bad_response"),
    ] {
        let app = TestApp::start().await;
        app.models.rule(move |request| {
            let second = request.prompt().contains("A scripted revision");
            (request.asked_for() == AskedFor::Revision && second).then(|| script.clone())
        });
        let (events, message) = run(&app, BODY).await;
        let error = one(&events, "revision_error");
        assert_eq!((&error["iteration"], &error["error_kind"]), (&json!(2), &json!(kind)));
        let last = all(&events, "iteration_complete")[1];
        assert_eq!(last["revision"], json!(null));
        assert!(last["stop_reason"].as_str().unwrap().starts_with("m/chair could not revise the draft"));
        let refinement = &message["metadata"]["refinement"];
        assert_eq!((&refinement["converged"], &refinement["total_iterations"]), (&json!(false), &json!(2)));
        assert_eq!(
            message["stage3"]["response"], "A scripted revision by m/chair.",
            "of the first iteration"
        );
        assert_eq!(message["status"], "complete");
        app.close().await;
    }
}

#[tokio::test]
async fn a_chairman_that_rejects_system_prompts_revises_without_one() {
    let app = TestApp::start().await;
    app.models.rule(|request| {
        let messages = request.body["messages"].as_array()?;
        let with_system = messages.iter().any(|message| message["role"] == "system");
        (with_system && (request.model == "m/chair" || request.model == "m/two"))
            .then(|| Script::status(400, r#"{"error":{"message":"system role not supported"}}"#))
    });
    let body = r#"{"content": "Why?", "system_prompt": "Be brief.", "use_refinement": true, "refinement_max_iterations": 1}"#;
    let (events, message) = run(&app, body).await;
    assert_eq!(message["stage3"]["response"], "A scripted revision by m/chair.");
    assert!(all(&events, "critique_complete").iter().all(|critique| critique.get("error").is_none()));
    assert_eq!(prompts(&app, AskedFor::Critique).len(), 5, "m/two was asked twice");
    assert_eq!(prompts(&app, AskedFor::Revision).len(), 2);
    app.close().await;
}

#[tokio::test]
async fn whoever_wrote_for_the_chairman_revises() {
    let app = TestApp::start().await;
    app.models.rule(|request| (request.model == "m/chair").then(|| Script::status(404, "no such model")));
    let (events, message) = run(&app, BODY).await;
    let writer = &message["stage3"]["model"];
    assert_ne!(writer, "m/chair");
    assert_eq!(all(&events, "revision_start")[0]["model"], *writer);
    assert_eq!(message["stage3"]["fallback_for"], "m/chair");
    app.close().await;
}

#[tokio::test]
async fn nothing_is_refined_where_nobody_could_write() {
    let app = TestApp::start().await;
    app.models.rule(|request| {
        (request.asked_for() == AskedFor::Synthesis).then(|| Script::status(503, "overloaded"))
    });
    let body = r#"{"content": "Why?", "use_refinement": true, "use_adversary": true}"#;
    let (events, message) = run(&app, body).await;
    assert!(steps(&events).is_empty());
    assert!(events.iter().all(|event| !event.kind().starts_with("adversary")));
    assert_eq!(message["metadata"].get("refinement"), None);
    app.close().await;
}

#[tokio::test]
async fn stop_in_the_middle_of_a_revision_keeps_the_last_whole_text_as_the_answer() {
    let app = TestApp::start().await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |request| {
        let second = request.prompt().contains("A scripted revision");
        (request.asked_for() == AskedFor::Revision && second)
            .then(|| Script::answer("Half of a better text ").hold(&held))
            .or_else(|| Some(plausibly(request, 0.25)))
    });
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let mut stream = ann.ask(&id, serde_json::from_str(BODY).unwrap()).await;
    let run = stream.until("run_started").await.json["run_id"].as_str().unwrap().to_owned();
    stream.until("revision_complete").await;
    let mut shown = String::new();
    while shown.trim_end() != "Half of a better text" {
        shown.push_str(stream.until("revision_token").await.json["content"].as_str().unwrap());
    }
    ann.post(&format!("/api/runs/{run}/cancel"), json!({})).await.ok();
    let rest = stream.rest().await;
    assert_eq!(kinds(&rest[rest.len() - 2..]), ["costs_complete", "cancelled"]);
    gate.open();
    let stored = ann.get(&format!("/api/conversations/{id}")).await.ok();
    let message = &stored["messages"][1];
    assert_eq!(message["stage3"]["response"], "A scripted revision by m/chair.");
    assert_eq!(message["stage3"]["draft"], "A scripted synthesis by m/chair.");
    assert!(message["stage3"].get("error").is_none());
    let last = &message["metadata"]["refinement"]["iterations"][1];
    assert_eq!(last["unfinished_revision"].as_str().unwrap().trim_end(), "Half of a better text");
    assert_eq!((&last["revision"], &last["stopped"]), (&json!(null), &json!(true)));
    assert_eq!(message["metadata"]["refinement"]["final_response"], message["stage3"]["response"]);

    // What it has cost until then is told and stored, as the ledger has it.
    let costs = &message["metadata"]["costs"];
    assert_eq!(find(&rest, "costs_complete")["data"], *costs);
    let (spent, unknown): (f64, i64) = sqlx::query_as(
        "SELECT sum(cost_usd)::float8, count(*) FILTER (WHERE cost_usd IS NULL AND latency_ms IS NOT NULL)
         FROM calls WHERE run_id = $1::uuid",
    )
    .bind(&run)
    .fetch_one(&mut app.db.superuser().await)
    .await
    .unwrap();
    assert!((costs["total_cost"].as_f64().unwrap() - spent).abs() < 1e-9, "{costs} and {spent}");
    assert_eq!((&costs["unknown_cost_calls"], unknown), (&json!(1), 1), "the revision that was dropped");
    let refinement = &message["metadata"]["refinement"];
    assert_eq!(refinement["total_cost"], costs["by_stage"]["refinement"]["cost"]);
    assert_eq!(refinement["unknown_cost_calls"], 1);

    // The next turn goes on from the answer.
    app.models.rule(|_| None);
    ann.post(&format!("/api/conversations/{id}/message"), json!({"content": "And then?"})).await.ok();
    let asked = prompts(&app, AskedFor::Answer).pop().unwrap();
    assert_eq!(asked.body["messages"][1]["content"], "A scripted revision by m/chair.");
    app.close().await;
}

#[tokio::test]
async fn a_wrong_number_of_iterations_is_named() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    for wrong in [json!(0), json!(6), json!(-1), json!(1_000_000)] {
        let body = json!({"content": "Why?", "use_refinement": true, "refinement_max_iterations": wrong});
        let answer = ann.post(&format!("/api/conversations/{id}/message"), body).await;
        assert_eq!(answer.wrong_fields(), ["refinement_max_iterations"]);
        let message = answer.json()["errors"][0]["message"].as_str().unwrap().to_owned();
        assert_eq!(message, format!("must be from 1 to 5; it is {wrong}"));
    }
    app.close().await;
}

#[tokio::test]
async fn a_client_can_ask_how_a_draft_is_refined() {
    let app = TestApp::start().await;
    let config = app.user("ann").get("/api/refinement/config").await.ok();
    assert_eq!((&config["default_max_iterations"], &config["max_iterations_limit"]), (&json!(2), &json!(5)));
    assert_eq!(config["min_critiques_for_revision"], 2);
    assert!(config["non_substantive_phrases"].as_array().unwrap().contains(&json!("no major issues")));
    assert_eq!(config["critic_models"], json!(["m/one", "m/two", "m/three", "m/four"]));
    assert_eq!(config["chairman_model"], "m/chair");
    assert_eq!(app.user("ann").without_identity().get("/api/refinement/config").await.status, 401);
    app.close().await;
}
