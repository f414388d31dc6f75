//! Every combination of the options of a run, with simulated models: each ends complete, keeps to the
//! rules of the order of a run, and tells nothing that is not in the OpenAPI document.

use futures_util::{FutureExt as _, StreamExt as _, stream};
use jsonschema::Validator;
use serde_json::{Map, Value, json};

use crate::support::app::{TestApp, User};
use crate::support::events::Event;

/// The options that are on or off. One that is added here is in every combination.
const OPTIONS: [&str; 8] = [
    "use_cot",
    "use_weighted_consensus",
    "use_early_consensus",
    "use_multi_chairman",
    "use_dynamic_routing",
    "use_escalation",
    "use_refinement",
    "use_adversary",
];
/// How the final answer comes about; none leaves it out. Each of them meets every combination of any six options: it
/// goes by the sum, without carry, of the four pairs of bits.
const FINALS: [Option<&str>; 4] = [None, Some("write"), Some("select"), Some("auto")];
/// What only serves an answer that somebody writes.
const FOR_WRITING: [&str; 4] =
    ["use_early_consensus", "use_multi_chairman", "use_refinement", "use_adversary"];
/// What looks something up, in every format. Each is on with every other sum of its bits: so it meets every combination
/// of any two options, on and off.
const LOOKUPS: [(&str, usize); 5] = [
    ("use_research", 0b0110_1001),
    ("use_web_search", 0b1010_0110),
    ("use_tools", 0b1101_0010),
    ("use_react", 0b0011_0101),
    ("use_cache", 0b1001_1010),
];
/// How many runs are under way at once.
const AT_ONCE: usize = 8;

fn lookups(number: usize) -> impl Iterator<Item = (String, Value)> {
    let on = move |bits: usize| json!((number & bits).count_ones() % 2 == 1);
    LOOKUPS.into_iter().map(move |(option, bits)| (option.to_owned(), on(bits)))
}

fn combination(number: usize) -> Map<String, Value> {
    let bits = OPTIONS.iter().enumerate();
    let mut body: Map<String, Value> =
        bits.map(|(bit, option)| ((*option).to_owned(), json!(number & (1 << bit) != 0))).collect();
    let pairs = number ^ (number >> 2) ^ (number >> 4) ^ (number >> 6);
    // Another sum of bits, so that it is on and off with each of those.
    let second = (number ^ (number >> 1) ^ (number >> 4) ^ (number >> 5)) & 1 != 0;
    body.insert("use_second_reading".to_owned(), json!(second));
    // And another.
    if (number ^ (number >> 2) ^ (number >> 3) ^ (number >> 7)) & 1 != 0 {
        body.insert("rubric".to_owned(), json!({"text": "- Right", "name": "Short"}));
    }
    body.extend(lookups(number));
    body.extend(FINALS[pairs & 3].map(|choice| ("final".to_owned(), json!(choice))));
    body
}

/// The schema of an event, as the document has it.
pub fn schema() -> Validator {
    let document = serde_json::to_value(llm_council::server::routes::openapi()).unwrap();
    let schema = json!({
        "$ref": "#/components/schemas/Event",
        "components": document["components"],
    });
    jsonschema::validator_for(&schema).expect("the document's schemas are JSON schemas")
}

/// One run of a combination: its events, and what is stored.
struct Ran {
    body: Map<String, Value>,
    events: Vec<Event>,
    stored: Value,
}

impl Ran {
    /// Asks, and follows the run to its end.
    async fn of(user: &User<'_>, number: usize, body: Map<String, Value>) -> Self {
        let mut request = body.clone();
        request.insert("content".into(), json!(format!("Question {number}: why does code rot?")));
        request.insert("verbosity".into(), json!(number % 4));
        let id = user.conversation().await;
        let events = user.ask(&id, request.into()).await.rest().await;
        let run = events[0].json["run_id"].as_str().unwrap();
        let stored = user.get(&format!("/api/runs/{run}")).await.ok();
        Self { body, events, stored }
    }

    #[track_caller]
    fn is_in_the_document(&self, schema: &Validator) {
        for event in &self.events {
            if let Some(error) = schema.iter_errors(&event.json).next() {
                panic!("{} is not in the document: {error}: {}", event.kind(), event.json);
            }
        }
    }

