use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::council::attached::Attached;
use crate::council::features::{Deliberation, Lookups, Metadata};
use crate::council::formats;
use crate::council::options::research::{self, ResearchResult, SubQuery};
use crate::council::options::web_search::WebSearch;
use crate::council::plan::Context;
use crate::council::pricing::tokens;
use crate::council::prompts::history::Turn;
use crate::council::prompts::template::Prompts;
use crate::council::rerun::{Part, RerunScope};
use crate::council::searching;
use crate::council::searching::plan::{SearchContext, SearchPlan};
use crate::council::stage::Stage;
use crate::council::tool_use::Tools;
use crate::llm::{Pricing, Sampling};

/// Nothing is kept of an earlier run: there is none.
const NOTHING: Kept = Kept {
    answers: BTreeSet::new(),
    reviews: false,
    rounds: Vec::new(),
    parts: None,
    looked_up: BTreeSet::new(),
};

const PRICE: Pricing =
    Pricing { prompt: 1e-6, completion: 5e-6, request: 0.0, cache_read: None, cache_write: None };

/// Every option that a plan knows, each by itself.
const OPTIONS: [&str; 7] = [
    "use_cot",
    "use_dynamic_routing",
    "use_escalation",
    "use_early_consensus",
    "use_multi_chairman",
    "use_refinement",
    "use_adversary",
];

/// How much text there is, in characters.
#[derive(Debug, Clone, Copy)]
struct Size {
    members: usize,
    question: usize,
    history: usize,
    system: usize,
}

/// A plan of members `m0`, `m1`, … with these options on.
fn plan(size: Size, options: &[&str]) -> Plan {
    let models: Vec<String> = (0..size.members).map(|n| format!("m{n}")).collect();
    let settings = json!({
        "council_models": models, "chairman_model": "chair", "title_model": "title", "utility_model": "utility",
        "tier1_models": ["m0", "m1"], "tier2_models": ["t2", "t3"],
        "multi_chairman_models": ["d0", "d1", "d2"], "routing_pools": {"coding": ["c0", "c1", "c2"], "general": ["g0"]},
    });
    let history = (size.history > 0).then(|| Turn {
        question: "y".repeat(size.history / 2),
        answer: "z".repeat(size.history.div_ceil(2)),
    });
    let context = Context {
        settings: serde_json::from_value(settings).unwrap(),
        first: history.is_none(),
        history: history.into_iter().collect(),
        ..Context::default()
    };
    let mut body = json!({"content": "x".repeat(size.question), "system_prompt": "s".repeat(size.system)});
    for option in options {
        body[option] = Value::Bool(true);
    }
    Plan::parse(&body, context).unwrap()
}

fn usd(plan: &Plan) -> f64 {
    formats::estimate(plan, &NOTHING, |_, _| Some(PRICE)).cost_usd.unwrap()
}

const SMALL: Size = Size { members: 2, question: 400, history: 0, system: 40 };

/// The calls of the only course, as stage and model.
fn made(plan: &Plan) -> Vec<(Stage, String)> {
    let courses = courses(plan, &NOTHING);
    assert_eq!(courses.len(), 1);
    courses[0].iter().map(|call| (call.stage.clone(), call.model.clone())).collect()
}

fn count(plan: &Plan, stage: &Stage) -> usize {
    made(plan).iter().filter(|(of, _)| of == stage).count()
}

#[test]
fn a_first_question_to_two_members_by_hand() {
    // 400 characters of question and 40 of system prompt: 100 and 10 tokens.
    let plan = plan(SMALL, &[]);
    let calls = courses(&plan, &NOTHING).remove(0);
    let seen: Vec<_> = calls.iter().map(|call| (call.model.as_str(), call.completion_tokens)).collect();
    let both = [("m0", 1_200), ("m1", 1_200)];
    assert_eq!(seen, [both.to_vec(), both.to_vec(), vec![("chair", 2_000), ("title", 20)]].concat());
    // Two answers of 1,200 tokens, each with a fence of 20; the instructions around them: 330.
    assert_eq!(calls[2].prompt_tokens, 10 + 330 + 100 + 20 + 2 * 1_220);
    let notes = tokens(crate::council::stages::editorial::INSTRUCTIONS.text);
    assert_eq!(calls[4].prompt_tokens, 10 + 330 + notes + 100 + 20 + 2 * 2 * 1_220);
    assert_eq!(calls[5].prompt_tokens, 42 + 100);
    let estimate = formats::estimate(&plan, &NOTHING, |_, _| Some(PRICE));
    let prompts: u64 = calls.iter().map(|call| call.prompt_tokens).sum();
    let expected = prompts as f64 * 1e-6 + (4.0 * 1_200.0 + 2_020.0) * 5e-6;
    assert!((estimate.cost_usd.unwrap() - expected).abs() < 1e-12);
}

