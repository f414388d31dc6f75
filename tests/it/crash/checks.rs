//! What must hold after a drill.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::kinds::{CHAIRMEN, Kind, PARTS, STRAGGLER, TIER1, TIER2};
use super::script::{answer, final_answer, part_answer, said, shown, speech};
use super::searching;
use super::servers::Drill;
use crate::support::app::User;
use crate::support::follower::{Transcript, assert_same_structure, structure};
use crate::support::model_server::Outcome;

/// The stages of a run by how the keys of their calls begin, the longer beginnings first.
const STAGES: [(&str, &str); 33] = [
    ("stage0/", "split"),
    ("search/facts", "research"),
    ("search/practice", "research"),
    ("search/what", "web search"),
    ("search/words", "checks"),
    ("search/call", "checks"),
    ("search/", "searches of members"),
    ("stage1/m/one/tools/", "later turns"),
    ("stage1/m/two/tools/", "later turns"),
    ("stage3/m/chair/check/", "checks"),
    ("decomposition/", "taking apart"),
    ("sub1/ballot/", "ballots over parts"),
    ("sub2/ballot/", "ballots over parts"),
    ("sub1/", "parts"),
    ("sub2/", "parts"),
    ("round1/", "round 1"),
    ("round2/", "round 2"),
    ("round3/", "round 3"),
    ("round4/", "round 4"),
    ("ballots/", "ballots"),
    ("routing", "routing"),
    ("stage1/l/", "second tier"),
    ("stage1/", "stage 1"),
    ("stage2/", "stage 2"),
    ("tier2/stage2/", "second reviews"),
    ("stage3/", "stage 3"),
    ("multi_chairman/draft/", "drafts"),
    ("multi_chairman/select/", "selection"),
    ("refine/1/", "first refinement"),
    ("refine/2/", "second refinement"),
    ("adversary/attack", "attack"),
    ("adversary/severity", "severity"),
    ("adversary/revision", "last revision"),
];

/// What a run of a kind is when nothing happens to it.
pub struct Uninterrupted {
    shape: Vec<String>,
    /// The keys of its calls, as they were asked.
    calls: Vec<String>,
}

impl Uninterrupted {
    /// Of a run that was heard when nobody had been killed.
    pub fn of(drill: &Drill, of: usize, transcript: &Transcript) -> Self {
        let kind = drill.course.kind(of);
        let asked = drill.asked().into_iter().filter(|asked| asked.case == of);
        let mut calls: Vec<String> = asked.map(|asked| asked.key).collect();
        assert_eq!(calls.len(), kind.calls(), "{kind:?}: {calls:#?}");
        if kind == Kind::Searching {
            calls = searching::in_order(&calls);
        }
        Self { shape: shape(transcript), calls }
    }

    /// How far a run has come whose calls these are.
    pub fn stage(&self, committed: &BTreeSet<&str>) -> &'static str {
        // The title is asked for beside all the others.
        let open = self.calls.iter().find(|key| *key != "title" && !committed.contains(key.as_str()));
        let Some(open) = open else { return "ending" };
        STAGES.iter().find(|(beginning, _)| open.starts_with(beginning)).expect("a known stage").1
    }

    /// All its stages.
    pub fn stages(&self) -> BTreeSet<&'static str> {
        let before = |nth| self.calls.iter().take(nth).map(String::as_str).collect();
        (0..self.calls.len()).map(|nth| self.stage(&before(nth))).collect()
    }
}

/// What a run's structural events are, whichever run it is: members that work side by side may end
/// in any order, and so do the process monitor's sentences of them. What a kill adds is left out.
fn shape(transcript: &Transcript) -> Vec<String> {
    let (sentences, events): (Vec<&Value>, Vec<&Value>) = structure(&transcript.events)
        .into_iter()
        .filter(|event| event["type"] != "call_restarted")
        .partition(|event| event["type"] == "process");
    let text = |event: &Value, field: &str| event[field].as_str().unwrap_or_default().to_owned();
    // Ballots are cast beside the rounds of a debate, one speaker may be asked after another has ended, the parts of
    // a question are answered at the same time, and members look something up while others answer.
    let (aside, events): (Vec<&Value>, Vec<&Value>) = events.into_iter().partition(|event| {
        let kind = text(event, "type");
        ["format_ballots_", "sub_council_", "stage1_tool_"].iter().any(|aside| kind.starts_with(aside))
            || kind == "model_start"
    });
    let line = |event: &&Value| {
        let number = if event["index"].is_null() { &event["round_number"] } else { &event["index"] };
        format!("{} {} {number}", text(event, "type"), text(event, "model"))
    };
    let mut shape: Vec<String> = events.iter().map(line).collect();
    for same in shape.chunk_by_mut(|one, other| one.split(' ').next() == other.split(' ').next()) {
        same.sort();
    }
    let sentences = sentences.iter().filter(|event| !text(event, "message").contains("is asked again"));
    let mut sentences: Vec<String> =
        sentences.map(|event| format!("process {} {}", event["level"], text(event, "category"))).collect();
    sentences.sort();
    shape.extend(sentences);
    let mut aside: Vec<String> = aside.iter().map(line).collect();
    aside.sort();
    shape.extend(aside);
    shape
}