    /// Whether it is on, and has not to give way to how the final answer comes about.
    fn on(&self, option: &str) -> bool {
        let gives_way = match self.choice() {
            Some("write") => option == "use_early_consensus",
            Some("select") => FOR_WRITING.contains(&option) || option == "use_react",
            _ => false,
        };
        self.body[option] == true && !gives_way
    }

    fn choice(&self) -> Option<&str> {
        self.body.get("final").and_then(Value::as_str)
    }

    fn place(&self, kind: &str) -> Option<usize> {
        self.events.iter().position(|event| event.kind() == kind)
    }

    fn count(&self, kind: &str) -> usize {
        self.events.iter().filter(|event| event.kind() == kind).count()
    }

    /// Both are there, in this order.
    #[track_caller]
    fn in_order(&self, kinds: &[&str]) {
        let places: Vec<usize> = kinds
            .iter()
            .map(|kind| self.place(kind).unwrap_or_else(|| panic!("no {kind} in {:?}", self.body)))
            .collect();
        assert!(places.is_sorted(), "{kinds:?} are at {places:?} in {:?}", self.body);
    }

    #[track_caller]
    fn has(&self, kind: &str, whether: bool) {
        assert_eq!(self.place(kind).is_some(), whether, "{kind} in {:?}", self.body);
    }

    #[track_caller]
    fn keeps_the_rules(&self) {
        let body = &self.body;
        assert_eq!(self.events.last().unwrap().kind(), "complete", "{body:?}");
        for once in ["run_started", "stage1_start", "stage3_complete", "costs_complete", "complete"] {
            assert_eq!(self.count(once), 1, "{once} in {body:?}");
        }
        let routed = self.on("use_dynamic_routing");
        self.has("routing_complete", routed);
        self.has("tier1_start", self.on("use_escalation") && !routed);
        let ignored = self.events[0].json["ignored"].as_array().map_or(0, Vec::len);
        let may_give_way = FOR_WRITING.iter().chain(&["use_react"]);
        let gave_way = may_give_way.filter(|option| body[**option] == true && !self.on(option)).count();
        assert_eq!(ignored, usize::from(routed && self.on("use_escalation")) + gave_way, "{body:?}");
        if routed {
            self.in_order(&["routing_start", "routing_complete", "stage1_start"]);
        }
        self.in_order(&[
            "stage1_start",
            "stage1_complete",
            "stage2_start",
            "stage2_complete",
            "stage3_complete",
        ]);

        assert_eq!(
            self.stored["metadata"]["second_reading"].is_object(),
            self.on("use_second_reading"),
            "{body:?}"
        );
        let again = self.stored["metadata"]["second_reading"]["held"] == true;
        assert!(!again || self.count("second_reading_start") > 0, "{body:?}");
        let agreed = self.place("consensus_detected").is_some();
        assert!(!agreed || self.on("use_early_consensus") || self.choice() == Some("auto"), "{body:?}");
        let selected = self.stored["stage3"]["selected_member"].is_string();
        assert!(!selected || self.choice() == Some("select"), "{body:?}");
        self.has("stage3_start", !agreed && !selected);
        self.has("multi_synthesis_start", self.on("use_multi_chairman") && !agreed);
        self.has("refinement_start", self.on("use_refinement") && !agreed);
        self.has("adversary_start", self.on("use_adversary") && !agreed);
        self.keeps_the_rules_of_lookups();
        self.has("stage1_tool_result", self.on("use_tools"));
        let mut end = vec!["stage3_complete"];
        if self.on("use_refinement") && !agreed {
            end.extend(["refinement_start", "refinement_complete"]);
        }
        if self.on("use_adversary") && !agreed {
            end.extend(["adversary_start", "adversary_complete", "adversary_validation_complete"]);
        }
        end.extend(["costs_complete", "complete"]);
        self.in_order(&end);

        assert_eq!(self.stored["status"], "complete", "{body:?}");
        assert_eq!(self.stored["stage3"]["response"], self.told_answer(), "{body:?}");
        assert!(self.stored["metadata"]["aggregate"].is_object(), "{body:?}");
        assert_eq!(self.stored["metadata"]["refinement"].is_object(), self.on("use_refinement") && !agreed);
        assert_eq!(self.stored["metadata"]["adversary"].is_object(), self.on("use_adversary") && !agreed);
    }

