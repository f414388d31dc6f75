//! What people think of a run, and what becomes of it in the figures.

use serde_json::{Value, json};

use crate::support::model_server::{Gate, Script};
use crate::support::ranked::{Council, pick, two_runs};

#[tokio::test]
async fn a_person_says_which_answer_was_better_and_may_think_again() {
    let (council, [first, second]) = two_runs().await;
    let ann = council.ann();
    let of_run = format!("/api/runs/{first}/feedback");
    assert_eq!(
        ann.get(&of_run).await.ok(),
        json!({"run_id": first, "thumb": null, "better": null, "comment": null, "updated_at": null})
    );
    let said = ann.put(&of_run, json!({"thumb": "up", "better": {"member": "m/two"}})).await.ok();
    assert_eq!(pick(&said, &["thumb", "better"]), json!(["up", {"member": "m/two"}]));
    assert_eq!(ann.get(&of_run).await.ok(), said);
    let thumbs = async || {
        pick(
            &ann.get("/api/analytics/chairman").await.ok()["models"]["m/chair"],
            &["thumbs_up", "thumbs_down"],
        )
    };
    assert_eq!(thumbs().await, json!([1, 0]));
    assert_eq!(ann.get("/api/analytics/recent").await.ok()["queries"][1]["thumb"], "up");
    // Preferred to both others.
    let people = async || {
        let board = ann.get("/api/analytics/leaderboard?source=people").await.ok();
        board["models"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| pick(row, &["model", "comparisons", "wins"]))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        people().await,
        [json!(["m/two", 2, 2.0]), json!(["m/one", 1, 0.0]), json!(["m/three", 1, 0.0])]
    );
    let ballots = ann.get("/api/analytics/leaderboard").await.ok();
    assert_eq!(ballots["models"][0]["model"], "m/one", "people and ballots are counted apart");

    let said = ann.put(&of_run, json!({"thumb": "down", "better": "council"})).await.ok();
    assert_eq!(
        pick(&said, &["thumb", "better"]),
        json!(["down", "council"]),
        "it takes the place of the first"
    );
    assert_eq!((thumbs().await, people().await), (json!([0, 1]), vec![]));
    let only = ann.put(&of_run, json!({"better": {"member": "m/one"}})).await.ok();
    assert_eq!(pick(&only, &["thumb", "better"]), json!([null, {"member": "m/one"}]));
    assert_eq!(ann.send("DELETE", &of_run, None).await.ok()["deleted"], true);
    assert_eq!(ann.send("DELETE", &of_run, None).await.ok()["deleted"], false);
    let log = council.app.admin().get("/api/admin/audit?action=feedback").await.ok();
    let noted: Vec<[&Value; 3]> = log["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| [&entry["user"], &entry["action"], &entry["target"]])
        .collect();
    assert_eq!(noted, [[&json!("ann"), &json!("feedback.withdraw"), &json!(first)]], "once: there was one");
    assert_eq!(people().await, Vec::<Value>::new());

    let of_second = format!("/api/runs/{second}/feedback");
    for (body, field) in [
        (json!({}), "thumb"),
        (json!({"thumb": null, "better": null}), "thumb"),
        (json!({"thumb": "sideways"}), "thumb"),
        (json!({"thumb": true}), "thumb"),
        (json!({"better": "m/one"}), "better"),
        (json!({"better": {"member": "m/nobody"}}), "better.member"),
        (json!({"better": {"member": 3}}), "better"),
        (json!([]), "body"),
        (json!({"thumb": "down", "comment": "ü".repeat(2_001)}), "comment"),
        (json!({"thumb": "down", "comment": "a\0b"}), "comment"),
        (json!({"thumb": "down", "comment": ["Too long."]}), "comment"),
        (json!({"thumb": "up", "comment": "Too long."}), "comment"),
        (json!({"better": "council", "comment": "Too long."}), "comment"),
    ] {
        assert_eq!(ann.put(&of_second, body.clone()).await.wrong_fields(), [field], "{body}");
    }
    assert_eq!(ann.get(&of_second).await.ok()["updated_at"], Value::Null, "nothing was stored");
    council.app.close().await;
}

#[tokio::test]
async fn what_was_wrong_is_said_beside_a_thumb_down_and_read_by_its_author_alone() {
    let (council, [first, _]) = two_runs().await;
    let ann = council.ann();
    let of_run = format!("/api/runs/{first}/feedback");
    let words = "The quokka was left out.\nAnd it is too long.";
    let said = ann.put(&of_run, json!({"thumb": "down", "comment": format!("  {words} \n")})).await.ok();
    assert_eq!(said["comment"], words);
    assert_eq!(ann.get(&of_run).await.ok(), said);
    let longest = "ü".repeat(2_000);
    let changed = ann.put(&of_run, json!({"thumb": "down", "comment": longest})).await.ok();
    assert_eq!(changed["comment"], longest.as_str());
    for blank in [json!(null), json!(" \n")] {
        ann.put(&of_run, json!({"thumb": "down", "comment": words})).await.ok();
        let removed = ann.put(&of_run, json!({"thumb": "down", "comment": blank})).await.ok();
        assert_eq!(pick(&removed, &["thumb", "comment"]), json!(["down", null]), "{blank}");
    }
    ann.put(&of_run, json!({"thumb": "down", "comment": words})).await.ok();
    ann.put(&of_run, json!({"thumb": "up"})).await.ok();
    let down = ann.put(&of_run, json!({"thumb": "down"})).await.ok();
    assert_eq!(down["comment"], Value::Null, "a thumb up has cleared it");

    ann.put(&of_run, json!({"thumb": "down", "comment": words})).await.ok();
    let shares = format!("/api/conversations/{}/shares", council.conversation);
    let link = ann.post(&shares, json!({})).await.json()["id"].as_str().unwrap().to_owned();
    let (bob, admin) = (council.app.user("bob"), council.app.admin());
    for answer in [
        bob.get(&format!("/api/shares/{link}")).await,
        ann.get(&format!("/api/shares/{link}")).await,
        admin.get("/api/admin/analytics").await,
        admin.get("/api/admin/analytics/chairman").await,
        ann.get("/api/analytics/recent").await,
    ] {
        assert_eq!(answer.status, 200);
        assert!(!answer.text.contains("quokka"), "{}", answer.text);
    }
    assert_eq!(bob.get(&of_run).await.status, 404);
    council.app.close().await;
}

#[tokio::test]
async fn the_database_shows_administrators_no_comment_and_takes_those_of_the_version_before() {
    let (council, [first, _]) = two_runs().await;
    let ann = council.ann();
    let of_run = format!("/api/runs/{first}/feedback");
    ann.put(&of_run, json!({"thumb": "down", "comment": "Too long."})).await.ok();
    let superuser = &mut council.app.db.superuser().await;
    sqlx::raw_sql("SET ROLE llm_council_admin").execute(&mut *superuser).await.unwrap();
    let thumbs: i64 = sqlx::query_scalar("SELECT count(*) FROM feedback WHERE thumb = 'down'")
        .fetch_one(&mut *superuser)
        .await
        .unwrap();
    assert_eq!(thumbs, 1);
    let refused = sqlx::query("SELECT comment FROM feedback").fetch_all(&mut *superuser).await.unwrap_err();
    assert_eq!(refused.as_database_error().unwrap().code().as_deref(), Some("42501"), "{refused}");
    // A version that knows no comments stores a thumb up so.
    sqlx::raw_sql("RESET ROLE; UPDATE feedback SET thumb = 'up'").execute(&mut *superuser).await.unwrap();
    assert_eq!(pick(&ann.get(&of_run).await.ok(), &["thumb", "comment"]), json!(["up", null]));
    council.app.close().await;
}

#[tokio::test]
async fn what_was_wrong_goes_with_its_conversation_and_the_thumb_stays_in_the_figures() {
    let (council, [first, _]) = two_runs().await;
    let ann = council.ann();
    let said = json!({"thumb": "down", "comment": "The quokka was left out."});
    ann.put(&format!("/api/runs/{first}/feedback"), said).await.ok();
    let kept = async || {
        let row =
            sqlx::query_as::<_, (Option<String>, Option<String>)>("SELECT thumb, comment FROM feedback");
        row.fetch_one(&mut council.app.db.superuser().await).await.unwrap()
    };
    let conversation = format!("/api/conversations/{}", council.conversation);
    ann.send("DELETE", &conversation, None).await.ok();
    assert_eq!(kept().await.1.as_deref(), Some("The quokka was left out."), "it can be restored");
    ann.send("DELETE", &format!("{conversation}?purge=true"), None).await.ok();
    assert_eq!(kept().await, (Some("down".to_owned()), None));
    council.app.close().await;
}

#[tokio::test]
async fn a_run_is_judged_when_it_is_over() {
    let council = Council::settle().await;
    let gate = Gate::new();
    let held = gate.clone();
    council.app.models.rule(move |_| Some(Script::answer("").hold(&held).text("Late.")));
    let ann = council.ann();
    let mut events = ann.ask(&council.conversation, json!({"content": "Why?"})).await;
    let run = events.until("run_started").await.json["run_id"].as_str().unwrap().to_owned();
    let answer = ann.put(&format!("/api/runs/{run}/feedback"), json!({"thumb": "up"})).await;
    assert_eq!((answer.status, &answer.json()["run_id"]), (409, &json!(run)));
    gate.open();
    events.rest().await;
    ann.put(&format!("/api/runs/{run}/feedback"), json!({"thumb": "up"})).await.ok();
    council.app.close().await;
}