/// Checks one client's stream against the log, the stored answer and an uninterrupted run. Gives the
/// stored answer.
pub async fn check(drill: &Drill, transcript: &Transcript, case: usize) -> Value {
    let (run, kind) = (&transcript.run, drill.course.kind(case));
    assert_eq!(transcript.events.last().unwrap().kind(), "complete", "{run}: {:?}", transcript.events.last());
    assert!(
        transcript.events.windows(2).all(|two| two[0].id < two[1].id),
        "{run}: numbers ascend: {:?}",
        transcript.events.iter().map(|event| event.id).collect::<Vec<_>>()
    );
    let uninterrupted = &drill.uninterrupted(case).shape;
    assert_eq!(shape(transcript), *uninterrupted, "{run} ({kind:?}): what an uninterrupted stream tells");
    let user = User::at(drill.server.as_ref().unwrap().base(), &transcript.user);
    let log = user.events(run, 0).await.rest().await;
    assert_same_structure(&transcript.events, &log, &format!("{run}: the stream, and the log"));
    let texts = transcript.texts().into_iter().map(|(call, text)| (call, text.trim_end().to_owned()));
    let texts: BTreeMap<String, String> = texts.collect();
    assert_eq!(texts, shown(case, kind), "{run}: the text that a reader has joined");

    let stored = user.get(&format!("/api/conversations/{}", transcript.conversation)).await.ok();
    let stored = stored["messages"][1].clone();
    assert_eq!(stored["status"], "complete", "{run}");
    if kind.rounds() > 0 {
        check_debate(&stored, case, kind, &format!("{run} ({kind:?})"));
        return stored;
    }
    if kind == Kind::Decomposition {
        check_parts(&stored, case, kind, &format!("{run} ({kind:?})"));
        return stored;
    }
    let answers = stored["stage1"].as_array().unwrap();
    assert_eq!(answers.len(), kind.members().len(), "{run}");
    for (stored, model) in answers.iter().zip(kind.members()) {
        let expected = if model == STRAGGLER { String::new() } else { answer(model, case, kind) };
        assert_eq!((&stored["model"], &stored["response"]), (&model.into(), &expected.into()), "{run}");
        assert_eq!(stored["error_kind"] == "cancelled", model == STRAGGLER, "{run}: {stored}");
    }
    assert_eq!(stored["stage2"].as_array().unwrap().len(), kind.critics().len(), "{run}");
    let agreed_on = &stored["metadata"]["consensus_info"]["consensus_response"];
    let response = final_answer(case, kind).map_or_else(|| agreed_on.clone(), Value::from);
    assert_eq!(stored["stage3"]["response"], response, "{run}");
    if kind == Kind::Searching {
        searching::check(transcript, &stored, case, &format!("{run} ({kind:?})"));
    } else if kind != Kind::Plain {
        check_options(&stored, case, kind, &format!("{run} ({kind:?})"));
    }
    stored
}

/// Everybody has spoken in every round, and is stored with it.
fn check_debate(stored: &Value, case: usize, kind: Kind, run: &str) {
    let rounds = stored["rounds"].as_array().unwrap();
    assert_eq!(rounds.len(), kind.rounds(), "{run}");
    for (round, stored) in (1..).zip(rounds) {
        let responses = stored["responses"].as_array().unwrap();
        assert_eq!(responses.len(), kind.members().len(), "{run}");
        for (stored, model) in responses.iter().zip(kind.members()) {
            let expected = speech(model, case, round);
            assert_eq!((&stored["model"], &stored["text"]), (&model.into(), &expected.into()), "{run}");
            assert!(stored.get("error").is_none() && stored.get("pending").is_none(), "{run}: {stored}");
        }
    }
    assert_eq!(stored["stage2"].as_array().unwrap().len(), kind.members().len(), "{run}");
    assert_eq!(stored["stage3"]["response"], said("m/chair", case), "{run}");
    assert_eq!(stored["stage3"]["heading_fact"]["code"], "debate", "{run}");
}

/// Everybody has answered every part and ranked the answers to it, and they are put together.
fn check_parts(stored: &Value, case: usize, kind: Kind, run: &str) {
    let parts = stored["decomposition"]["sub_results"].as_array().unwrap();
    assert_eq!(parts.len(), PARTS, "{run}");
    for (number, part) in (1..).zip(parts) {
        let responses = part["responses"].as_array().unwrap();
        assert_eq!(responses.len(), kind.members().len(), "{run}");
        for (stored, model) in responses.iter().zip(kind.members()) {
            let expected = part_answer(model, case, number);
            assert_eq!((&stored["model"], &stored["response"]), (&model.into(), &expected.into()), "{run}");
            assert!(stored.get("error").is_none() && stored.get("pending").is_none(), "{run}: {stored}");
        }
        let ballots = part["ballots"].as_array().unwrap();
        assert!(ballots.iter().all(|ballot| ballot["counts"] == true), "{run}: {part}");
        assert_eq!((ballots.len(), &part["picked_by"]), (kind.members().len(), &"ballot".into()), "{run}");
    }
    assert_eq!(stored["stage3"]["response"], said("m/chair", case), "{run}");
}

