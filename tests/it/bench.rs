//! `llm-council bench`, as people run it: the real program over scripted models.

use serde_json::{Value, json};

use crate::support::db::TestDb;
use crate::support::model_server::{
    AskedFor, Gate, ModelServer, Outcome, RecordedRequest, Script, plausible,
};
use crate::support::money::list;
use crate::support::process::{Ended, Program};

/// What each kind of call costs, in USD.
const ANSWER: f64 = 0.001;
const REVIEW: f64 = 0.0005;
const SYNTHESIS: f64 = 0.002;
const JUDGEMENT: f64 = 0.000_25;
/// Four answers, four reviews, the chairman's answer.
const COUNCIL: f64 = 4.0 * ANSWER + 4.0 * REVIEW + SYNTHESIS;

/// Which of the five questions each of them gets right. All members miss 4 and 5.
const RIGHT: [(&str, &[usize]); 5] =
    [("m/one", &[1, 2, 3]), ("m/two", &[1, 2]), ("m/three", &[1]), ("m/four", &[]), ("m/chair", &[1, 2, 4])];

/// The number of the question in a prompt.
fn case(request: &RecordedRequest) -> usize {
    let after = request.prompt().split("case-").nth(1).expect("a question of this file");
    after.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap()
}

fn is_judged(request: &RecordedRequest) -> bool {
    request.prompt().starts_with("You grade one answer")
}

