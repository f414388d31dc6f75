//! What comes of a time.

use llm_council::server::schedules::round;
use serde_json::json;

use super::{act, changed, comes, count, ended, every_morning, results, schedule, shown};
use crate::attachments::files::put_into;
use crate::support::app::TestApp;
use crate::support::model_server::{AskedFor, Script};

#[tokio::test]
async fn a_question_is_asked_at_its_time_in_a_conversation_of_its_own() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let request = json!({"content": "What is new about herons?", "system_prompt": "Speak like a sailor.",
                         "mode": "arena", "verbosity": 2});
    let id = schedule(&ann, json!({"request": request})).await;
    let made = shown(&ann, &id).await;
    assert_eq!((&made["request"], &made["cron"]), (&request, &json!("0 8 * * 1-5")));
    assert_eq!((&made["paused"], &made["spent_usd"]), (&json!(false), &json!(0.0)));
    let times = made["next_times"].as_array().unwrap();
    assert_eq!(times.len(), 3);
    for time in times {
        assert!(time.as_str().unwrap().contains("T08:00:00+0"), "{time}");
    }
    // Not before.
    round(&app.app).await.unwrap();
    assert!(results(&ann, &id).await.is_empty());

    comes(&app, "'2026-03-27 07:00:00+00'").await;
    let all = results(&ann, &id).await;
    assert_eq!(all.len(), 1, "{all:?}");
    assert_eq!(all[0]["due_at"], "2026-03-27T07:00:00.000000");
    let (run, conversation) = (&all[0]["run"]["run_id"], &all[0]["run"]["conversation_id"]);
    let run = ended(&ann, run.as_str().unwrap()).await;
    assert_eq!((&run["status"], &run["format"]), (&json!("complete"), &json!("arena")));
    let there = ann.get(&format!("/api/conversations/{}", conversation.as_str().unwrap())).await.ok();
    assert_eq!(there["title"], "2026-03-27 · Herons");
    assert_eq!(there["tags"], json!(["scheduled"]));
    assert_eq!(there["messages"][0]["content"], request["content"]);
    assert!(app.models.records()[0].request.prompt().contains("herons"));
    assert_eq!(app.models.count("m/title"), 0, "it has a title");
    let now = shown(&ann, &id).await;
    assert_eq!(now["last_result"]["run"]["status"], "complete");
    assert_eq!(now["next_times"], made["next_times"], "it goes on with the next time");

    // And once: that time is used up.
    round(&app.app).await.unwrap();
    assert_eq!(results(&ann, &id).await.len(), 1);
    // A conversation that was deleted is no link any more.
    ann.send("DELETE", &format!("/api/conversations/{}", conversation.as_str().unwrap()), None).await.ok();
    assert_eq!(results(&ann, &id).await[0]["run"].get("conversation_id"), None);
    app.close().await;
}

#[tokio::test]
async fn times_that_were_missed_are_one_time() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = schedule(&ann, json!({"cron": "@hourly"})).await;
    comes(&app, "now() - interval '3 days'").await;
    round(&app.app).await.unwrap();
    let all = results(&ann, &id).await;
    assert_eq!(all.len(), 1, "{all:?}");
    ended(&ann, all[0]["run"]["run_id"].as_str().unwrap()).await;
    assert_eq!(count(&app, "SELECT count(*) FROM schedules WHERE next_at > now()").await, 1);
    app.close().await;
}

#[tokio::test]
async fn it_is_asked_anew_each_time_and_with_what_is_in_force_then() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    ann.put("/api/config", json!({"default_options": {"use_cache": true}})).await.ok();
    let id = schedule(&ann, json!({})).await;
    for _ in 0..2 {
        comes(&app, "now()").await;
        let last = results(&ann, &id).await[0]["run"]["run_id"].as_str().unwrap().to_owned();
        let run = ended(&ann, &last).await;
        assert_eq!(run["stage1"].as_array().unwrap().len(), 4, "{run}");
    }
    assert_eq!(app.models.count("m/one"), 4, "answers and reviews of two councils");
    ann.put("/api/config", json!({"council_models": [{"model": "m/two"}, {"model": "m/three"}]})).await.ok();
    comes(&app, "now()").await;
    let last = results(&ann, &id).await[0]["run"]["run_id"].as_str().unwrap().to_owned();
    assert_eq!(ended(&ann, &last).await["stage1"].as_array().unwrap().len(), 2);
    app.close().await;
}

