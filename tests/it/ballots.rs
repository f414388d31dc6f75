//! Votes for one's own answer, corrected by what is known of their authors, and how certain the first place is.

use futures_util::stream::{self, StreamExt as _};
use serde_json::{Value, json};

use crate::support::app::{TestApp, User};
use crate::support::judged::{self, MEMBERS, hit, judge, uncorrected_hit};
use crate::support::model_server::{AskedFor, Gate, Script};
use crate::support::ranked::pick;

/// How many questions are asked at once.
const AT_ONCE: usize = 4;

fn facts(run: &Value) -> &Value {
    &run["metadata"]["aggregate"]
}

/// Asks these questions, and says of each whether the best answer came first: as the ballots were counted, and as they
/// would have counted uncorrected.
async fn hits(user: &User<'_>, questions: std::ops::Range<usize>, options: Value) -> Vec<(f64, f64)> {
    stream::iter(questions)
        .map(|number| {
            let options = options.clone();
            async move {
                let run = judged::ask(user, number, options).await;
                (hit(&run, number), uncorrected_hit(&run, number))
            }
        })
        .buffer_unordered(AT_ONCE)
        .collect()
        .await
}

/// The mean and its standard error.
fn mean(of: impl ExactSizeIterator<Item = f64> + Clone) -> (f64, f64) {
    let n = f64::from(u32::try_from(of.len()).expect("not that many"));
    let mean = of.clone().sum::<f64>() / n;
    let variance = of.map(|one| (one - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, (variance / n).sqrt())
}

/// Asks these questions, and gives the share of best answers that came first, with its standard error.
async fn share(user: &User<'_>, questions: std::ops::Range<usize>, options: Value) -> (f64, f64) {
    mean(hits(user, questions, options).await.iter().map(|hit| hit.0))
}

#[tokio::test]
async fn a_request_says_what_own_votes_count_by_name_or_by_the_old_flag() {
    let app = TestApp::start().await;
    judge(&app, [0.0; 4]);
    let ann = app.user("ann");
    for (options, counts, flag) in [
        (json!({}), "adjusted", true),
        (json!({"self_votes": "counted"}), "counted", true),
        (json!({"self_votes": "left_out"}), "left_out", false),
        (json!({"count_self_votes": true}), "counted", true),
        (json!({"count_self_votes": false}), "left_out", false),
        (json!({"count_self_votes": false, "self_votes": "adjusted"}), "adjusted", true),
        (json!({"count_self_votes": null, "self_votes": null}), "adjusted", true),
    ] {
        let run = judged::ask(&ann, 1, options.clone()).await;
        assert_eq!(
            pick(facts(&run), &["self_votes", "count_self_votes"]),
            json!([counts, flag]),
            "{options}"
        );
    }
    let conversation = ann.conversation().await;
    let path = format!("/api/conversations/{conversation}/message");
    let wrong =
        ann.post(&path, json!({"content": "?", "self_votes": "never", "count_self_votes": "yes"})).await;
    let mut fields = wrong.wrong_fields();
    fields.sort_unstable();
    assert_eq!(fields, ["count_self_votes", "self_votes"]);

    // A default option holds where a request says nothing, in either way of saying it.
    ann.put("/api/config", json!({"default_options": {"self_votes": "left_out"}})).await.ok();
    for (options, counts) in [
        (json!({}), "left_out"),
        (json!({"count_self_votes": true}), "counted"),
        (json!({"self_votes": "adjusted"}), "adjusted"),
    ] {
        let run = judged::ask(&ann, 1, options.clone()).await;
        assert_eq!(facts(&run)["self_votes"], counts, "{options}");
    }
    // The setting of older clients, where nothing else is said.
    let bob = app.user("bob");
    bob.put("/api/config", json!({"count_self_votes": true})).await.ok();
    assert_eq!(facts(&judged::ask(&bob, 1, json!({})).await)["self_votes"], "counted");
    assert_eq!(bob.get("/api/config").await.ok()["count_self_votes"], true);
    app.close().await;
}

/// Of a new user nothing is known: their first ballots count as they were cast, to the last digit.
#[tokio::test]
async fn a_first_run_corrects_nothing_and_says_how_certain_it_is() {
    let app = TestApp::start().await;
    judge(&app, [0.0; 4]);
    let ann = app.user("ann");
    let adjusted = judged::ask(&ann, 3, json!({})).await;
    let counted = judged::ask(&app.user("bob"), 3, json!({"self_votes": "counted"})).await;
    // The reading order is each run's own, and with it the ballots: only what holds of any is compared.
    for run in [&adjusted, &counted] {
        let rows = run["metadata"]["aggregate_rankings"].as_array().unwrap();
        let reviews = run["stage2"].as_array().unwrap();
        for row in rows {
            let place = |review: &Value| {
                let ranking = review["parsed_ranking"].as_array().unwrap();
                1 + ranking.iter().position(|label| *label == row["label"]).unwrap()
            };
            let sum: usize = reviews.iter().map(place).sum();
            let mean = f64::from(u32::try_from(sum).unwrap()) / 4.0;
            assert_eq!(row["average_rank"], (mean * 100.0).round() / 100.0, "{row}");
            assert_eq!(row["uncorrected_rank"], Value::Null);
        }
        let certainty = &facts(run)["certainty"];
        assert_eq!(pick(certainty, &["ballots", "runs", "picks"]), json!([4, 0, 0]));
        let (worth, probability) =
            (certainty["worth"].as_f64().unwrap(), certainty["first_is_best"].as_f64().unwrap());
        assert!((1.0..=4.0).contains(&worth) && (0.25..1.0).contains(&probability), "{certainty}");
        let said = certainty["explanation"].as_str().unwrap();
        assert!(said.starts_with(&format!("4 ballots, worth about {worth}; ")), "{said}");
    }
    assert_eq!(facts(&adjusted)["corrections"], Value::Null);
    app.close().await;
}

/// A member that always puts itself first is corrected as its author's record grows; what was decided stays.
#[tokio::test]
async fn a_preference_is_learned_and_changes_nothing_that_was_decided() {
    let app = TestApp::with("\n[runs]\nmax_per_user = 8\n").await;
    judge(&app, [4.0, 0.0, 0.0, 0.0]);
    let ann = app.user("ann");
    let first = judged::ask(&ann, 0, json!({})).await;
    let stored = async || {
        let path = format!("/api/conversations/{}", first["conversation_id"].as_str().unwrap());
        ann.get(&path).await.ok()["messages"][1].clone()
    };
    let before = stored().await;
    share(&ann, 1..30, json!({})).await;
    let known = judged::ask(&ann, 30, json!({})).await;
    let corrections = facts(&known)["corrections"].as_array().unwrap();
    let of_one = corrections.iter().find(|correction| correction["member"] == "m/one").unwrap();
    assert_eq!(pick(of_one, &["model", "ballots", "others_ballots"]), json!(["m/one", 30, 0]));
    // Four standard deviations are 1.1 places of four (by simulation: 0.37 of the ranking); 30 of 37 parts are learned.
    let preference = of_one["preference"].as_f64().unwrap();
    assert!((0.5..1.5).contains(&preference), "{of_one}");
    let counted_place = of_one["counted_place"].as_f64().unwrap();
    assert!(
        (counted_place - (of_one["place"].as_f64().unwrap() + preference).min(4.0)).abs() < 0.011,
        "{of_one}"
    );
    let row = |member: &str| {
        let rows = known["metadata"]["aggregate_rankings"].as_array().unwrap();
        rows.iter().find(|row| row["member"] == member).unwrap().clone()
    };
    assert!(row("m/one")["uncorrected_rank"].as_f64() < row("m/one")["average_rank"].as_f64());
    assert_eq!(stored().await, before, "the ledger has grown since");

    // As a reviewer: it prefers itself, and nobody else clearly does.
    let reviewers = ann.get("/api/analytics/reviewers").await.ok();
    let one = &reviewers["models"]["m/one"];
    assert_eq!(pick(one, &["ballots"]), json!([31]));
    let own = &one["own"];
    assert!(own["mean"].as_f64().unwrap() > 2.0 * own["error"].as_f64().unwrap(), "{own}");
    let position: f64 =
        MEMBERS.iter().map(|member| reviewers["models"][member]["position"]["mean"].as_f64().unwrap()).sum();
    assert!(position / 4.0 > 0.1, "what is read first is placed better: {reviewers}");
    // What it says of its own answer is not taken for a leaning to anything else.
    let (mean, error) = (one["length"]["mean"].as_f64().unwrap(), one["length"]["error"].as_f64().unwrap());
    assert!(mean.abs() <= 3.5 * error, "{one}");
    assert_eq!(one["family"], Value::Null, "all four are of one maker");

    // Somebody else's councils begin where everybody's figures are, once these are read, and show none of ann's names.
    let bob = app.user("bob");
    assert_eq!(facts(&judged::ask(&bob, 31, json!({})).await)["corrections"], Value::Null);
    app.app.reviewers.refresh(&app.app.db).await.unwrap();
    let others = judged::ask(&bob, 32, json!({})).await;
    let corrections = facts(&others)["corrections"].as_array().unwrap();
    let of_one = corrections.iter().find(|correction| correction["member"] == "m/one").unwrap();
    assert_eq!(pick(of_one, &["ballots", "others_ballots"]), json!([1, 31]));
    assert!(of_one["preference"].as_f64().unwrap() > 0.4, "{of_one}");

    // Who begins anew begins with what everybody's councils say.
    ann.send("DELETE", "/api/analytics", None).await.ok();
    assert_eq!(ann.get("/api/analytics/reviewers").await.ok()["models"], json!({}));
    app.close().await;
}

/// What is known counts as it was when the run began, however much is learned before its reviews are in.
#[tokio::test]
async fn a_run_goes_by_what_was_known_when_it_began() {
    let app = TestApp::with("\n[runs]\nmax_per_user = 8\n").await;
    judge(&app, [4.0, 0.0, 0.0, 0.0]);
    let ann = app.user("ann");
    share(&ann, 0..4, json!({})).await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |request| {
        let script = judged::script(request, [4.0, 0.0, 0.0, 0.0]);
        let waits = request.model == "m/one" && request.asked_for() == AskedFor::Answer;
        let slow = waits && request.prompt().contains("question no. 100.");
        Some(if slow { Script::answer("").hold(&held).text("The answer of m/one.") } else { script })
    });
    let slow = async {
        let run = judged::ask(&ann, 100, json!({"models": MEMBERS})).await;
        run["run_id"].as_str().unwrap().to_owned()
    };
    let others = async {
        app.models.until(|records| records.iter().any(|one| one.request.prompt().contains("no. 100."))).await;
        share(&ann, 4..8, json!({})).await;
        gate.open();
    };
    let (slow, ()) = tokio::join!(slow, others);
    let run = ann.get(&format!("/api/runs/{slow}")).await.ok();
    let corrections = facts(&run)["corrections"].as_array().unwrap();
    assert!(corrections.iter().all(|correction| correction["ballots"] == 4), "{corrections:?}");
    app.close().await;
}

