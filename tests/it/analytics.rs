//! Figures over runs whose rankings are known, worked out by hand; what removes them, and what does not.

use futures_util::future::join_all;
use llm_council::id::UserId;
use llm_council::runs::records::records;
use llm_council::store::{Scope, conversations};
use serde_json::{Value, json};

use crate::support::app::{TestApp, User};
use crate::support::model_server::{AskedFor, Script};
use crate::support::ranked::{Council, MEMBERS, ask_with, label_of, pick, two_runs, usage};

#[tokio::test]
async fn figures_by_model_are_what_two_known_runs_make_them() {
    let (council, _) = two_runs().await;
    let found = council.ann().get("/api/analytics").await.ok();
    let names: Vec<&String> = found["models"].as_object().unwrap().keys().collect();
    assert_eq!(
        names,
        ["m/one", "m/two", "m/three", "m/chair", "m/title"],
        "who wins most first, the unranked last"
    );
    let fields = [
        "total_queries",
        "ranked_queries",
        "wins",
        "win_rate",
        "average_rank",
        "average_confidence",
        "rank_distribution",
        "total_calls",
        "failures",
        "total_tokens",
        "total_prompt_tokens",
        "total_cost",
        "unknown_cost_calls",
        "estimated_cost_calls",
    ];
    let of = |model: &str| pick(&found["models"][model], &fields);
    // A first place alone and a third of one; ranks 1 and 1.5; confidences 9 and 7. Two answers and two
    // reviews, of which the answers say their cost.
    assert_eq!(of("m/one"), json!([2, 2, 1.33, 66.7, 1.25, 8.0, {"1": 2}, 4, 0, 60, 40, 0.5, 2, 0]));
    // A second place and a third of a first; ranks 1.5 and 1.5.
    assert_eq!(of("m/two"), json!([2, 2, 0.33, 16.7, 1.5, null, {"1": 1, "2": 1}, 4, 0, 60, 40, null, 4, 0]));
    assert_eq!(
        of("m/three"),
        json!([2, 2, 0.33, 16.7, 1.75, 5.0, {"1": 1, "3": 1}, 4, 0, 60, 40, null, 4, 0])
    );
    assert_eq!(of("m/chair"), json!([0, 0, 0.0, null, null, null, {}, 2, 0, 30, 20, null, 2, 0]));
    for model in MEMBERS {
        let latency = &found["models"][model]["latency_ms"];
        let [average, median, p95] = ["average", "median", "p95"].map(|name| latency[name].as_f64().unwrap());
        assert!(median <= p95 && average <= p95, "{latency}");
    }
    assert_eq!(found["models"]["m/chair"]["latency_ms"], Value::Null, "it answered nothing");
    let summary = &found["summary"];
    let fields = [
        "total_queries",
        "unique_models",
        "total_calls",
        "total_tokens",
        "total_cost",
        "unknown_cost_calls",
        "cleared_at",
    ];
    assert_eq!(pick(summary, &fields), json!([2, 3, 15, 225, 0.5, 13, null]), "4 + 4 + 4 + 2 + 1 calls");
    assert!(summary["date_range"]["start"].as_str() < summary["date_range"]["end"].as_str());
    assert_eq!(
        found["models"]
            .as_object()
            .unwrap()
            .values()
            .map(|m| m["total_calls"].as_i64().unwrap())
            .sum::<i64>(),
        15
    );

    // The same for administrators, over everybody.
    let all = council.app.admin().get("/api/admin/analytics").await.ok();
    assert_eq!(all["models"], found["models"]);
    let log = council.app.admin().get("/api/admin/audit").await.ok();
    assert!(log["entries"].as_array().unwrap().iter().any(|entry| entry["action"] == "analytics.read"));
    assert_eq!(council.app.user("bob").get("/api/analytics").await.ok()["models"], json!({}));
    council.app.close().await;
}