#[tokio::test]
async fn it_can_be_asked_between_times_and_when_it_is_due_stays() {
    let app = TestApp::start().await;
    let (ann, bob) = (app.user("ann"), app.user("bob"));
    let id = schedule(&ann, json!({"paused": true})).await;
    let path = format!("/api/schedules/{id}/run");
    assert_eq!(bob.post(&path, json!({})).await.status, 404);
    let asked = ann.post(&path, json!({})).await.ok();
    ended(&ann, asked["run_id"].as_str().unwrap()).await;
    let all = results(&ann, &id).await;
    assert_eq!(all[0]["run"]["conversation_id"], asked["conversation_id"]);
    assert_eq!(all[0].get("due_at"), None);
    let now = shown(&ann, &id).await;
    assert_eq!((&now["paused"], &now["next_times"]), (&json!(true), &json!([])));
    app.close().await;
}

#[tokio::test]
async fn what_is_paused_is_not_asked_and_goes_on_with_the_next_time() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = schedule(&ann, json!({})).await;
    let paused = changed(&ann, &id, json!({"paused": true})).await;
    assert_eq!((&paused["paused"], paused.get("paused_reason")), (&json!(true), None));
    comes(&app, "now() - interval '1 day'").await;
    assert!(results(&ann, &id).await.is_empty());
    let again = changed(&ann, &id, json!({"paused": false})).await;
    assert_eq!(again["next_times"].as_array().unwrap().len(), 3);
    round(&app.app).await.unwrap();
    assert!(results(&ann, &id).await.is_empty(), "what was missed meanwhile stays missed");
    // Other times count from now on; what is not said stays.
    let often = changed(&ann, &id, json!({"cron": "0 */6 * * *", "budget_usd": 2.5})).await;
    assert_eq!((&often["time_zone"], &often["budget_usd"]), (&json!("Europe/Berlin"), &json!(2.5)));
    assert_ne!(often["next_times"], again["next_times"]);
    let renamed = changed(&ann, &id, json!({"name": "Storks"})).await;
    assert_eq!((&renamed["next_times"], &renamed["budget_usd"]), (&often["next_times"], &json!(2.5)));
    assert_eq!(changed(&ann, &id, json!({"budget_usd": null})).await.get("budget_usd"), None);
    app.close().await;
}

#[tokio::test]
async fn a_refusal_is_kept_with_its_reason_and_the_fifth_in_a_row_pauses() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let preset =
        ann.post("/api/settings/presets", json!({"name": "Quick"})).await.ok()["preset"]["id"].clone();
    let request = json!({"content": "Why?", "preset_id": preset});
    let id = schedule(&ann, json!({"request": request})).await;
    let of_preset = format!("/api/settings/presets/{}", preset.as_str().unwrap());
    ann.send("DELETE", &of_preset, None).await.ok();
    for nth in 1..=4 {
        comes(&app, "now()").await;
        let now = shown(&ann, &id).await;
        assert_eq!((&now["paused"], now.get("paused_reason")), (&json!(false), None), "after {nth}");
        let why = now["last_result"]["refusal"].as_str().unwrap();
        assert_eq!(why, "preset_id must be the id of a preset of yours");
        let problem = &now["last_result"]["problem"];
        assert_eq!((&problem["status"], &problem["errors"][0]["field"]), (&json!(422), &json!("preset_id")));
        assert_eq!(now["last_result"].get("run"), None);
    }
    // One that is asked makes good for those before it.
    let plain = json!({"request": {"content": "Why?"}});
    changed(&ann, &id, plain).await;
    comes(&app, "now()").await;
    let run = results(&ann, &id).await[0]["run"]["run_id"].as_str().unwrap().to_owned();
    ended(&ann, &run).await;
    act(&app, &format!("UPDATE schedules SET request = '{request}'")).await;
    for _ in 1..=5 {
        comes(&app, "now()").await;
    }
    let now = shown(&ann, &id).await;
    assert_eq!(now["paused"], true);
    assert_eq!(now["paused_reason"], "It is paused: 5 times in a row nothing could be asked.");
    assert_eq!(now["paused_fact"], json!({"code": "refused", "times": 5}));
    assert_eq!(results(&ann, &id).await.len(), 10);
    comes(&app, "now()").await;
    assert_eq!(results(&ann, &id).await.len(), 10, "nobody tries any more");
    // Mended, it goes on, and as if nothing had been.
    let again = changed(&ann, &id, json!({"paused": false, "request": {"content": "Why?"}})).await;
    assert_eq!((&again["paused"], again.get("paused_reason")), (&json!(false), None));
    assert_eq!(again.get("paused_fact"), None);
    app.close().await;
}

#[tokio::test]
async fn one_that_never_comes_again_is_paused_and_says_so() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = schedule(&ann, json!({})).await;
    // As after a change of the time zones: nobody could write it down so.
    act(&app, "UPDATE schedules SET cron = '0 0 30 2 *'").await;
    comes(&app, "now()").await;
    let now = shown(&ann, &id).await;
    assert_eq!((&now["paused"], &now["paused_fact"]), (&json!(true), &json!({"code": "no_next_time"})));
    assert!(now["paused_reason"].as_str().unwrap().contains("no next time"), "{now}");
    assert_eq!(results(&ann, &id).await.len(), 0, "nothing was asked or refused");
    app.close().await;
}

