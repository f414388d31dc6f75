//! Formats other than the council, dead after any commit.

use super::harness::Feature;
use super::scripts::*;

const ROTATION: &str = r#"{"content": "Why?", "mode": "debate", "verbosity": 3}"#;
const ALL_TO_ALL: &str =
    r#"{"content": "Why?", "mode": "debate", "debate_style": "all_to_all", "debate_rounds": 3}"#;
const DECOMPOSITION: &str = r#"{"content": "Why?", "mode": "decomposition"}"#;
const ARENA: &str = r#"{"content": "Why?", "mode": "arena", "arena_rounds": 4}"#;

/// Every format with speakers joins here.
pub const DEBATES: &[Feature] = &[
    ("a rotation", fine, nobody_waits, ROTATION),
    ("all with all", fine, nobody_waits, ALL_TO_ALL),
    ("an arena", fine, nobody_waits, ARENA),
    (
        "an arena, one after another, that loses a speaker",
        a_speaker_fails_later,
        nobody_waits,
        r#"{"content": "Why?", "mode": "arena", "arena_rounds": 3, "one_at_a_time": true}"#,
    ),
    ("all with all, and one searches", a_member_searches, nobody_waits, ALL_TO_ALL),
    (
        "an arena, and one searches in vain",
        a_member_searches_in_vain,
        nobody_waits,
        r#"{"content": "Why?", "mode": "arena", "arena_rounds": 2, "use_tools": true}"#,
    ),
    (
        "a rotation after research, and the chairman checks",
        the_chairman_checks,
        nobody_waits,
        r#"{"content": "Why?", "mode": "debate", "use_research": true, "use_react": true}"#,
    ),
    (
        "a rotation without rebuttals and ballots",
        fine,
        nobody_waits,
        r#"{"content": "Why?", "mode": "debate", "include_rebuttal": false, "format_ballots": false, "use_cot": true}"#,
    ),
    (
        "all with all under their names",
        fine,
        nobody_waits,
        r#"{"content": "Why?", "mode": "debate", "debate_style": "all_to_all", "debate_names": "models"}"#,
    ),
    ("a rotation that loses a speaker at once", a_member_fails, nobody_waits, ROTATION),
    ("all with all that loses a speaker", a_speaker_fails_later, nobody_waits, ALL_TO_ALL),
    ("a rotation that loses a speaker", a_speaker_fails_later, nobody_waits, ROTATION),
    ("an arena that loses a speaker", a_speaker_fails_later, nobody_waits, ARENA),
    ("a rotation that is broken off", nobody_speaks_again, nobody_waits, ROTATION),
    ("an arena that is broken off", nobody_speaks_again, nobody_waits, ARENA),
    ("an arena of one", only_one_opens, nobody_waits, ARENA),
    ("a rotation of nobody", nobody_answers, nobody_waits, ROTATION),
    ("the chairman of a rotation fails", the_chairman_fails, nobody_waits, ROTATION),
    ("the chairman of an arena fails", the_chairman_fails, nobody_waits, ARENA),
    ("a ballot over the openings needs repair", a_ballot_needs_repair, nobody_waits, ALL_TO_ALL),
    ("the ballots of an arena come last", fine, ballots_come_last, ARENA),
    ("the ballots of a rotation come first", fine, ballots_come_first, ROTATION),
    (
        "two of a jury of three rank the openings",
        fine,
        nobody_waits,
        r#"{"content": "Why?", "mode": "arena", "reviewer_models": ["j/one", "a/one", "j/two"], "reviews_per_answer": 2}"#,
    ),
    (
        "a speaker reads less, and another has no system prompt",
        a_memory_is_short,
        nobody_waits,
        r#"{"content": "Why?", "mode": "arena", "arena_rounds": 4, "system_prompt": "Be kind."}"#,
    ),
];

/// The same of questions that are taken apart.
pub const DECOMPOSITIONS: &[Feature] = &[
    ("a decomposition", fine, nobody_waits, DECOMPOSITION),
    (
        "a decomposition, one after another, that loses a member",
        a_member_fails,
        nobody_waits,
        r#"{"content": "Why?", "mode": "decomposition", "one_at_a_time": true}"#,
    ),
    (
        "a decomposition by confidence",
        fine,
        nobody_waits,
        r#"{"content": "Why?", "use_decomposition": true, "pick": "confidence"}"#,
    ),
    (
        "a decomposition, and one searches",
        a_member_searches,
        nobody_waits,
        r#"{"content": "Why?", "mode": "decomposition", "use_tools": true}"#,
    ),
    (
        "a decomposition by a rubric",
        fine,
        nobody_waits,
        r#"{"content": "Why?", "mode": "decomposition", "rubric": {"text": "- Right"}}"#,
    ),
    (
        "a decomposition that shows its steps",
        fine,
        nobody_waits,
        r#"{"content": "Why?", "mode": "decomposition", "use_cot": true}"#,
    ),
    ("a decomposition that loses a member", a_member_fails, nobody_waits, DECOMPOSITION),
    ("a decomposition of nobody", nobody_answers, nobody_waits, DECOMPOSITION),
    ("the utility model of a decomposition fails", the_utility_model_fails, nobody_waits, DECOMPOSITION),
    ("the chairman of a decomposition fails", the_chairman_fails, nobody_waits, DECOMPOSITION),
];