fn script(request: &RecordedRequest) -> Script {
    let costing = |script: Script, usd: f64| {
        script.usage(json!({"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120, "cost": usd}))
    };
    if is_judged(request) {
        // The second answer pleases only while its praise is offered first.
        let first = !request.prompt().contains("INCORRECT or CORRECT");
        let verdict = if case(request) == 1 || first { "CORRECT" } else { "INCORRECT" };
        return costing(Script::answer(&format!("Looked at.\n\nVERDICT: {verdict}")), JUDGEMENT);
    }
    let is_right =
        RIGHT.iter().any(|(model, cases)| *model == request.model && cases.contains(&case(request)));
    let answer = if is_right { format!("1,{:03}", case(request)) } else { "7".to_owned() };
    match request.asked_for() {
        AskedFor::Answer => {
            costing(Script::answer(&format!("It is so.\n\n**Answer:** {answer}\n\nCONFIDENCE: 8")), ANSWER)
        }
        AskedFor::Synthesis => costing(Script::answer(&format!("All say:\n\nAnswer: {answer}.")), SYNTHESIS),
        AskedFor::Review => costing(plausible(request), REVIEW),
        AskedFor::Selection
        | AskedFor::Title
        | AskedFor::Routing
        | AskedFor::Critique
        | AskedFor::Revision
        | AskedFor::Attack
        | AskedFor::Severity => panic!("nobody asks for that: {}", request.prompt()),
    }
}

/// Five questions whose answers are 1001 to 1005.
fn questions() -> String {
    let line = |case: usize| json!({"question": format!("What is case-{case}?"), "answer": 1000 + case});
    (1..=5).map(|case| format!("{}\n", line(case))).collect()
}

struct Bench {
    db: TestDb,
    models: ModelServer,
    program: Program,
}

impl Bench {
    async fn new() -> Self {
        let (db, models) = (TestDb::new().await, ModelServer::start().await);
        models.rule(|request| Some(script(request)));
        let program = Program::council(&db, &models)
            // Whoever goes on after a kill waits that long.
            .set("runs.lease_seconds", "1")
            .file("questions.jsonl", &questions());
        Self { db, models, program }
    }

    async fn run(&self, more: &[&str]) -> Ended {
        self.program.run(&[&["bench", "--user", "ann", "--yes", "--json"], more].concat()).await
    }

    /// How many calls the models have answered to their end.
    fn answered(&self) -> usize {
        self.models.records().iter().filter(|record| record.outcome == Outcome::Finished).count()
    }

    async fn ledger(&self) -> (i64, f64) {
        sqlx::query_as("SELECT count(*), sum(cost_usd) FROM calls WHERE outcome = 'ok'")
            .fetch_one(&mut self.db.superuser().await)
            .await
            .unwrap()
    }
}

const COMPARED: [&str; 5] = ["questions.jsonl", "--variant", "council", "--model", "m/one"];

#[track_caller]
fn table(ended: &Ended, code: i32) -> Value {
    assert_eq!(ended.code, Some(code), "{}\n{}", ended.stdout, ended.stderr);
    serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {}", ended.stdout))
}

/// The table without what differs from one time to the next.
fn steady(mut table: Value) -> Value {
    table["name"].take();
    for variant in table["variants"].as_array_mut().unwrap() {
        variant["median_ms"].take();
    }
    table
}

#[track_caller]
fn near(value: &Value, wanted: f64) {
    let found = value.as_f64().unwrap_or_else(|| panic!("{value} is no number"));
    assert!((found - wanted).abs() < 1e-6, "{found} is not {wanted}");
}

#[tokio::test]
async fn the_table_is_right_to_the_digit_and_the_same_on_the_page() {
    let bench = Bench::new().await;
    let ended = bench.run(&COMPARED).await;
    let table = table(&ended, 0);
    for words in ["questions       5", "variants        2 (council, m/one)", "calls to come   about 50"] {
        assert!(ended.stderr.contains(words), "{}", ended.stderr);
    }
    assert_eq!((&table["status"], &table["done"]), (&json!("complete"), &json!(5)));
    near(&table["spent"]["usd"], 5.0 * (COUNCIL + ANSWER));

    let council = &table["variants"][0];
    assert_eq!(
        (&council["kind"], &council["right"], &council["counted"]),
        (&json!("council"), &json!(3), &json!(5))
    );
    // Wilson's interval of 3 of 5.
    near(&council["accuracy"]["value"], 0.6);
    near(&council["accuracy"]["low"], 0.230_724);
    near(&council["accuracy"]["high"], 0.882_379);
    near(&council["spent"]["usd"], 5.0 * COUNCIL);
    assert_eq!(council["spent"]["calls"], 45);
    near(&council["right_per_usd"], 3.0 / (5.0 * COUNCIL));
    let members: Vec<_> =
        council["members"].as_array().unwrap().iter().map(|row| (&row["member"], &row["right"])).collect();
    let wanted =
        [("m/one", 3), ("m/two", 2), ("m/three", 1), ("m/four", 0)].map(|(m, n)| (json!(m), json!(n)));
    assert_eq!(members, wanted.iter().map(|(member, right)| (member, right)).collect::<Vec<_>>());
    let best = &council["against_best"];
    assert_eq!(
        (&best["member"], &best["only_council"], &best["only_member"]),
        (&json!("m/one"), &json!(1), &json!(1))
    );
    near(&best["difference"]["value"], 0.0);
    let missed = &council["all_missed"];
    assert_eq!(
        (&missed["questions"], &missed["of"], &missed["council_right"]),
        (&json!(2), &json!(5), &json!(1))
    );

    let alone = &table["variants"][1];
    assert_eq!((&alone["kind"], &alone["right"], alone.get("members")), (&json!("model"), &json!(3), None));
    near(&alone["right_per_usd"], 3.0 / (5.0 * ANSWER));

    // What the models were asked ends with how to answer.
    let records = bench.models.records();
    assert_eq!(records.len(), 50);
    let asked =
        records.iter().filter(|record| record.request.prompt().contains("\"Answer: \" and the number alone"));
    assert!(asked.count() >= 25);

    let server = bench.program.serve().await;
    let list = server.user("ann").get("/api/bench").await.ok();
    assert_eq!((&list["benches"][0]["name"], &list["benches"][0]["done"]), (&json!("questions"), &json!(10)));
    near(&list["benches"][0]["spent_usd"], 5.0 * (COUNCIL + ANSWER));
    assert_eq!(list["benches"][0]["unpriced_calls"], 0);
    let one = server
        .user("ann")
        .get(&format!("/api/bench/{}", list["benches"][0]["id"].as_str().unwrap()))
        .await
        .ok();
    assert_eq!(one["report"], table);
    // They are put aside, so nobody's list is full of them.
    assert_eq!(server.user("ann").get("/api/conversations?archived=false").await.ok(), json!([]));
    assert_eq!(server.user("bob").get("/api/bench").await.ok()["benches"], json!([]));

    // In words, and at no cost: beside the server on the same database.
    let again = bench.program.run(&["bench", "--user", "ann", "--resume", "questions"]).await;
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    for words in ["5 of 5 questions, complete", "3/5   60.0 %   23.1–88.2 %", "every member missed 2 of 5"]
    {
        assert!(again.stdout.contains(words), "{}", again.stdout);
    }
    assert_eq!(bench.models.records().len(), 50);
}

#[tokio::test]
async fn a_list_says_for_how_many_calls_nobody_knows_the_cost() {
    let bench = Bench::new().await;
    table(&bench.run(&["questions.jsonl", "--model", "m/one", "--limit", "2"]).await, 0);
    sqlx::query(
        "UPDATE bench_items SET outcome = jsonb_set(jsonb_set(outcome, '{spent,unpriced_calls}', '2'),
                                                    '{grading,unpriced_calls}', '1')",
    )
    .execute(&mut bench.db.superuser().await)
    .await
    .unwrap();
    let server = bench.program.serve().await;
    let list = server.user("ann").get("/api/bench").await.ok();
    assert_eq!((&list["benches"][0]["done"], &list["benches"][0]["unpriced_calls"]), (&json!(2), &json!(6)));
}

/// The uninterrupted table of another user, on the same models.
async fn uninterrupted(bench: &Bench) -> Value {
    let other =
        bench.program.run(&[&["bench", "--user", "bob", "--yes", "--json"], &COMPARED[..]].concat()).await;
    table(&other, 0)
}

/// Holds the chairman's answer to question 3 until the gate opens.
fn hold_in_the_middle(models: &ModelServer) -> Gate {
    let gate = Gate::new();
    let held = gate.clone();
    models.rule(move |request| {
        let script = script(request);
        let is_held = request.asked_for() == AskedFor::Synthesis && case(request) == 3;
        Some(if is_held { Script::answer("").hold(&held).text("too late") } else { script })
    });
    gate
}

async fn until_held(bench: &Bench) {
    let models = &bench.models;
    let is_it = |request: &RecordedRequest| request.asked_for() == AskedFor::Synthesis && case(request) == 3;
    models.until(|records| records.iter().any(|record| is_it(&record.request))).await;
}

#[tokio::test]
async fn a_killed_bench_goes_on_to_the_same_table_and_pays_for_nothing_twice() {
    let bench = Bench::new().await;
    let gate = hold_in_the_middle(&bench.models);
    let args = [&["bench", "--user", "ann", "--yes", "--parallel", "1"], &COMPARED[..]].concat();
    let process = bench.program.start(&args);
    until_held(&bench).await;
    process.kill();
    bench.models.until(|records| records.iter().all(|record| record.outcome != Outcome::Open)).await;
    gate.open();
    bench.models.rule(|request| Some(script(request)));

    let resumed = table(&bench.run(&[&COMPARED[..], &["--parallel", "3"]].concat()).await, 0);
    // Each of the fifty calls was answered once: but for the one that was cut, none was made again.
    assert_eq!(bench.answered(), 50);
    let (calls, usd) = bench.ledger().await;
    assert_eq!(calls, 50);
    assert!((usd - 5.0 * (COUNCIL + ANSWER)).abs() < 1e-9, "{usd}");
    assert_eq!(steady(resumed), steady(uninterrupted(&bench).await));
}

#[tokio::test]
async fn a_stopped_bench_exits_with_130_and_is_resumed_by_its_name() {
    let bench = Bench::new().await;
    let gate = hold_in_the_middle(&bench.models);
    let args =
        [&["bench", "--user", "ann", "--yes", "--parallel", "1", "--name", "mine"], &COMPARED[..]].concat();
    let process = bench.program.start(&args);
    until_held(&bench).await;
    process.signal("SIGINT");
    let (code, log) = process.ended().await;
    assert_eq!(code, Some(130), "{log}");
    assert!(log.contains("--resume \"mine\""), "{log}");
    gate.open();
    bench.models.rule(|request| Some(script(request)));

    let resumed = table(&bench.run(&["--resume", "mine"]).await, 0);
    assert_eq!(bench.ledger().await.0, 50);
    assert_eq!(steady(resumed), steady(uninterrupted(&bench).await));
}

#[tokio::test]
async fn a_bench_that_waits_for_its_database_says_so_once_and_can_be_stopped() {
    let bench = Bench::new().await;
    // Nobody listens there.
    let program = bench.program.clone().env("DATABASE_URL", "postgres://nobody@127.0.0.1:1/nothing");
    let process = program.start(&[&["bench", "--user", "ann", "--yes"], &COMPARED[..]].concat());
    process.until_logged(|text| text.contains("the database cannot be reached")).await;
    process.signal("SIGINT");
    let (code, log) = process.ended().await;
    assert_eq!((code, log.matches("cannot be reached").count()), (Some(130), 1), "{log}");
}

#[tokio::test]
async fn a_bench_that_has_spent_its_budget_says_so_and_goes_on_with_more() {
    let bench = Bench::new().await;
    let ended = bench.run(&[&COMPARED[..], &["--parallel", "1", "--max-cost", "0.0125"]].concat()).await;
    let partial = table(&ended, 5);
    // After the first question 0.009 is spent, after the council's second answer 0.017.
    assert_eq!((&partial["status"], &partial["done"]), (&json!("over_budget"), &json!(1)));
    assert_eq!((&partial["variants"][0]["done"], &partial["variants"][1]["done"]), (&json!(2), &json!(1)));
    near(&partial["spent"]["usd"], 2.0 * COUNCIL + ANSWER);
    assert!(ended.stderr.contains("--resume"), "{}", ended.stderr);
    let whole = table(&bench.run(&["--resume", "questions", "--max-cost", "1"]).await, 0);
    assert_eq!(whole["done"], 5);
    assert_eq!(bench.ledger().await.0, 50);
}

#[tokio::test]
async fn the_users_own_budget_ends_a_bench_too() {
    let bench = Bench::new().await;
    let server = bench.program.serve().await;
    bench.models.models(list(|_| Some(1e-6)));
    let cap = json!({"per_day_usd": 0.012});
    server.user("ann").put("/api/budget", cap).await.ok();
    let ended = bench.run(&[&COMPARED[..], &["--parallel", "1"]].concat()).await;
    let partial = table(&ended, 5);
    assert_eq!(partial["status"], "over_budget");
    assert!(partial["done"].as_u64().unwrap() < 5, "{partial}");
    assert!(ended.stderr.contains("A budget of ann is used up"), "{}", ended.stderr);
}

#[tokio::test]
async fn a_question_in_whose_middle_a_budget_is_used_up_does_not_count() {
    let bench = Bench::new().await;
    let server = bench.program.serve().await;
    // It looks cheap, so it is begun; what the answers and the reviews cost leaves nothing for the chairman.
    bench.models.models(list(|_| Some(1e-9)));
    server.user("ann").put("/api/budget", json!({"per_day_usd": 0.005})).await.ok();
    let ended = bench.run(&[&COMPARED[..], &["--parallel", "1"]].concat()).await;
    let partial = table(&ended, 5);
    assert_eq!(partial["status"], "over_budget");
    let council = &partial["variants"][0];
    let counts = (&council["done"], &council["counted"], &council["failed"], &council["ungraded"]);
    assert_eq!(counts, (&json!(1), &json!(0), &json!(0), &json!(1)), "{partial}");
    assert_eq!(council["members"][0]["counted"], 1, "what its members answered counts: {partial}");
    assert_eq!(partial["variants"][1]["done"], 0);
}

#[tokio::test]
async fn what_cannot_be_asked_is_named_at_once_and_nobody_is_asked() {
    let bench = Bench::new().await;
    bench.models.models(list(|_| None));
    let broken = format!("{}not json\n{{\"question\": \"?\"}}\n", questions());
    std::fs::write(bench.program.home().join("broken.jsonl"), broken).unwrap();
    let ended = bench.run(&["broken.jsonl"]).await;
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""), "{}", ended.stderr);
    for words in ["broken.jsonl: line 6: is not JSON", "broken.jsonl: line 7: is not a question"] {
        assert!(ended.stderr.contains(words), "{}", ended.stderr);
    }

    let judged = json!({"question": "What is case-1?", "answer": "x", "grader": "vibes"});
    std::fs::write(bench.program.home().join("graders.jsonl"), judged.to_string()).unwrap();
    let ended = bench
        .run(&[
            "graders.jsonl",
            "--model",
            "m/ghost",
            "--judge",
            "m/phantom",
            "--model",
            "nope:m/one",
            "--preset",
            "Nobody's",
            "--variant",
            r#"odd={"use_refinment": true, "quorum": 99}"#,
            "--variant",
            r#"seats={"models": ["m/one", "m/nowhere"]}"#,
        ])
        .await;
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    for words in [
        "there is no grader \"vibes\"",
        "there is no model \"m/ghost\"",
        "there is no model \"m/phantom\"",
        "there is no model \"nope:m/one\"",
        "there is no model \"m/nowhere\"",
        "there is no preset \"Nobody's\"",
        "use_refinment is no field of a request",
        "quorum must be from 1 to 4",
    ] {
        assert!(ended.stderr.contains(words), "{words}: {}", ended.stderr);
    }

    let rubric = json!({"question": "What is case-1?", "rubric": "It says why."});
    std::fs::write(bench.program.home().join("rubric.jsonl"), rubric.to_string()).unwrap();
    let ended = bench.run(&["rubric.jsonl"]).await;
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    assert!(ended.stderr.contains("1 questions need a judge"), "{}", ended.stderr);

    std::fs::write(bench.program.home().join("limitless.toml"), "max_cost_usd = nan").unwrap();
    let ended = bench.run(&["questions.jsonl", "--model", "m/one", "--suite", "limitless.toml"]).await;
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    assert!(ended.stderr.contains("max_cost_usd"), "{}", ended.stderr);

    let ended = bench.run(&["--resume", "never begun"]).await;
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    assert_eq!(bench.models.records().len(), 0);
}

