//! What the models say in a drill, and how the ledger names what they are asked.

use std::collections::BTreeMap;

use super::kinds::{Course, Kind, PARTS, STRAGGLER, TIER1, TIER2};
use super::searching;
use crate::debates::{Asked, asked};
use crate::support::model_server::{AskedFor, RecordedRequest, Script};

/// How often the answer has been revised in the end.
const REVISIONS: usize = 3;

/// The case that a request is about: each run's question has a number of its own, which every
/// prompt of the run repeats.
pub fn case(text: &str) -> usize {
    let digits = text.split("case-").nth(1).unwrap_or_else(|| panic!("a prompt of no case: {text}"));
    digits.chars().take(4).collect::<String>().parse().unwrap()
}

/// A call's place in the deliberation, as the ledger names it.
pub fn key(request: &RecordedRequest, kind: Kind) -> String {
    let (model, prompt) = (&request.model, request.prompt());
    if kind == Kind::Searching {
        return searching::key(request);
    }
    if kind.rounds() > 0 {
        return match asked(request) {
            Asked::Round(round) => format!("round{round}/{model}"),
            Asked::Judgment => format!("stage3/{model}"),
            Asked::Ballot => format!("ballots/{model}"),
            Asked::Repair => format!("ballots/{model}/repair"),
            Asked::Title => "title".to_owned(),
        };
    }
    if kind == Kind::Decomposition {
        let part = part(prompt);
        return match request.asked_for() {
            AskedFor::Answer if is_about_the_whole(prompt, JUDGED) => "decomposition/complexity".to_owned(),
            AskedFor::Answer if is_about_the_whole(prompt, SPLIT) => "decomposition/split".to_owned(),
            AskedFor::Answer => format!("sub{part}/{model}"),
            AskedFor::Review => format!("sub{part}/ballot/{model}"),
            AskedFor::Synthesis => format!("stage3/{model}"),
            AskedFor::Title => "title".to_owned(),
            AskedFor::Selection
            | AskedFor::Routing
            | AskedFor::Critique
            | AskedFor::Revision
            | AskedFor::Attack
            | AskedFor::Severity => panic!("it is not asked for in a decomposition: {prompt}"),
        };
    }
    match request.asked_for() {
        AskedFor::Answer => format!("stage1/{model}"),
        AskedFor::Review if is_repair(prompt) => format!("stage2/{model}/repair"),
        AskedFor::Review if kind == Kind::Disagreed && request.labels().len() > TIER1.len() => {
            format!("tier2/stage2/{model}")
        }
        AskedFor::Review => format!("stage2/{model}"),
        AskedFor::Synthesis => match model.strip_prefix("d/") {
            Some(label) => format!("multi_chairman/draft/{label}"),
            None => format!("stage3/{model}"),
        },
        AskedFor::Title => "title".to_owned(),
        AskedFor::Routing => "routing".to_owned(),
        AskedFor::Critique => format!("refine/{}/critique/{model}", revisions(prompt) + 1),
        AskedFor::Revision => match revisions(prompt) + 1 {
            REVISIONS => "adversary/revision".to_owned(),
            iteration => format!("refine/{iteration}/revision"),
        },
        AskedFor::Attack => "adversary/attack".to_owned(),
        AskedFor::Severity => "adversary/severity".to_owned(),
        AskedFor::Selection if is_for_the_letter(prompt) => format!("multi_chairman/select/{model}/letter"),
        AskedFor::Selection => format!("multi_chairman/select/{model}"),
    }
}

/// How the two questions about a whole question begin.
const JUDGED: &str = "Say whether the question";
const SPLIT: &str = "Split the question";

fn is_about_the_whole(prompt: &str, beginning: &str) -> bool {
    prompt.starts_with(beginning)
}

/// A part of a case's question, from 1.
fn sub_question(case: usize, part: usize) -> String {
    format!("What is no. {part} of case-{case:04}?")
}

/// The part that a prompt is about.
fn part(prompt: &str) -> usize {
    (1..=PARTS).find(|part| prompt.contains(&format!("What is no. {part} of case-"))).unwrap_or(0)
}

/// What a member says of a part.
pub fn part_answer(model: &str, case: usize, part: usize) -> String {
    format!("{} That is no. {part} of it.", said(model, case))
}