#[test]
fn what_a_model_may_write_at_most_is_what_it_is_expected_to() {
    let mut plan = plan(SMALL, &[]);
    let before = usd(&plan);
    let sampling = Sampling { max_tokens: Some(100), ..Sampling::default() };
    plan.task.brief.settings.sampling.insert(answers::ANSWER.name.to_owned(), sampling);
    assert_eq!(courses(&plan, &NOTHING)[0][0].completion_tokens, 100);
    assert!(usd(&plan) < before);
}

#[test]
fn an_escalation_is_expected_to_escalate() {
    let plan = plan(SMALL, &["use_escalation"]);
    // Two and two answer; the first two review themselves, then all four review everything.
    assert_eq!((count(&plan, &answers::STAGE), count(&plan, &reviews::STAGE)), (4, 2 + 4));
}

#[test]
fn a_routed_question_is_expected_to_go_where_it_is_dearest() {
    let plan = plan(SMALL, &["use_dynamic_routing"]);
    let dear = |model: &str, _: u64| {
        Some(if model == "c1" { Pricing { prompt: 1.0, completion: 1.0, ..PRICE } } else { PRICE })
    };
    let estimate = formats::estimate(&plan, &NOTHING, dear);
    assert_eq!((estimate.by_stage[&routing::STAGE].calls, estimate.by_stage[&answers::STAGE].calls), (1, 3));
    let council = |model: &str, _: u64| {
        Some(if model == "m1" { Pricing { prompt: 1.0, completion: 1.0, ..PRICE } } else { PRICE })
    };
    assert_eq!(formats::estimate(&plan, &NOTHING, council).by_stage[&answers::STAGE].calls, 2);
    // Nobody knows which it will be.
    let unknown = formats::estimate(&plan, &NOTHING, |model, _| (model != "c2").then_some(PRICE));
    assert_eq!(unknown.unknown_price_models, ["c2"]);
}

#[test]
fn several_chairmen_write_and_one_chooses() {
    let plan = plan(SMALL, &["use_multi_chairman", "use_early_consensus"]);
    let verdict: Vec<String> =
        made(&plan).into_iter().filter(|(of, _)| *of == synthesis::STAGE).map(|(_, model)| model).collect();
    assert_eq!(verdict, ["d0", "d1", "d2", "chair"]);
}

#[test]
fn a_draft_is_expected_to_be_revised_every_time() {
    let plan = plan(SMALL, &["use_refinement", "use_adversary"]);
    assert_eq!(count(&plan, &refinement::STAGE), 2 * (2 + 1), "two iterations");
    assert_eq!(count(&plan, &adversary::STAGE), 2);
}

#[test]
fn a_model_without_a_price_is_named_once_and_not_taken_for_free() {
    let plan = plan(SMALL, &[]);
    let estimate = formats::estimate(&plan, &NOTHING, |model, _| (model != "m1").then_some(PRICE));
    assert_eq!(estimate.unknown_price_models, ["m1"]);
    assert_eq!(estimate.calls, 6);
    let nobody = formats::estimate(&plan, &NOTHING, |_, _| None);
    assert_eq!(nobody.cost_usd, None);
    assert_eq!(nobody.by_stage[&answers::STAGE].cost_usd, None);
}

/// Of these members the answers are kept.
fn kept(answers: &[&str], reviews: bool) -> Kept {
    Kept { answers: answers.iter().map(|name| (*name).to_owned()).collect(), reviews, ..NOTHING }
}