    /// Whatever the format.
    #[track_caller]
    fn keeps_the_rules_of_lookups(&self) {
        for (option, begins, ends) in [
            ("use_research", "stage0_start", "stage0_complete"),
            ("use_web_search", "web_search_start", "web_search_complete"),
        ] {
            self.has(begins, self.on(option));
            self.has(ends, self.on(option));
        }
        if self.on("use_research") && self.on("use_web_search") {
            self.in_order(&["stage0_complete", "web_search_start"]);
        }
        let looks = LOOKUPS.iter().any(|(option, _)| *option != "use_cache" && self.on(option));
        let numbers: Vec<u64> = self.stored["metadata"]["sources"]
            .as_array()
            .map(|sources| sources.iter().filter_map(|source| source["n"].as_u64()).collect())
            .unwrap_or_default();
        let known: Vec<u64> = (1..).take(numbers.len()).collect();
        assert_eq!(numbers, known, "{:?}", self.body);
        assert!(looks || numbers.is_empty(), "{:?}", self.body);
        let unknown = self.stored["stage3"]["citations"]["unknown"].as_array().map_or(0, Vec::len);
        assert_eq!(unknown, 0, "{:?}: {}", self.body, self.stored["stage3"]);
    }

    /// The final answer, as the last event that brings one says it.
    fn told_answer(&self) -> Value {
        let mut answers = self.events.iter().filter_map(|event| match event.kind() {
            "stage3_complete" => Some(event.json["data"]["response"].clone()),
            "refinement_complete" | "adversary_validation_complete" => {
                Some(event.json["final_response"].clone())
            }
            _ => None,
        });
        answers.next_back().unwrap()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_combination_of_options_runs_to_its_end_within_the_rules() {
    let app = TestApp::simulated().await;
    let ann = app.user("ann");
    let schema = schema();
    let runs = stream::iter(0..1 << OPTIONS.len()).map(|number| Ran::of(&ann, number, combination(number)));
    let mut runs = runs.buffer_unordered(AT_ONCE);
    while let Some(ran) = runs.next().await {
        ran.is_in_the_document(&schema);
        ran.keeps_the_rules();
    }
    drop(runs);
    app.close().await;
}

/// What asks for the formats with speakers, and the types of their rounds.
fn debates() -> [(Value, Vec<&'static str>); 6] {
    let all_to_all = |rounds: u8, names: &str| json!({"mode": "debate", "debate_style": "all_to_all", "debate_rounds": rounds, "debate_names": names});
    [
        (json!({"mode": "debate"}), vec!["position", "critique", "rebuttal"]),
        (json!({"use_debate": true, "include_rebuttal": false}), vec!["position", "critique"]),
        (all_to_all(2, "labels"), vec!["initial", "critique", "defense"]),
        (all_to_all(3, "models"), vec!["initial", "critique", "defense", "critique"]),
        (json!({"mode": "arena", "arena_rounds": 2}), vec!["opening", "closing"]),
        (json!({"mode": "arena"}), vec!["opening", "rebuttal", "closing"]),
    ]
}

impl Ran {
    #[track_caller]
    fn keeps_the_rules_of_debates(&self, rounds: &[&str]) {
        let body = &self.body;
        assert_eq!(self.events.last().unwrap().kind(), "complete", "{body:?}");
        let types: Vec<&Value> =
            self.stored["rounds"].as_array().unwrap().iter().map(|round| &round["round_type"]).collect();
        assert_eq!(types, rounds, "{body:?}");
        for statement in self.stored["rounds"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|round| round["responses"].as_array().unwrap())
        {
            assert!(statement["simulated"] == true && statement.get("error").is_none(), "{statement}");
        }
        for kind in ["format_ballots_start", "format_ballots_model_complete", "format_ballots_complete"] {
            self.has(kind, body["format_ballots"] == true);
        }
        for never in [
            "routing_start",
            "tier1_start",
            "stage1_start",
            "stage3_start",
            "refinement_start",
            "adversary_start",
        ] {
            self.has(never, false);
        }
        self.keeps_the_rules_of_lookups();
        self.has("tool_result", self.on("use_tools"));
        let ignored = self.events[0].json["ignored"].as_array().map_or(0, Vec::len);
        let of_the_council = OPTIONS.iter().filter(|option| **option != "use_cot" && body[**option] == true);
        assert_eq!(ignored, of_the_council.count(), "{body:?}: {}", self.events[0].json);
        let judgment = &self.stored["stage3"];
        assert_eq!(judgment["heading_fact"]["code"], "debate", "{body:?}");
        assert!(judgment["verdict"]["settled"].is_array(), "{judgment}");
        assert_eq!(self.count("costs_complete"), 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_format_runs_to_its_end_whatever_is_asked_of_the_council_besides() {
    let app = TestApp::simulated().await;
    let ann = app.user("ann");
    let schema = schema();
    let formats = debates();
    // Each option is on and off with each format.
    let cases = (0..1 << OPTIONS.len())
        .step_by(11)
        .flat_map(|number| (0..formats.len()).map(move |format| (number, format)));
    let runs = stream::iter(cases).map(|(number, format)| {
        let (options, rounds) = &formats[format];
        let bits = OPTIONS.iter().enumerate();
        let mut body: Map<String, Value> =
            bits.map(|(bit, option)| ((*option).to_owned(), json!(number & (1 << bit) != 0))).collect();
        body.extend(lookups(number));
        body.extend(options.as_object().unwrap().clone());
        body.insert("format_ballots".to_owned(), json!(number % 3 != 0));
        Ran::of(&ann, number, body).map(move |ran| (ran, rounds))
    });
    let mut runs = runs.buffer_unordered(AT_ONCE);
    while let Some((ran, rounds)) = runs.next().await {
        ran.is_in_the_document(&schema);
        ran.keeps_the_rules_of_debates(rounds);
    }
    drop(runs);
    app.close().await;
}

/// What asks for an answer that nobody has reviewed: of the whole council, of a member alone, of the chairman alone.
fn unreviewed() -> [Value; 3] {
    [json!({"use_reviews": false}), json!({"direct_to": "simulated/basil"}), json!({"direct_to": "chairman"})]
}

impl Ran {
    #[track_caller]
    fn keeps_the_rules_without_reviews(&self) {
        let body = &self.body;
        assert_eq!(self.events.last().unwrap().kind(), "complete", "{body:?}");
        for once in ["run_started", "stage3_complete", "costs_complete", "complete"] {
            assert_eq!(self.count(once), 1, "{once} in {body:?}");
        }
        let kinds = self.events.iter().map(Event::kind);
        let reviewing = kinds.filter(|kind| kind.starts_with("stage2") || kind.starts_with("second_reading"));
        assert_eq!(reviewing.count(), 0, "{body:?}");
        assert_eq!(self.stored["status"], "complete", "{body:?}");
        assert!(self.stored["stage2"].as_array().is_none_or(Vec::is_empty), "{body:?}");
        assert_eq!(self.stored["stage3"]["response"], self.told_answer(), "{body:?}");
        assert!(self.stored["metadata"]["aggregate"].is_null(), "{body:?}");
        self.keeps_the_rules_of_lookups();
        if body.contains_key("direct_to") {
            for never in [
                "routing_start",
                "tier1_start",
                "multi_synthesis_start",
                "refinement_start",
                "adversary_start",
            ] {
                self.has(never, false);
            }
            assert!(self.stored["stage1"].as_array().is_none_or(|answers| answers.len() < 2), "{body:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_reviews_and_with_one_seat_alone_every_option_runs_to_its_end() {
    let app = TestApp::simulated().await;
    let ann = app.user("ann");
    let schema = schema();
    // Each option is on and off with each of them, and with every other option.
    let cases = (0..1 << OPTIONS.len()).step_by(7).flat_map(|number| (0..3).map(move |way| (number, way)));
    let runs = stream::iter(cases).map(|(number, way)| {
        let mut body = combination(number);
        body.extend(unreviewed()[way].as_object().unwrap().clone());
        Ran::of(&ann, number, body)
    });
    let mut runs = runs.buffer_unordered(AT_ONCE);
    while let Some(ran) = runs.next().await {
        ran.is_in_the_document(&schema);
        ran.keeps_the_rules_without_reviews();
    }
    drop(runs);
    app.close().await;
}