#[tokio::test]
async fn a_name_stands_for_one_bench() {
    let bench = Bench::new().await;
    table(&bench.run(&["questions.jsonl", "--model", "m/one", "--limit", "2"]).await, 0);
    let other = bench.run(&["questions.jsonl", "--model", "m/two", "--limit", "2"]).await;
    assert_eq!(other.code, Some(2), "{}", other.stderr);
    assert!(other.stderr.contains("asked something else"), "{}", other.stderr);
    assert_eq!(bench.models.records().len(), 2);
}

#[tokio::test]
async fn a_judge_is_asked_in_both_orders_and_a_suite_says_what_to_compare() {
    let bench = Bench::new().await;
    let line = |case: usize| json!({"question": format!("Why case-{case}?"), "rubric": "It says why."});
    let text = format!("{}\n{}\n", line(1), line(2));
    std::fs::write(bench.program.home().join("why.jsonl"), text).unwrap();
    let suite = r#"
name = "reasons"
questions = "why.jsonl"
judge = "m/judge"

[[variants]]
name = "alone"
model = "m/one"

[[variants]]
name = "pair"
request = { models = ["m/one", "m/two"], use_weighted_consensus = false }
"#;
    std::fs::write(bench.program.home().join("suite.toml"), suite).unwrap();
    let table = table(&bench.run(&["--suite", "suite.toml"]).await, 0);
    assert_eq!(table["name"], "reasons");
    let alone = &table["variants"][0];
    assert_eq!((&alone["right"], &alone["undecided"], &alone["counted"]), (&json!(1), &json!(1), &json!(2)));
    // The answers of the model, of the pair and of its two members, each judged twice.
    assert_eq!(bench.models.count("m/judge"), 2 * 2 * (1 + 1 + 2));
    near(&table["grading"]["usd"], 16.0 * JUDGEMENT);
    near(&alone["spent"]["usd"], 2.0 * ANSWER);
    let judged = bench.models.records().into_iter().filter(|record| is_judged(&record.request));
    let first = |record: &RecordedRequest| {
        let place = |what: &str| record.prompt().find(what).unwrap();
        place("[What a right answer has to have]") < place("[Answer to judge]")
    };
    let orders: Vec<bool> = judged.map(|record| first(&record.request)).collect();
    assert_eq!(orders.iter().filter(|first| **first).count(), 8, "{orders:?}");
}

#[tokio::test]
async fn ways_to_the_final_answer_are_variants_like_any_other() {
    let bench = Bench::new().await;
    let write = r#"write={"final": "write"}"#;
    let select = r#"select={"final": "select"}"#;
    let args = ["questions.jsonl", "--limit", "3", "--variant", write, "--variant", select];
    let table = table(&bench.run(&args).await, 0);
    let [written, selected] = [&table["variants"][0], &table["variants"][1]];
    near(&written["spent"]["usd"], 3.0 * COUNCIL);
    // No chairman is paid for what is taken over word for word.
    near(&selected["spent"]["usd"], 3.0 * (COUNCIL - SYNTHESIS));
    assert_eq!(bench.models.count("m/chair"), 3);
    assert_eq!((&written["right"], &selected["counted"]), (&json!(2), &json!(3)));
}