#[tokio::test]
async fn what_an_account_may_not_do_its_schedules_may_not() {
    // Two that wait are one too many.
    let app = TestApp::with("\n[runs]\nmax_per_user = 1\nmax_queued_per_user = 0\n").await;
    let ann = app.user("ann");
    let gate = crate::support::model_server::Gate::new();
    let held = gate.clone();
    app.models.rule(move |_| Some(Script::answer("").hold(&held).text("Late.")));
    let (one, two) = (schedule(&ann, json!({})).await, schedule(&ann, json!({"name": "Storks"})).await);
    comes(&app, "now()").await;
    let mut last = vec![results(&ann, &one).await.remove(0), results(&ann, &two).await.remove(0)];
    last.sort_by_key(|result| result.get("refusal").is_some());
    assert_eq!(last[0]["run"]["status"], "running");
    assert!(
        last[1]["refusal"].as_str().unwrap().starts_with("you have too many questions waiting"),
        "{last:?}"
    );
    gate.open();
    ended(&ann, last[0]["run"]["run_id"].as_str().unwrap()).await;
    app.close().await;
}

#[tokio::test]
async fn in_a_project_it_is_asked_as_long_as_one_may_write_there() {
    let app = TestApp::start().await;
    let (ann, bob) = (app.user("ann"), app.user("bob"));
    bob.get("/api/user").await.ok();
    let project = json!({"name": "Herons", "instructions": "Speak of herons."});
    let project = ann.post("/api/projects", project).await.ok()["id"].as_str().unwrap().to_owned();
    let members = format!("/api/projects/{project}/members");
    ann.put(&members, json!({"kind": "user", "name": "bob", "role": "writer"})).await.ok();
    put_into(&ann, &project, "herons.md", b"They wait 26 minutes.").await.ok();
    let mut body = every_morning();
    body["request"]["project_id"] = json!(project);
    let id = bob.post("/api/schedules", body).await.ok()["id"].as_str().unwrap().to_owned();
    comes(&app, "now()").await;
    let run = results(&bob, &id).await[0]["run"].clone();
    ended(&bob, run["run_id"].as_str().unwrap()).await;
    let path = format!("/api/conversations/{}", run["conversation_id"].as_str().unwrap());
    let conversation = bob.get(&path).await.ok();
    assert_eq!(conversation["project_id"], project);
    assert_eq!(conversation["messages"][0]["project_files"][0]["filename"], "herons.md");
    let records = app.models.records();
    let mut members_asked =
        records.iter().filter(|record| record.request.asked_for() == AskedFor::Answer).peekable();
    assert!(members_asked.peek().is_some());
    assert!(members_asked.all(|record| record.request.prompt().contains("They wait 26 minutes.")));
    ann.send("DELETE", &members, Some(&json!({"kind": "user", "name": "bob"}))).await.ok();
    comes(&app, "now()").await;
    let why = results(&bob, &id).await[0]["refusal"].as_str().unwrap().to_owned();
    assert!(why.contains("must be the id of a project in which you may write"), "{why}");
    app.close().await;
}

#[tokio::test]
async fn what_is_removed_asks_nothing_and_its_conversations_stay() {
    let app = TestApp::start().await;
    let (ann, bob) = (app.user("ann"), app.user("bob"));
    let id = schedule(&ann, json!({})).await;
    comes(&app, "now()").await;
    let run = results(&ann, &id).await[0]["run"].clone();
    ended(&ann, run["run_id"].as_str().unwrap()).await;
    let path = format!("/api/schedules/{id}");
    for (method, body) in [("GET", None), ("PATCH", Some(json!({"paused": true}))), ("DELETE", None)] {
        assert_eq!(bob.send(method, &path, body.as_ref()).await.status, 404, "{method}");
    }
    assert_eq!(bob.get(&format!("{path}/results")).await.status, 404);
    assert_eq!(bob.get("/api/schedules").await.ok()["schedules"], json!([]));
    ann.send("DELETE", &path, None).await.ok();
    assert_eq!(ann.get(&path).await.status, 404);
    assert_eq!(count(&app, "SELECT count(*) FROM schedule_results").await, 0);
    let conversation = run["conversation_id"].as_str().unwrap();
    assert_eq!(ann.get(&format!("/api/conversations/{conversation}")).await.status, 200);
    let log = app.admin().get("/api/admin/audit").await.text;
    assert!(log.contains("schedule.create") && log.contains("schedule.remove"), "{log}");
    app.close().await;
}