#[test]
fn what_is_kept_of_an_earlier_run_is_not_paid_again() {
    let calls = |plan: &Plan, kept: &Kept| -> Vec<(Stage, String)> {
        let course = courses(plan, kept).remove(0);
        course.into_iter().map(|call| (call.stage, call.model)).collect()
    };
    let plan = Plan { title: false, ..plan(SMALL, &[]) };
    let of = |stage, model: &str| (stage, model.to_owned());
    let again = [
        of(answers::STAGE, "m1"),
        of(reviews::STAGE, "m0"),
        of(reviews::STAGE, "m1"),
        of(synthesis::STAGE, "chair"),
    ];
    assert_eq!(calls(&plan, &kept(&["m0"], false)), again);
    assert_eq!(calls(&plan, &kept(&["m0", "m1"], false)), again[1..]);
    assert_eq!(calls(&plan, &kept(&["m0", "m1"], true)), again[3..]);
}

#[test]
fn what_was_looked_up_is_expected_again_where_it_is_looked_up_again() {
    let mut plan = plan(SMALL, &[]);
    plan.lookups = Lookups { research: true, web_search: true };
    plan.task.brief.search = Some(SearchPlan::of(&SearchContext::any(), true));
    let searches = |scope: &RerunScope, earlier: &Deliberation| {
        let estimate = formats::estimate(&plan, &scope.kept(earlier), |_, _| None);
        let calls = |stage: &Stage| estimate.by_stage.get(stage).map_or(0, |stage| stage.calls);
        (calls(&research::STAGE), calls(&searching::STAGE))
    };
    let sub_results = vec![research::SubResult::default(); 2];
    let looked_up = |research: ResearchResult, web_search: Option<WebSearch>| Deliberation {
        stage0: Some(research),
        metadata: Metadata { web_search, ..Metadata::default() },
        ..Deliberation::default()
    };
    let research = ResearchResult {
        sub_queries: vec![SubQuery::default(); 2],
        sub_results: sub_results.clone(),
        ..ResearchResult::default()
    };
    let whole = looked_up(research.clone(), Some(WebSearch::default()));
    for scope in [RerunScope::Failed, RerunScope::Member("m0".to_owned()), RerunScope::From(Part::Stage2)] {
        assert_eq!(searches(&scope, &whole), (0, 0), "{scope:?}");
    }
    assert_eq!(
        searches(&RerunScope::From(Part::Stage1), &whole),
        (1, 4),
        "as if it were asked for the first time"
    );
    let unneeded = ResearchResult { needed: false, ..ResearchResult::default() };
    assert_eq!(
        searches(&RerunScope::Failed, &looked_up(unneeded, None)),
        (0, 1),
        "stopped before its search ended"
    );
    let stopped = ResearchResult { sub_results: sub_results[1..].to_vec(), ..research };
    assert_eq!(searches(&RerunScope::Failed, &looked_up(stopped, None)), (1, 4));
    let down = WebSearch { error: Some("down".to_owned()), ..WebSearch::default() };
    assert_eq!(searches(&RerunScope::Failed, &looked_up(ResearchResult::default(), Some(down))), (1, 4));
}

#[test]
fn a_routed_question_stays_with_those_who_have_answered_it() {
    let plan = plan(SMALL, &["use_dynamic_routing"]);
    let courses = courses(&plan, &kept(&["c0", "c1", "c2"], false));
    assert_eq!(courses.len(), 1);
    assert!(courses[0].iter().all(|call| call.stage != routing::STAGE && call.stage != answers::STAGE));
}

#[test]
fn a_council_that_did_not_escalate_and_whose_reviews_are_kept_pays_for_the_verdict() {
    let plan = plan(SMALL, &["use_escalation"]);
    let courses = courses(&plan, &kept(&["m0", "m1"], true));
    let stages: Vec<Stage> = courses[0].iter().map(|call| call.stage.clone()).collect();
    assert_eq!(stages, [synthesis::STAGE, title::STAGE]);
}

/// How many tokens this stage is expected to read.
fn reads(plan: &Plan, stage: &'static str) -> u64 {
    formats::estimate(plan, &NOTHING, |_, _| Some(PRICE)).by_stage[&Stage::named(stage)].prompt_tokens
}