#[tokio::test]
async fn a_visit_to_everybody_s_figures_is_one_line_of_the_audit_log() {
    let app = TestApp::start().await;
    let (root, rita) = (app.admin(), app.user("rita").with("remote-groups", "admins"));
    // As the page asks for them, all at once.
    let parts = ["", "/days", "/chairman", "/reviewers", "/head-to-head", "/council", "/leaderboard"];
    let visit = async |who: &User<'_>, query: &str| {
        let paths = parts.map(|part| format!("/api/admin/analytics{part}{query}"));
        for answer in join_all(paths.iter().map(|path| who.get(path))).await {
            answer.ok();
        }
    };
    let looks = async || {
        let log = root.get("/api/admin/audit?action=analytics.read").await.ok();
        let entries = log["entries"].as_array().unwrap().clone();
        entries.iter().map(|entry| json!([entry["user"], entry["details"]["from"]])).collect::<Vec<_>>()
    };
    visit(&root, "").await;
    visit(&root, "").await;
    visit(&root, "?from=2026-01-01").await;
    visit(&rita, "").await;
    let earlier = [json!(["rita", null]), json!(["root", "2026-01-01"]), json!(["root", null])];
    assert_eq!(looks().await, earlier);
    sqlx::query("UPDATE audit_log SET at = at - interval '2 minutes'")
        .execute(&mut app.db.superuser().await)
        .await
        .unwrap();
    visit(&root, "").await;
    assert_eq!(looks().await.len(), 4, "another visit");
    app.close().await;
}

#[tokio::test]
async fn records_for_weights_are_those_of_the_user_s_ranked_answers() {
    let (council, _) = two_runs().await;
    let ann = Scope::User(UserId::from_canonical("ann"));
    let found = records(council.app.db.db(), &ann).await.unwrap();
    let seen = |model: &str| {
        let record = found[model];
        let rate = (record.win_rate * 1000.0).round() / 1000.0;
        (record.runs, rate, record.average_rank, record.average_confidence)
    };
    assert_eq!(found.keys().collect::<Vec<_>>(), ["m/one", "m/three", "m/two"]);
    assert_eq!(seen("m/one"), (2, 66.667, Some(1.25), Some(8.0)));
    assert_eq!(seen("m/two"), (2, 16.667, Some(1.5), None));
    assert_eq!(seen("m/three"), (2, 16.667, Some(1.75), Some(5.0)));
    let bob = Scope::User(UserId::from_canonical("bob"));
    assert!(records(council.app.db.db(), &bob).await.unwrap().is_empty());
    assert!(records(council.app.db.db(), &Scope::Admin).await.is_err());
    council.app.close().await;
}

