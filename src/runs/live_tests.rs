use bytes::Bytes;

use super::*;
use crate::council::token::TokenHead;

fn run() -> LiveRun {
    let ids = (RunId::generate(), ConversationId::generate(), MessageId::generate());
    LiveRun::new(ids, UserId::from_canonical("ann"), 1, 0, HashSet::new())
}

fn say(run: &LiveRun, key: &str) -> Appended {
    run.append(None, Some(Frame::encoded(0, key, Bytes::from_static(b"{}"), false)), Urgency::Soon)
}

fn token(run: &LiveRun, call: &str, text: &str) -> Appended {
    let head = TokenHead::new("stage3_token", &serde_json::json!({ "model": call }));
    run.append_token(call, head.token(text.to_owned()))
}

fn texts(run: &LiveRun, after: u64) -> Vec<String> {
    let Recent::Frames(frames) = run.recent(after) else { panic!("behind") };
    let text = |frame: &Frame| {
        let json: serde_json::Value = serde_json::from_slice(&frame.json).unwrap();
        format!("{} {}", json["model"].as_str().unwrap(), json["content"].as_str().unwrap())
    };
    frames.iter().map(text).collect()
}

fn shown(run: &LiveRun, after: u64) -> Vec<u64> {
    match run.recent(after) {
        Recent::Frames(frames) => frames.iter().map(|frame| frame.seq).collect(),
        Recent::Behind => panic!("behind"),
    }
}

#[test]
fn tokens_are_shown_at_once_and_structural_events_when_they_are_durable() {
    let run = run();
    token(&run, "a", "x");
    assert_eq!(shown(&run, 0), [1]);
    say(&run, "stage1/complete");
    token(&run, "a", "y");
    assert_eq!(shown(&run, 0), [1], "the token waits behind the stage's end");
    let pending = run.take();
    assert_eq!(shown(&run, 0), [1], "taken is not durable");
    run.committed(&pending);
    assert_eq!(shown(&run, 0), [1, 2, 3]);
    assert_eq!(shown(&run, 2), [3]);
}

#[test]
fn that_it_waits_is_noted_with_the_event_that_says_so_and_not_once_more_by_a_later_execution() {
    let offer = || Some(Frame::encoded(0, "offered", Bytes::from_static(b"{}"), false));
    let first = run();
    first.append(Some(Record::Waits), offer(), Urgency::Soon);
    let pending = first.take();
    assert_eq!((pending.records.len(), pending.frames.len()), (1, 1));
    let ids = (first.id, first.conversation, first.message);
    let known = HashSet::from(["offered".to_owned()]);
    let second = LiveRun::new(ids, first.user.clone(), 2, 1, known);
    second.append(Some(Record::Waits), offer(), Urgency::Soon);
    let pending = second.take();
    assert_eq!((pending.records.len(), pending.frames.len()), (0, 0));
}

#[test]
fn tokens_gather_until_somebody_takes_them() {
    let run = run();
    token(&run, "a", "One");
    token(&run, "b", "Eins");
    token(&run, "a", " two");
    assert_eq!(texts(&run, 0), ["a One two", "b Eins"]);
    token(&run, "a", " three");
    assert_eq!(texts(&run, 2), ["a  three"], "what was read does not change any more");
    token(&run, "b", " zwei");
    say(&run, "stage3/complete");
    token(&run, "b", " drei");
    let taken = run.take();
    assert_eq!(taken.frames.iter().map(|frame| frame.seq).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6]);
    assert_eq!(taken.frames[4].key, "stage3/complete", "nothing passes a structural event");
}

#[test]
fn a_reader_that_waits_is_woken_by_the_first_token_only() {
    let run = run();
    let (mut shown_to, progress) = (run.shown_to(), run.progress());
    token(&run, "a", "x");
    assert!(shown_to.has_changed().unwrap());
    shown_to.mark_unchanged();
    token(&run, "a", "y");
    assert!(!shown_to.has_changed().unwrap(), "it has not come yet to take the first");
    assert!(!progress.has_changed().unwrap(), "who waits for anything else sleeps on");
}

#[test]
fn a_structural_event_is_written_once() {
    let run = run();
    say(&run, "a");
    say(&run, "a");
    assert_eq!(run.take().frames.len(), 1);
}

#[test]
fn the_writer_is_told_once_per_batch_and_again_when_it_is_urgent() {
    let run = run();
    let record = |run: &LiveRun| {
        let row = DecisionRow { run: run.id, user: run.user.clone(), key: "d".into(), value: "1".into() };
        run.append(Some(Record::Decision(row)), None, Urgency::Now)
    };
    assert_eq!(token(&run, "a", "x").wake_writer, Some(Urgency::Tokens));
    assert_eq!(token(&run, "a", "y").wake_writer, None);
    assert_eq!(say(&run, "stage3/complete").wake_writer, Some(Urgency::Soon));
    assert_eq!(say(&run, "costs").wake_writer, None);
    assert_eq!(record(&run).wake_writer, Some(Urgency::Now));
    assert_eq!(say(&run, "title").wake_writer, None);
    let pending = run.take();
    assert_eq!(
        token(&run, "a", "z").wake_writer,
        Some(Urgency::Tokens),
        "a batch under way does not hide what comes after it"
    );
    run.committed(&pending);
    assert_eq!(run.take().frames.len(), 1);
    assert_eq!(say(&run, "costs").wake_writer, None, "known");
}

#[test]
fn a_later_execution_gives_no_number_that_may_have_been_seen() {
    let ids = (RunId::generate(), ConversationId::generate(), MessageId::generate());
    let run = LiveRun::new(ids, UserId::from_canonical("ann"), 2, 8, HashSet::new());
    assert_eq!(run.recent(7), Recent::Behind, "the log has 8");
    assert_eq!(shown(&run, 8), [0; 0]);
    say(&run, "stage3/start");
    assert_eq!(*run.shown_to().borrow(), 8, "nothing new may be shown yet");
    run.committed(&run.take());
    assert_eq!(shown(&run, 8), [8 + SEQ_GAP + 1]);
    assert_eq!(shown(&run, 15), [8 + SEQ_GAP + 1], "a reader that saw tokens which were lost");
}

#[test]
fn a_reader_far_behind_is_sent_to_the_log_and_pending_events_are_never_forgotten() {
    let run = run();
    let big = Bytes::from(vec![b' '; 100 * 1024]);
    for key in ["a", "b", "c", "d", "e"] {
        run.append(None, Some(Frame::encoded(0, key, big.clone(), false)), Urgency::Soon);
    }
    let pending = run.take();
    assert_eq!(run.state().ring.len(), 5, "nothing is durable, nothing is forgotten");
    run.committed(&pending);
    assert_eq!(shown(&run, 0).len(), 5, "whoever keeps up gets the last batch");
    say(&run, "f");
    run.committed(&run.take());
    assert_eq!(run.recent(0), Recent::Behind);
    assert_eq!(shown(&run, 5), [6]);
}