#[test]
fn whoever_has_read_nobody_yet_reads_the_files_as_members_do_and_the_conversation_once() {
    let file = Attached {
        id: "0".repeat(64),
        filename: "long.txt".to_owned(),
        file_type: "text".to_owned(),
        mime_type: "text/plain".to_owned(),
        size: 60_000,
        characters: 60_000,
        text: "x".repeat(60_000),
        image: None,
        of_project: false,
    };
    // Two members: all 60,000 characters with a fence, or the 16,000 that judges read.
    let (whole, cut) = (2 * 15_020, 2 * 4_020);
    for (format, stage, expected) in [
        ("use_debate", "round1", whole),
        ("use_debate", "round2", cut),
        ("use_decomposition", "sub1", whole + cut),
        ("use_decomposition", "decomposition", 0),
    ] {
        let without = plan(SMALL, &[format]);
        let mut with = without.clone();
        with.task.brief.attachments = vec![file.clone()];
        assert_eq!(reads(&with, stage) - reads(&without, stage), expected, "{format}: {stage}");
    }
    let later = Size { history: 4_000, ..SMALL };
    for (format, stage) in [("use_debate", "round1"), ("use_decomposition", "sub1")] {
        let more = reads(&plan(later, &[format]), stage) - reads(&plan(SMALL, &[format]), stage);
        assert_eq!(more, 2 * 1_000, "{format}");
    }
}

#[test]
fn members_with_tools_are_expected_to_search_for_each_part() {
    let mut plan = plan(SMALL, &["use_decomposition"]);
    plan.task.brief.search = Some(SearchPlan::of(&SearchContext::any(), true));
    plan.task.tools = Some(Tools { max_rounds: 3 });
    // The texts that were parsed with it are those of what was asked for.
    plan.task.brief.prompts = Prompts::default();
    let estimate = formats::estimate(&plan, &NOTHING, |_, _| Some(PRICE));
    assert_eq!(estimate.by_stage[&searching::STAGE].calls, 5 * 2);
    assert_eq!(estimate.by_stage[&Stage::named("sub1")].calls, 2 * 2 + 2, "asked twice, and a ballot");
}

#[test]
fn any_of_a_jury_may_be_drawn_also_where_it_is_larger_than_the_debate() {
    let mut plan = plan(SMALL, &["use_debate"]);
    let jury = ["j0", "j1", "j2"].map(Member::plain);
    plan.task.brief.settings.options.jury.reviewer_models = jury.to_vec();
    plan.task.reviews_per_answer = Some(1);
    let dear =
        |model: &str, _: u64| Some(if model == "j2" { Pricing { prompt: 1.0, ..PRICE } } else { PRICE });
    assert!(formats::estimate(&plan, &NOTHING, dear).cost_usd.unwrap() > 1.0);
}

proptest! {
    #[test]
    fn more_of_anything_is_never_cheaper(
        members in 2usize..7,
        question in 1usize..20_000,
        history in 0usize..20_000,
        system in 0usize..5_000,
        more in 0usize..5_000,
        on in proptest::sample::subsequence(OPTIONS.to_vec(), 0..=OPTIONS.len()),
    ) {
        let size = Size { members, question, history, system };
        let base = usd(&plan(size, &on));
        // The members answer only where the tiers do not.
        if !on.contains(&"use_escalation") || on.contains(&"use_dynamic_routing") {
            let wider = Size { members: members + 1, ..size };
            prop_assert!(usd(&plan(wider, &on)) >= base);
        }
        let mut longer =
            vec![Size { question: question + more, ..size }, Size { system: system + more, ..size }];
        if history > 0 {
            // A first question pays for a title as well.
            longer.push(Size { history: history + more, ..size });
        }
        for longer in longer {
            prop_assert!(usd(&plan(longer, &on)) >= base, "{:?}", longer);
        }
        for option in ["use_cot", "use_multi_chairman", "use_refinement", "use_adversary"] {
            let with = [on.as_slice(), &[option]].concat();
            prop_assert!(usd(&plan(size, &with)) >= base, "{}", option);
        }
    }

    #[test]
    fn the_stages_add_up_to_the_whole(
        members in 2usize..=7,
        question in 1usize..20_000,
        on in proptest::sample::subsequence(OPTIONS.to_vec(), 0..=OPTIONS.len()),
    ) {
        let plan = plan(Size { members, question, history: 0, system: 0 }, &on);
        let estimate = formats::estimate(&plan, &NOTHING, |_, _| Some(PRICE));
        let sum: f64 = estimate.by_stage.values().filter_map(|stage| stage.cost_usd).sum();
        prop_assert!((sum - estimate.cost_usd.unwrap()).abs() < 1e-12);
        let calls: u32 = estimate.by_stage.values().map(|stage| stage.calls).sum();
        prop_assert_eq!(calls, estimate.calls);
    }
}