#[tokio::test]
async fn models_meet_head_to_head_and_on_the_leaderboard() {
    let (council, _) = two_runs().await;
    let ann = council.ann();
    let found = ann.get("/api/analytics/head-to-head").await.ok();
    let pairs: Vec<Value> = found["pairs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pair| pick(pair, &["a", "b", "runs", "a_above", "b_above", "ties"]))
        .collect();
    assert_eq!(
        json!(pairs),
        json!([
            ["m/one", "m/three", 2, 1, 0, 1],
            ["m/one", "m/two", 2, 1, 0, 1],
            ["m/three", "m/two", 2, 0, 1, 1]
        ])
    );

    // One over two twice and over three once, three over one once; two over three twice.
    let board = ann.get("/api/analytics/leaderboard").await.ok();
    assert_eq!(pick(&board, &["source", "runs", "draws"]), json!(["ballots", 2, 200]));
    let ranks: Vec<Value> = board["models"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| pick(row, &["rank", "model", "comparisons", "wins", "runs"]))
        .collect();
    assert_eq!(
        json!(ranks),
        json!([[1, "m/one", 4, 3.0, 2], [2, "m/two", 4, 2.0, 2], [3, "m/three", 4, 1.0, 2]])
    );
    let intervals: Vec<[f64; 3]> = board["models"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| ["low", "rating", "high"].map(|field| row[field].as_f64().unwrap()))
        .collect();
    assert!(intervals.iter().all(|[low, rating, high]| low <= rating && rating <= high), "{intervals:?}");
    let [low, _, high] = intervals[0];
    assert!(high - low > 10.0, "two runs that differ prove little: {intervals:?}");
    assert_eq!(ann.get("/api/analytics/leaderboard").await.ok(), board, "the same each time");

    // By the tag of the conversation, while it is there.
    let tagged = async || ann.get("/api/analytics/leaderboard?tag=Sky").await.ok()["runs"].clone();
    assert_eq!(tagged().await, 0);
    ann.put(&format!("/api/conversations/{}/tags", council.conversation), json!({"tags": ["sky"]}))
        .await
        .ok();
    assert_eq!(tagged().await, 2);
    ann.send("DELETE", &format!("/api/conversations/{}", council.conversation), None).await.ok();
    assert_eq!(tagged().await, 0);
    assert_eq!(ann.get("/api/analytics/leaderboard").await.ok(), board);
    let all = council.app.admin().get("/api/admin/analytics/leaderboard").await.ok();
    assert_eq!(all["models"], board["models"]);
    for (query, field) in [
        ("source=gossip", "source"),
        ("tag=%00", "tag"),
        ("from=soon", "from"),
        ("until=2026-02-30", "until"),
        ("to=nope", "until"),
    ] {
        let answer = ann.get(&format!("/api/analytics/leaderboard?{query}")).await;
        assert_eq!(answer.wrong_fields(), [field]);
    }
    council.app.close().await;
}

#[tokio::test]
async fn recent_runs_and_chairmen_and_days_are_told() {
    let (council, [first, second]) = two_runs().await;
    let ann = council.ann();
    let found = ann.get("/api/analytics/recent").await.ok();
    assert_eq!(found["total"], 2);
    assert_eq!(
        (&found["queries"][0]["run_id"], &found["queries"][1]["run_id"]),
        (&json!(second), &json!(first))
    );
    let run = &found["queries"][1];
    let fields = [
        "conversation_id",
        "status",
        "format",
        "total_models",
        "chairman_model",
        "total_tokens",
        "total_cost",
        "unknown_cost_calls",
        "thumb",
    ];
    assert_eq!(
        pick(run, &fields),
        json!([council.conversation, "complete", "council", 3, "m/chair", 120, 0.25, 7, null])
    );
    assert!(run["query_duration_ms"].as_i64().unwrap() >= 0);
    let answers: Vec<Value> = run["models"]
        .as_array()
        .unwrap()
        .iter()
        .map(|answer| pick(answer, &["model", "place", "rank_position", "was_top_ranked", "confidence"]))
        .collect();
    assert_eq!(
        json!(answers),
        json!([["m/one", 1, 1.0, true, 9], ["m/two", 2, 1.5, false, null], ["m/three", 3, 2.0, false, 4]])
    );
    let page = ann.get("/api/analytics/recent?limit=1&offset=1").await.ok();
    assert_eq!((page["queries"].as_array().unwrap().len(), &page["queries"][0]), (1, run));
    assert_eq!(ann.get("/api/analytics/recent?offset=9").await.ok(), json!({"queries": [], "total": 2}));

    // The third answer is written by a stand-in.
    council.app.models.rule(|request| (request.model == "m/chair").then(|| Script::status(404, "gone")));
    council.ask().await;
    let chairmen = ann.get("/api/analytics/chairman").await.ok();
    assert_eq!(chairmen["total_syntheses"], 3);
    let fields = ["times_used", "times_stood_in", "total_calls", "failures", "total_tokens"];
    assert_eq!(pick(&chairmen["models"]["m/chair"], &fields), json!([2, 0, 3, 1, 30]));
    let stand_ins: Vec<Value> = MEMBERS
        .iter()
        .filter(|member| chairmen["models"][**member].is_object())
        .map(|member| pick(&chairmen["models"][*member], &fields))
        .collect();
    assert_eq!(stand_ins, [json!([1, 1, 1, 0, 15])]);

    let days = ann.get("/api/analytics/days").await.ok();
    let sum = |field: &str| {
        days["days"].as_array().unwrap().iter().map(|day| day[field].as_i64().unwrap()).sum::<i64>()
    };
    assert_eq!(
        (sum("queries"), sum("calls"), sum("unknown_cost_calls")),
        (3, 23, 20),
        "the failed call cost nothing"
    );
    assert_eq!(council.app.admin().get("/api/admin/analytics/days").await.ok(), days);
    assert_eq!(council.app.admin().get("/api/admin/analytics/chairman").await.ok(), chairmen);
    council.app.close().await;
}

#[tokio::test]
async fn one_format_is_counted_alone_in_every_figure() {
    let council = Council::settle().await;
    let ann = council.ann();
    council.app.models.rule(|request| {
        // As a debate asks, and a decomposition that finds no parts.
        let text = match request.prompt() {
            prompt if prompt.starts_with("Say whether") => "SHOULD_DECOMPOSE: NO\nCONFIDENCE: 0.9".to_owned(),
            _ if request.asked_for() == AskedFor::Review => {
                let best = label_of(request, "m/two");
                let rest = request.labels().into_iter().filter(|label| *label != best);
                let lines: Vec<String> = (1..)
                    .zip([best.clone()].into_iter().chain(rest))
                    .map(|(at, label)| format!("{at}. {label}"))
                    .collect();
                format!("All were read.\n\nFINAL RANKING:\n{}", lines.join("\n"))
            }
            _ => format!("The answer of {}.", request.model),
        };
        Some(Script::answer(&text).usage(usage(Some(0.25))))
    });
    let formats = [
        ("council", json!({})),
        ("debate", json!({"mode": "debate", "include_rebuttal": false})),
        ("arena", json!({"mode": "arena", "arena_rounds": 2})),
        ("decomposition", json!({"mode": "decomposition"})),
    ];
    // Members, ballots, the end, a title; a second round; whether there are parts.
    let calls = [3 + 3 + 1 + 1, 2 * 3 + 3 + 1 + 1, 2 * 3 + 3 + 1 + 1, 1 + 3 + 3 + 1 + 1];
    for (_, options) in &formats {
        ask_with(&council.app, options.clone()).await;
    }
    let counted = async |base: &str, query: &str| {
        let get = async |part: &str| {
            let user = if base == "/api/analytics" { council.ann() } else { council.app.admin() };
            user.get(&format!("{base}{part}?{query}")).await.ok()
        };
        let days = get("/days").await;
        let day = |field: &str| {
            days["days"].as_array().unwrap().iter().map(|day| day[field].as_i64().unwrap()).sum::<i64>()
        };
        let models = get("").await;
        let against = get("/council").await;
        json!({
            "runs": models["summary"]["total_queries"],
            "calls": models["summary"]["total_calls"],
            "answers": models["models"]["m/one"]["total_queries"],
            "timed": models["models"]["m/one"]["latency_ms"].is_object(),
            "days": [day("queries"), day("calls")],
            "written": get("/chairman").await["models"]["m/chair"]["times_used"],
            "writing": get("/chairman").await["models"]["m/chair"]["total_calls"],
            "ballots": get("/leaderboard").await["runs"],
            "pairs": get("/head-to-head").await["pairs"].as_array().unwrap().len(),
            "reviewers": get("/reviewers").await["models"].as_object().unwrap().len(),
            "compared": [&against["runs"], &against["priced_runs"]],
        })
    };
    let expected = |runs: usize, calls: usize| {
        json!({"runs": runs, "calls": calls, "answers": runs, "timed": true, "days": [runs, calls], "written": runs,
            "writing": runs, "ballots": runs, "pairs": 3, "reviewers": 3, "compared": [runs, runs]})
    };
    for base in ["/api/analytics", "/api/admin/analytics"] {
        for ((format, _), calls) in formats.iter().zip(calls) {
            let found = counted(base, &format!("format={format}")).await;
            assert_eq!(found, expected(1, calls), "{base}, {format}");
        }
        assert_eq!(counted(base, "").await, expected(4, calls.iter().sum()), "{base}");
        assert_eq!(counted(base, "from=2020-01-01&format=arena").await, expected(1, calls[2]), "{base}");
    }
    for (format, _) in &formats {
        let recent = ann.get(&format!("/api/analytics/recent?format={format}")).await.ok();
        assert_eq!((&recent["total"], &recent["queries"][0]["format"]), (&json!(1), &json!(format)));
    }
    let noted = council.app.admin().get("/api/admin/audit").await.ok();
    let of_arenas = |entry: &&Value| entry["details"]["format"] == "arena";
    assert!(noted["entries"].as_array().unwrap().iter().any(|entry| of_arenas(&entry)), "{noted}");

    // By people and by tag as well.
    let ids: Vec<String> = ann.get("/api/analytics/recent").await.ok()["queries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| run["run_id"].as_str().unwrap().to_owned())
        .collect();
    for id in &ids {
        let best = json!({"better": {"member": "m/two"}});
        ann.put(&format!("/api/runs/{id}/feedback"), best).await.ok();
    }
    for query in ["source=people&format=debate", "source=people&format=arena"] {
        assert_eq!(ann.get(&format!("/api/analytics/leaderboard?{query}")).await.ok()["runs"], 1, "{query}");
    }
    assert_eq!(ann.get("/api/analytics/leaderboard?source=people").await.ok()["runs"], 4);
    let debate = &ann.get("/api/analytics/recent?format=debate").await.ok()["queries"][0];
    let tags = format!("/api/conversations/{}/tags", debate["conversation_id"].as_str().unwrap());
    ann.put(&tags, json!({"tags": ["sky"]})).await.ok();
    for (format, runs) in [("debate", 1), ("council", 0)] {
        for source in ["ballots", "people"] {
            let query = format!("tag=sky&format={format}&source={source}");
            let found = ann.get(&format!("/api/analytics/leaderboard?{query}")).await.ok();
            assert_eq!(found["runs"], runs, "{query}");
        }
    }

    for part in
        ["", "/days", "/recent", "/chairman", "/reviewers", "/head-to-head", "/council", "/leaderboard"]
    {
        for wrong in ["poker", "Debate", "", "single"] {
            let answer = ann.get(&format!("/api/analytics{part}?format={wrong}")).await;
            assert_eq!(answer.wrong_fields(), ["format"], "{part}, {wrong:?}");
        }
    }
    council.app.close().await;
}

#[tokio::test]
async fn a_span_of_days_counts_what_happened_in_it() {
    let (council, [first, _]) = two_runs().await;
    for sql in [
        "UPDATE calls SET finished_at = '2026-01-10T12:00:00Z' WHERE run_id = ",
        "UPDATE placings SET finished_at = '2026-01-10T12:00:00Z' WHERE run_id = ",
        "UPDATE run_figures SET finished_at = '2026-01-10T12:00:00Z' WHERE run_id = ",
        "UPDATE runs SET created_at = '2026-01-10T11:59:00Z' WHERE id = ",
    ] {
        council.sql(&format!("{sql} '{first}'")).await;
    }
    let ann = council.ann();
    let cases = [
        ("", 2, 15),
        ("from=2026-01-10&until=2026-01-10", 1, 8),
        ("until=2026-01-09", 0, 0),
        ("to=2026-01-09", 0, 0),
        ("from=2026-01-11", 1, 7),
        ("from=2026-01-11&until=2026-01-10", 0, 0),
    ];
    for (query, runs, calls) in cases {
        let found = ann.get(&format!("/api/analytics?{query}")).await.ok();
        assert_eq!(
            pick(&found["summary"], &["total_queries", "total_calls"]),
            json!([runs, calls]),
            "{query}"
        );
        let ranked = found["models"]["m/one"]["ranked_queries"].as_i64().unwrap_or_default();
        assert_eq!(ranked, runs, "{query}");
        assert_eq!(ann.get(&format!("/api/analytics/recent?{query}")).await.ok()["total"], runs, "{query}");
        assert_eq!(
            ann.get(&format!("/api/analytics/leaderboard?{query}")).await.ok()["runs"],
            runs,
            "{query}"
        );
    }
    let days = ann.get("/api/analytics/days?until=2026-01-31").await.ok();
    assert_eq!(
        pick(&days["days"][0], &["day", "queries", "calls", "total_cost"]),
        json!(["2026-01-10", 1, 8, 0.25])
    );
    council.app.close().await;
}

#[tokio::test]
async fn deleting_and_purging_a_conversation_keeps_the_figures() {
    let (council, [first, _]) = two_runs().await;
    let ann = council.ann();
    let of_run = format!("/api/runs/{first}/feedback");
    ann.put(&of_run, json!({"better": {"member": "m/two"}})).await.ok();
    let paths = [
        "/api/analytics",
        "/api/analytics/days",
        "/api/analytics/chairman",
        "/api/analytics/head-to-head",
        "/api/analytics/leaderboard",
        "/api/analytics/leaderboard?source=people",
        "/api/analytics/council",
    ];
    let figures = async || {
        let mut all = Vec::new();
        for path in paths {
            all.push(ann.get(path).await.ok());
        }
        all
    };
    let before = figures().await;
    ann.send("DELETE", &format!("/api/conversations/{}", council.conversation), None).await.ok();
    assert_eq!(figures().await, before);
    assert_eq!(ann.get(&of_run).await.status, 404, "a deleted run is not there to be judged");

    council.sql("UPDATE conversations SET deleted_at = now() - interval '31 days'").await;
    let mut engine = council.app.db.db().begin(&Scope::Engine).await.unwrap();
    assert_eq!(conversations::purge_deleted(&mut engine, 10).await.unwrap(), 1);
    engine.commit().await.unwrap();
    assert_eq!(figures().await, before);
    let recent = ann.get("/api/analytics/recent").await.ok();
    assert_eq!((&recent["total"], &recent["queries"][0]["conversation_id"]), (&json!(2), &Value::Null));
    council.app.close().await;
}

#[tokio::test]
async fn clearing_forgets_the_figures_and_keeps_the_ledger() {
    let (council, [first, _]) = two_runs().await;
    let (ann, admin) = (council.ann(), council.app.admin());
    ann.put(&format!("/api/runs/{first}/feedback"), json!({"thumb": "up"})).await.ok();
    let paid = admin.get("/api/admin/usage").await.ok();
    assert_eq!(ann.send("DELETE", "/api/analytics", None).await.ok()["status"], "ok");

    let found = ann.get("/api/analytics").await.ok();
    assert_eq!(found["models"], json!({}));
    assert_eq!(pick(&found["summary"], &["total_queries", "total_calls", "total_cost"]), json!([0, 0, null]));
    assert!(found["summary"]["cleared_at"].is_string());
    assert_eq!(ann.get("/api/analytics/recent").await.ok()["total"], 0);
    assert_eq!(ann.get("/api/analytics/leaderboard").await.ok()["runs"], 0);
    assert_eq!(ann.get(&format!("/api/runs/{first}/feedback")).await.ok()["thumb"], Value::Null);
    let scope = Scope::User(UserId::from_canonical("ann"));
    assert!(records(council.app.db.db(), &scope).await.unwrap().is_empty(), "weights begin anew");

    assert_eq!(admin.get("/api/admin/usage").await.ok(), paid, "what was paid was paid");
    let all = admin.get("/api/admin/analytics").await.ok();
    assert_eq!(
        pick(&all["summary"], &["total_calls", "unique_models"]),
        json!([15, 0]),
        "the rankings are gone for all"
    );
    let log = admin.get("/api/admin/audit").await.ok();
    assert!(log["entries"].as_array().unwrap().iter().any(|entry| entry["action"] == "analytics.clear"));

    council.ask().await;
    let found = ann.get("/api/analytics").await.ok();
    assert_eq!(pick(&found["summary"], &["total_queries", "total_calls", "unique_models"]), json!([1, 7, 3]));
    council.app.close().await;
}

#[tokio::test]
async fn a_failed_member_has_no_place_and_two_answers_are_compared_by_all_ballots() {
    let council = Council::settle().await;
    let path = format!("/api/conversations/{}/message", council.conversation);
    // With two answers self-votes count: one puts two first, two puts one first, three is gone.
    council.app.models.rule(|request| match (request.model.as_str(), request.asked_for()) {
        ("m/three", _) => Some(Script::status(404, "gone")),
        (model, AskedFor::Answer) => Some(Script::answer(&format!("The answer of {model}."))),
        (_, AskedFor::Review) => {
            let order = ["m/two", "m/one"].map(|member| label_of(request, member));
            Some(Script::answer(&format!("FINAL RANKING:\n1. {}\n2. {}", order[0], order[1])))
        }
        _ => None,
    });
    council.ann().post(&path, json!({"content": "Why?", "models": MEMBERS})).await.ok();
    let found = council.ann().get("/api/analytics").await.ok();
    let of = |model: &str| pick(&found["models"][model], &["total_queries", "wins", "win_rate", "failures"]);
    assert_eq!(of("m/two"), json!([1, 1.0, 100.0, 0]));
    assert_eq!(of("m/one"), json!([1, 0.0, 0.0, 0]));
    assert_eq!(of("m/three"), json!([0, 0.0, null, 1]));
    // With two answers a reviewer's own counts on the leaderboard too: nothing else is left to compare.
    let board = council.ann().get("/api/analytics/leaderboard").await.ok();
    assert_eq!(pick(&board["models"][0], &["model", "comparisons", "wins"]), json!(["m/two", 2, 2.0]));
    council.app.close().await;
}
