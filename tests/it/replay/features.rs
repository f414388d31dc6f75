//! The features of the council, one a line, and all of them together.

use super::harness::Feature;
use super::scripts::*;

const SEVERAL: &str = r#"{"content": "Why?", "use_multi_chairman": true}"#;

/// Routing goes before escalation: with both on, nobody is asked in tiers.
const EVERYTHING_ROUTED: &str = r#"{"content": "Why?", "use_cot": true, "use_weighted_consensus": true,
    "use_early_consensus": true, "use_multi_chairman": true, "use_dynamic_routing": true,
    "use_escalation": true, "use_refinement": true, "use_adversary": true, "verbosity": 3, "quorum": 2}"#;
const EVERYTHING_ESCALATED: &str = r#"{"content": "Why?", "use_cot": true, "use_weighted_consensus": true,
    "use_early_consensus": true, "use_multi_chairman": true, "use_escalation": true,
    "use_refinement": true, "use_adversary": true, "verbosity": 3, "quorum": 2,
    "straggler_grace_ms": 600000}"#;

/// Every feature joins here.
pub const FEATURES: &[Feature] = &[
    ("plain", fine, nobody_waits, r#"{"content": "Why?"}"#),
    ("chain of thought", fine, nobody_waits, r#"{"content": "Why?", "use_cot": true}"#),
    ("the cache cannot be asked", fine, nobody_waits, r#"{"content": "Why?", "use_cache": true}"#),
    ("a member fails", a_member_fails, nobody_waits, r#"{"content": "Why?"}"#),
    ("the chairman fails", the_chairman_fails, nobody_waits, r#"{"content": "Why?"}"#),
    ("a ballot needs repair", a_ballot_needs_repair, nobody_waits, r#"{"content": "Why?"}"#),
    (
        "system prompts are rejected",
        system_prompts_are_rejected,
        nobody_waits,
        r#"{"content": "Why?", "system_prompt": "Be kind."}"#,
    ),
    ("the council agrees", fine, nobody_waits, r#"{"content": "Why?", "use_early_consensus": true}"#),
    (
        "the council differs",
        reviewers_differ,
        nobody_waits,
        r#"{"content": "Why?", "use_early_consensus": true}"#,
    ),
    (
        "two of a jury of three",
        fine,
        nobody_waits,
        r#"{"content": "Why?", "reviewer_models": ["j/one", "a/one", "j/two"], "reviews_per_answer": 2}"#,
    ),
    (
        "a second reading",
        reviewers_disagree,
        nobody_waits,
        r#"{"content": "Why?", "use_second_reading": true, "verbosity": 2}"#,
    ),
    (
        "a second reading by two tiers",
        reviewers_disagree,
        nobody_waits,
        r#"{"content": "Why?", "use_second_reading": true, "use_escalation": true}"#,
    ),
    (
        "a rubric",
        reviewers_disagree,
        nobody_waits,
        r#"{"content": "Why?", "use_second_reading": true, "rubric": {"text": "- Right", "name": "Short"}}"#,
    ),
    ("one seat alone", fine, nobody_waits, r#"{"content": "Why?", "direct_to": "b/two"}"#),
    (
        "the chairman alone",
        fine,
        nobody_waits,
        r#"{"content": "Why?", "direct_to": "chairman", "use_cot": true}"#,
    ),
    ("one seat alone fails", a_member_fails, nobody_waits, r#"{"content": "Why?", "direct_to": "b/two"}"#),
    ("nobody reviews", fine, nobody_waits, r#"{"content": "Why?", "use_reviews": false, "verbosity": 3}"#),
    (
        "nobody reviews, and a straggler is left behind",
        fine,
        one_never_answers,
        r#"{"content": "Why?", "use_reviews": false, "quorum": 2}"#,
    ),
    (
        "the answer has a form",
        the_chairman_needs_two_tries_at_json,
        nobody_waits,
        r#"{"content": "Why?", "form": {"name": "answer"}, "use_adversary": true}"#,
    ),
    (
        "the chairman writes no JSON",
        the_chairman_writes_no_json,
        nobody_waits,
        r#"{"content": "Why?", "form": {"name": "answer"}, "use_reviews": false}"#,
    ),
    ("no second reading", fine, nobody_waits, r#"{"content": "Why?", "use_second_reading": true}"#),
    (
        "the winner is taken word for word",
        reviewers_differ,
        nobody_waits,
        r#"{"content": "Why?", "final": "select", "verbosity": 1}"#,
    ),
    (
        "no winner to take word for word",
        no_ballot_is_readable,
        nobody_waits,
        r#"{"content": "Why?", "final": "select"}"#,
    ),
    ("a clear winner is taken", answers_are_unsure, nobody_waits, r#"{"content": "Why?", "final": "auto"}"#),
    ("several chairmen write", fine, nobody_waits, SEVERAL),
    ("one of several chairmen fails", a_drafter_fails, nobody_waits, SEVERAL),
    ("all but one of several chairmen fail", drafters_fail, nobody_waits, SEVERAL),
    ("all of several chairmen fail", all_drafters_fail, nobody_waits, SEVERAL),
    ("the chairman cannot choose", the_chairman_fails, nobody_waits, SEVERAL),
    ("a choice is asked for again", a_choice_is_unreadable, nobody_waits, SEVERAL),
    ("nobody answers", nobody_answers, nobody_waits, r#"{"content": "Why?"}"#),
    ("a straggler is left behind", fine, one_never_answers, r#"{"content": "Why?", "quorum": 2}"#),
    ("a straggler comes late", fine, one_comes_late, r#"{"content": "Why?", "quorum": 2}"#),
    (
        "the grace lets a straggler in",
        fine,
        one_comes_after_the_others,
        r#"{"content": "Why?", "quorum": 2, "straggler_grace_ms": 600000}"#,
    ),
    ("too many fail for the quorum", most_fail, nobody_waits, r#"{"content": "Why?", "quorum": 2}"#),
    ("routing", fine, nobody_waits, r#"{"content": "Why?", "use_dynamic_routing": true}"#),
    (
        "routing without the utility model",
        the_utility_model_fails,
        nobody_waits,
        r#"{"content": "Compare Rust and Python code.", "use_dynamic_routing": true}"#,
    ),
    (
        "routing with a straggler",
        fine,
        one_never_answers,
        r#"{"content": "Why?", "use_dynamic_routing": true, "quorum": 2}"#,
    ),
    ("escalation not called for", fine, nobody_waits, r#"{"content": "Why?", "use_escalation": true}"#),
    (
        "escalation by confidence",
        answers_are_unsure,
        nobody_waits,
        r#"{"content": "Why?", "use_escalation": true}"#,
    ),
    (
        "escalation by agreement",
        reviewers_disagree,
        nobody_waits,
        r#"{"content": "Why?", "use_escalation": true}"#,
    ),
    (
        "escalation in vain",
        reviewers_disagree_and_nobody_else_answers,
        nobody_waits,
        r#"{"content": "Why?", "use_escalation": true}"#,
    ),
    (
        "escalation without a first tier",
        only_the_second_tier_answers,
        nobody_waits,
        r#"{"content": "Why?", "use_escalation": true}"#,
    ),
    ("escalation of nobody", nobody_answers, nobody_waits, r#"{"content": "Why?", "use_escalation": true}"#),
    (
        "a straggler of the first tier comes while the second answers",
        answers_are_unsure,
        one_comes_while_the_second_tier_answers,
        r#"{"content": "Why?", "use_escalation": true, "quorum": 2}"#,
    ),
    (
        "a straggler of the first tier is stopped when the second has answered",
        answers_are_unsure,
        one_never_answers,
        r#"{"content": "Why?", "use_escalation": true, "quorum": 2}"#,
    ),
    (
        "a straggler of the first tier is stopped before the second is asked",
        reviewers_disagree,
        one_never_answers,
        r#"{"content": "Why?", "use_escalation": true, "quorum": 2}"#,
    ),
    (
        "a straggler's provider rejects system prompts",
        system_prompts_are_rejected,
        one_never_answers,
        r#"{"content": "Why?", "system_prompt": "Be kind.", "quorum": 2}"#,
    ),
    (
        "a member fails before a refinement",
        a_member_fails,
        nobody_waits,
        r#"{"content": "Why?", "use_refinement": true}"#,
    ),
    ("refinement converges", a_critic_fails, nobody_waits, r#"{"content": "Why?", "use_refinement": true}"#),
    (
        "refinement and a devil's advocate",
        the_attack_is_grave,
        nobody_waits,
        r#"{"content": "Why?", "system_prompt": "Be kind.", "use_refinement": true, "use_adversary": true, "verbosity": 3}"#,
    ),
    (
        "revisions fail",
        revisions_fail,
        nobody_waits,
        r#"{"content": "Why?", "use_refinement": true, "use_adversary": true}"#,
    ),
    (
        "a member searches",
        a_member_searches,
        nobody_waits,
        r#"{"content": "Why?", "use_tools": true, "verbosity": 3}"#,
    ),
    (
        "research and a web search",
        fine,
        nobody_waits,
        r#"{"content": "Why?", "use_research": true, "use_web_search": true, "verbosity": 3}"#,
    ),
    (
        "half of the research fails",
        half_of_the_research_fails,
        nobody_waits,
        r#"{"content": "Why?", "use_research": true, "verbosity": 3}"#,
    ),
    (
        "the chairman checks",
        the_chairman_checks,
        nobody_waits,
        r#"{"content": "Why?", "use_react": true, "use_web_search": true, "verbosity": 3}"#,
    ),
    (
        "the chairman checks without end",
        the_chairman_checks_without_end,
        nobody_waits,
        r#"{"content": "Why?", "use_react": true}"#,
    ),
    (
        "several chairmen check",
        the_chairman_checks,
        nobody_waits,
        r#"{"content": "Why?", "use_react": true, "use_multi_chairman": true}"#,
    ),
    (
        "a member searches without end",
        a_member_searches_without_end,
        nobody_waits,
        r#"{"content": "Why?", "use_tools": true}"#,
    ),
    (
        "a member searches in vain",
        a_member_searches_in_vain,
        nobody_waits,
        r#"{"content": "Why?", "use_tools": true}"#,
    ),
    (
        "one after another, and one searches",
        a_member_searches,
        nobody_waits,
        r#"{"content": "Why?", "use_tools": true, "one_at_a_time": true}"#,
    ),
    (
        "one after another, and system prompts are rejected",
        system_prompts_are_rejected,
        nobody_waits,
        r#"{"content": "Why?", "system_prompt": "Be kind.", "one_at_a_time": true}"#,
    ),
    (
        "one after another, and the last is left behind",
        fine,
        the_last_never_answers,
        r#"{"content": "Why?", "quorum": 1, "one_at_a_time": true}"#,
    ),
    (
        "one after another, and the last of the first tier comes before the second",
        answers_are_unsure,
        the_last_comes_late,
        r#"{"content": "Why?", "quorum": 2, "use_escalation": true, "one_at_a_time": true}"#,
    ),
];

/// All options that go together in one run.
pub const TOGETHER: &[Feature] = &[
    (
        "every option, and the question is routed",
        every_option_and_a_ballot_to_repair,
        one_never_answers,
        EVERYTHING_ROUTED,
    ),
    (
        "every option, and the first tier disagrees",
        every_option_and_reviewers_that_disagree,
        nobody_waits,
        EVERYTHING_ESCALATED,
    ),
    (
        "every option, and the first tier is unsure",
        every_option_and_members_that_are_unsure,
        nobody_waits,
        EVERYTHING_ESCALATED,
    ),
    ("every option, and the council agrees", fine, nobody_waits, EVERYTHING_ESCALATED),
];