/// Each option has done its part, and is stored with it.
fn check_options(stored: &Value, case: usize, kind: Kind, run: &str) {
    let (metadata, stage3) = (&stored["metadata"], &stored["stage3"]);
    for (answer, model) in stored["stage1"].as_array().unwrap().iter().zip(kind.critics()) {
        assert_eq!(answer["cot"]["conclusion"], said(model, case), "{run}");
    }
    assert_eq!(metadata["use_weighted_consensus"], true, "{run}");
    assert_eq!(metadata["process_log"], true, "{run}");
    let agrees = kind == Kind::Agreed;
    assert_eq!(metadata["consensus_info"]["is_consensus"], agrees, "{run}");
    if kind == Kind::Routed {
        assert_eq!(metadata["routing_info"]["is_routed"], true, "{run}");
    } else {
        let info = &metadata["escalation_info"];
        assert_eq!(info["escalated"], !agrees, "{run}");
        assert_eq!(info["triggers"]["low_agreement"], kind == Kind::Disagreed, "{run}");
        assert_eq!(info["triggers"]["low_avg_confidence"], kind == Kind::Unsure, "{run}");
        let asked = TIER1.len() + if agrees { 0 } else { TIER2.len() };
        assert_eq!(info["total_model_count"], asked, "{run}");
    }
    if agrees {
        assert!(metadata["refinement"].is_null() && metadata["adversary"].is_null(), "{run}");
        return;
    }
    assert_eq!(stage3["syntheses"].as_array().unwrap().len(), CHAIRMEN.len(), "{run}");
    assert_eq!(stage3["selected_model"], "d/B", "{run}");
    assert_eq!(stage3["draft"], said(kind.writer().unwrap(), case), "{run}");
    let refinement = &metadata["refinement"];
    assert_eq!(
        (&refinement["total_iterations"], &refinement["converged"]),
        (&2.into(), &false.into()),
        "{run}"
    );
    let iterations = refinement["iterations"].as_array().unwrap();
    let texts: Vec<String> =
        iterations.iter().map(|round| round["revision"].as_str().unwrap().into()).collect();
    let shown = shown(case, kind);
    assert_eq!(texts, ["refine/1/revision", "refine/2/revision"].map(|key| shown[key].clone()), "{run}");
    let adversary = &metadata["adversary"];
    assert_eq!(adversary["critique"], shown["adversary/attack"], "{run}");
    assert_eq!(
        (&adversary["severity"], &adversary["severity_from"]),
        (&"major".into(), &"asked".into()),
        "{run}"
    );
    assert_eq!(adversary["revision"], stage3["response"], "{run}");
}

/// Checks the model server's own count, and the search engine's. One server makes a call at most once, and never one that was
/// in the ledger when that server began; so a call is made at most once more for each kill that
/// came before its commit.
pub async fn check_payments(drill: &Drill, cases: &BTreeMap<String, usize>) -> (usize, usize) {
    let mut made: BTreeMap<(usize, usize, String), usize> = BTreeMap::new();
    let asked = drill.asked();
    for call in &asked {
        *made.entry((call.server, call.case, call.key.clone())).or_default() += 1;
    }
    for ((server, case, key), times) in &made {
        assert_eq!(*times, 1, "server {server} made {key} of case {case} {times} times");
    }
    for (before, ledger) in drill.ledgers.iter().enumerate() {
        for (run, key) in ledger {
            let paid = (before + 1, cases[run], key.clone());
            assert!(!made.contains_key(&paid), "server {} paid {key} of run {run} again", before + 1);
        }
    }
    let ledger = drill.ledger().await;
    for (run, case) in cases {
        let expected: BTreeSet<&String> = drill.uninterrupted(*case).calls.iter().collect();
        let of_it = made.keys().filter(|(_, of, _)| of == case).map(|(_, _, key)| key);
        assert_eq!(of_it.collect::<BTreeSet<_>>(), expected, "what was asked in case {case}");
        // Calls are named here as in the ledger, which may only lack a title that came too late.
        let mut paid: BTreeSet<&String> =
            ledger.iter().filter(|(of, _)| of == run).map(|(_, key)| key).collect();
        let title = expected.get(&"title".to_owned()).copied();
        paid.extend(title);
        assert_eq!(paid, expected, "what is in the ledger of case {case}");
    }
    let finished = asked.iter().filter(|call| call.outcome == Outcome::Finished).count();
    (asked.len(), finished)
}