/// How often the answer that a prompt holds has been revised.
fn revisions(prompt: &str) -> usize {
    (1..REVISIONS).rev().find(|nth| prompt.contains(&revised(*nth))).unwrap_or(0)
}

fn revised(times: usize) -> String {
    format!("(Revised {times} times.)")
}

fn is_repair(prompt: &str) -> bool {
    prompt.starts_with("You have reviewed")
}

fn is_for_the_letter(prompt: &str) -> bool {
    prompt.starts_with("You have compared")
}

/// What a model finds of a case.
pub fn said(model: &str, case: usize) -> String {
    format!("I, {model}, have looked at case-{case:04} for quite a while and find it good.")
}

/// A member's answer, without how sure it is.
pub fn answer(model: &str, case: usize, kind: Kind) -> String {
    let said = said(model, case);
    match kind {
        Kind::Searching => searching::cited(model, case),
        Kind::Plain | Kind::Rotation | Kind::AllToAll | Kind::Arena | Kind::Decomposition => said,
        Kind::Routed | Kind::Disagreed | Kind::Unsure | Kind::Agreed => {
            format!("**THINKING:**\nHm.\n\n**ANALYSIS:**\nIt is short.\n\n**CONCLUSION:**\n{said}")
        }
    }
}

/// The final answer; none when it is a member's.
pub fn final_answer(case: usize, kind: Kind) -> Option<String> {
    let writer = kind.writer()?;
    let said = said(writer, case);
    Some(if kind == Kind::Searching {
        searching::cited(writer, case)
    } else if matches!(kind, Kind::Plain | Kind::Decomposition) || kind.rounds() > 0 {
        said
    } else {
        format!("{said} {}", revised(REVISIONS))
    })
}

/// The text of each call that a client sees arrive, as it reads in the end.
pub fn shown(case: usize, kind: Kind) -> BTreeMap<String, String> {
    if kind.rounds() > 0 || kind == Kind::Decomposition {
        return shown_of_a_format(case, kind);
    }
    let answers = kind.critics().into_iter();
    let mut shown: BTreeMap<String, String> =
        answers.map(|model| (format!("stage1/{model}"), answer(model, case, kind))).collect();
    let Some(writer) = kind.writer() else { return shown };
    let said = said(writer, case);
    if matches!(kind, Kind::Plain | Kind::Searching) {
        shown.extend(final_answer(case, kind).map(|text| (format!("stage3/{writer}"), text)));
        return shown;
    }
    shown.insert("multi_chairman/select/m/chair".to_owned(), selection(case, kind));
    shown.insert("refine/1/revision".to_owned(), format!("{said} {}", revised(1)));
    shown.insert("refine/2/revision".to_owned(), format!("{said} {}", revised(2)));
    shown.insert("adversary/attack".to_owned(), attack(case));
    shown.insert("adversary/revision".to_owned(), format!("{said} {}", revised(3)));
    shown
}

fn shown_of_a_format(case: usize, kind: Kind) -> BTreeMap<String, String> {
    let mut shown = BTreeMap::from([("stage3/m/chair".to_owned(), said("m/chair", case))]);
    for round in 1..=kind.rounds() {
        for model in kind.members() {
            shown.insert(format!("round{round}/{model}"), speech(model, case, round));
        }
    }
    shown
}

/// What a speaker of a debate says in a round.
pub fn speech(model: &str, case: usize, round: usize) -> String {
    format!("{} That is what I hold in round no. {round} of this debate.", said(model, case))
}

fn selection(case: usize, kind: Kind) -> String {
    if kind == Kind::Unsure {
        return format!("All drafts on case-{case:04} please me.");
    }
    let response = if kind == Kind::Routed { said("m/chair", case) } else { "UNCHANGED".to_owned() };
    format!(
        "EVALUATION:\nThe drafts on case-{case:04} are fair.\n\nSELECTED: B\n\nREASONING:\nIt is clear.\n\n\
         FINAL RESPONSE:\n{response}"
    )
}

fn attack(case: usize) -> String {
    format!("The second step of case-{case:04} does not follow.")
}