/// People's words on which answer was the best calibrate what is said of the first.
#[tokio::test]
async fn people_s_picks_calibrate_the_certainty() {
    let app = TestApp::with("\n[runs]\nmax_per_user = 8\n").await;
    judge(&app, [0.0; 4]);
    let ann = app.user("ann");
    for number in 0..6 {
        let run = judged::ask(&ann, number, json!({})).await;
        let rows = run["metadata"]["aggregate_rankings"].as_array().unwrap();
        let last = rows.last().unwrap()["member"].as_str().unwrap();
        let path = format!("/api/runs/{}/feedback", run["run_id"].as_str().unwrap());
        ann.put(&path, json!({"better": {"member": last}})).await.ok();
    }
    app.app.reviewers.refresh(&app.app.db).await.unwrap();
    let run = judged::ask(&ann, 7, json!({})).await;
    let certainty = &facts(&run)["certainty"];
    assert_eq!(certainty["picks"], 6);
    assert!(certainty["first_is_best"].as_f64() < certainty["uncalibrated"].as_f64(), "{certainty}");
    app.close().await;
}

/// Over HTTP, counted and adjusted votes find the best answer equally often where nobody prefers itself. Few questions say
/// little; `LLM_COUNCIL_QUESTIONS=2000 cargo test --test it nobody_prefers_itself -- --nocapture` asks more, and prints
/// what docs/ballots.md quotes.
#[tokio::test]
async fn where_nobody_prefers_itself_nothing_is_lost_by_correcting() {
    let questions: usize =
        std::env::var("LLM_COUNCIL_QUESTIONS").ok().and_then(|given| given.parse().ok()).unwrap_or(24);
    let app = TestApp::with("\n[runs]\nmax_per_user = 8\n").await;
    judge(&app, [0.0; 4]);
    let both = hits(&app.user("ann"), 0..questions, json!({})).await;
    let adjusted = mean(both.iter().map(|hit| hit.0));
    // The same ballots, counted as they were cast.
    let gain = mean(both.iter().map(|hit| hit.0 - hit.1));
    println!(
        "adjusted less counted, on the same ballots: {:+.2} points ± {:.2}",
        100.0 * gain.0,
        100.0 * gain.1
    );
    let counted = share(&app.user("bob"), 0..questions, json!({"self_votes": "counted"})).await;
    let left_out = share(&app.user("cid"), 0..questions, json!({"self_votes": "left_out"})).await;
    for (name, (mean, error)) in [("adjusted", adjusted), ("counted", counted), ("left out", left_out)] {
        println!("{name}: {:.1} % ± {:.1} of {questions}", 100.0 * mean, 100.0 * error);
    }
    // Four standard errors: it fails once in ten thousand times by chance, and the questions are always the same.
    let error = f64::hypot(adjusted.1, counted.1);
    assert!((adjusted.0 - counted.0).abs() < 4.0 * error.max(0.02), "{adjusted:?} {counted:?}");
    assert!(gain.0 > -0.01 - 4.0 * gain.1, "{gain:?}");
    assert!(adjusted.0 > 0.25, "better than chance");
    app.close().await;
}