fn confidence(model: &str, kind: Kind) -> u8 {
    match kind {
        Kind::Plain
        | Kind::Rotation
        | Kind::AllToAll
        | Kind::Arena
        | Kind::Decomposition
        | Kind::Searching => 8,
        // Too little for a consensus, enough not to escalate.
        Kind::Routed | Kind::Disagreed => 6,
        Kind::Unsure if TIER2.contains(&model) => 6,
        Kind::Unsure => 3,
        Kind::Agreed => 9,
    }
}

fn review(request: &RecordedRequest, case: usize, kind: Kind) -> String {
    let mut labels = request.labels();
    let prompt = request.prompt();
    if kind == Kind::Routed && request.model == "p/three" && !is_repair(prompt) {
        return format!("Of case-{case:04} I like {} and also {}, and {0} again.", labels[0], labels[1]);
    }
    if kind == Kind::Agreed {
        labels.sort();
    }
    let all_alike = kind == Kind::Disagreed && labels.len() == TIER1.len();
    let lines: Vec<String> = if all_alike {
        vec![format!("1. {}", labels.join(" = "))]
    } else {
        labels.iter().enumerate().map(|(at, label)| format!("{}. {label}", at + 1)).collect()
    };
    format!("All on case-{case:04} were read.\n\nFINAL RANKING:\n{}", lines.join("\n"))
}

/// What is said before the parts are put together, but for ballots.
fn of_a_decomposition(prompt: &str, model: &str, case: usize) -> String {
    if is_about_the_whole(prompt, JUDGED) {
        format!("SHOULD_DECOMPOSE: YES\nCONFIDENCE: 0.9\nREASONING: case-{case:04} has parts.")
    } else if is_about_the_whole(prompt, SPLIT) {
        let parts: Vec<String> =
            (1..=PARTS).map(|part| format!("{part}. {}", sub_question(case, part))).collect();
        parts.join("\n")
    } else {
        part_answer(model, case, part(prompt))
    }
}

/// What a model is made to say, at the call's own pace.
pub fn script(request: &RecordedRequest, seed: u64, course: &Course) -> Script {
    let (model, prompt) = (&request.model, request.prompt());
    if model == STRAGGLER {
        return Script::answer("").stall();
    }
    let case = case(prompt);
    let kind = course.kind(case);
    let whole = course.pace(seed, case, &key(request, kind));
    if kind == Kind::Searching
        && let Some(turn) = searching::turn(request, case)
    {
        return turn.paced(whole / 6);
    }
    let asked_for = request.asked_for();
    let text = match asked_for {
        AskedFor::Answer if kind.rounds() > 0 => {
            let Asked::Round(round) = asked(request) else { panic!("not a speech: {prompt}") };
            let says_position = prompt.contains("POSITION: UNCHANGED");
            format!(
                "{}{}",
                speech(model, case, round),
                if says_position { "\n\nPOSITION: UNCHANGED" } else { "" }
            )
        }
        AskedFor::Answer if kind == Kind::Decomposition => of_a_decomposition(prompt, model, case),
        AskedFor::Answer => {
            format!("{}\n\nCONFIDENCE: {}", answer(model, case, kind), confidence(model, kind))
        }
        AskedFor::Synthesis => said(model, case),
        AskedFor::Review => review(request, case, kind),
        AskedFor::Title => "A Case For You".to_owned(),
        AskedFor::Routing => "CATEGORY: CODING".to_owned(),
        AskedFor::Selection if is_for_the_letter(prompt) => "SELECTED: B".to_owned(),
        AskedFor::Selection => selection(case, kind),
        AskedFor::Critique => format!("The year in case-{case:04} is wrong, says {model}."),
        AskedFor::Revision => format!("{} {}", said(model, case), revised(revisions(prompt) + 1)),
        AskedFor::Attack => attack(case),
        AskedFor::Severity => r#"{"severity": "major"}"#.to_owned(),
    };
    if matches!(asked_for, AskedFor::Review | AskedFor::Title | AskedFor::Routing | AskedFor::Severity) {
        return Script::answer("").pause(whole).text(&text);
    }
    let words = u32::try_from(text.split(' ').count()).unwrap();
    Script::answer(&text).paced(whole * 3 / 2 / words)
}
