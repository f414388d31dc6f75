//! Members that are asked again while others answer, dead after any commit: each is asked as often as in a run that has not
//! died, and its last answer counts.

use llm_council::council::Run;
use llm_council::council::member_retry::MemberRetry;
use llm_council::council::stages::answers;
use llm_council::id::RunId;
use llm_council::llm::{CallError, ChatRequest, ErrorKind, Reply};
use llm_council::runs::memory::MemoryStore;

use super::harness::{Seen, execute_with_requests, plan};
use super::scripts::{Hold, fine};

const MEMBER: &str = "b/two";

fn is_answer_of(model: &str, request: &ChatRequest) -> bool {
    request.purpose.name == "answer" && request.model == model
}

/// The second member fails until the journal has so many failures of it.
fn fails(
    times: usize,
) -> impl Fn(&ChatRequest, &MemoryStore) -> Result<Reply, CallError> + Send + Sync + 'static {
    move |request, store| {
        let failed = store.calls.values().filter(|call| call.model == MEMBER && call.result.is_err()).count();
        if is_answer_of(MEMBER, request) && failed < times {
            Err(CallError::new(ErrorKind::Overloaded, "down"))
        } else {
            fine(request)
        }
    }
}

fn is_told(store: &MemoryStore, event: &str) -> bool {
    store.events.iter().any(|(key, _)| key == event)
}

/// The third member answers once the second has come to something again.
fn until_the_first_retry_is_over(request: &ChatRequest, store: &MemoryStore) -> bool {
    is_answer_of("c/three", request) && !is_told(store, "retry/1/stage1/b/two/complete")
}

fn until_the_second_retry_is_over(request: &ChatRequest, store: &MemoryStore) -> bool {
    is_answer_of("c/three", request) && !is_told(store, "retry/2/stage1/b/two/complete")
}

fn the_third_never_answers(request: &ChatRequest, _: &MemoryStore) -> bool {
    is_answer_of("c/three", request)
}

/// The others make a quorum while it is asked again; its answer comes during the reviews.
fn the_retry_comes_late(request: &ChatRequest, store: &MemoryStore) -> bool {
    let is_asked_again = is_told(store, "retry/1/stage1/b/two");
    if is_answer_of(MEMBER, request) {
        return is_asked_again && !store.decisions.contains_key("stage1/quorum");
    }
    let is_review = request.purpose.name == "review" && request.model == "a/one";
    (is_answer_of("c/three", request) && !is_asked_again)
        || (is_review && !is_told(store, "retry/1/stage1/b/two/complete"))
}

async fn check(body: &str, failures: usize, hold: Hold) -> Seen {
    let (plan, id) = (plan(body), RunId::generate());
    let requests = |run: &Run| {
        for number in 1..=u32::try_from(failures).unwrap() {
            run.retry(&MemberRetry { stage: answers::STAGE, member: MEMBER.to_owned(), number });
        }
    };
    let how = || (fails(failures), hold);
    let whole = execute_with_requests(MemoryStore::default(), requests, &plan, how(), id, &[]).await;
    for death in 0..whole.commits {
        let again = execute_with_requests(MemoryStore::default(), requests, &plan, how(), id, &[death]).await;
        assert_eq!(again.seen, whole.seen, "{body}, dead after {death} commits");
    }
    whole.seen
}

fn told(seen: &Seen, kind: &str) -> usize {
    seen.events.values().filter(|event| event["type"] == kind).count()
}

#[tokio::test]
async fn a_member_that_is_asked_again_answers_with_the_others() {
    let seen = check(r#"{"content": "Why?", "verbosity": 3}"#, 1, until_the_first_retry_is_over).await;
    assert_eq!((seen.calls["answer b/two"], seen.calls["review b/two"], seen.failed), (2, 1, false));
    assert_eq!((told(&seen, "member_retried"), told(&seen, "stage1_error")), (1, 1));
    let answers = seen.deliberation.stage1.unwrap();
    assert_eq!((answers[1].retries, answers[1].response.as_str()), (1, "Answer by b/two"));
    assert_eq!(seen.deliberation.stage2.unwrap().len(), 3);
    let costs = seen.deliberation.metadata.costs.unwrap();
    assert_eq!(costs.by_stage[&answers::STAGE].calls, 4, "the call that failed counts as well");
}

#[tokio::test]
async fn a_member_is_asked_again_as_often_as_somebody_wants_that() {
    let seen = check(r#"{"content": "Why?"}"#, 2, until_the_second_retry_is_over).await;
    assert_eq!((seen.calls["answer b/two"], told(&seen, "stage1_error")), (3, 2));
    assert_eq!(seen.deliberation.stage1.unwrap()[1].retries, 2);
}

#[tokio::test]
async fn the_answer_of_one_that_is_asked_again_may_make_the_quorum() {
    let seen = check(r#"{"content": "Why?", "quorum": 2}"#, 1, the_third_never_answers).await;
    let complete = &seen.events["stage1/complete"]["data"];
    assert_eq!((&complete[1]["retries"], &complete[2]["pending"]), (&1.into(), &true.into()));
    assert_eq!(seen.deliberation.stage2.unwrap().len(), 2);
}

#[tokio::test]
async fn one_that_is_asked_again_may_come_late() {
    let seen = check(r#"{"content": "Why?", "quorum": 2}"#, 1, the_retry_comes_late).await;
    let answers = seen.deliberation.stage1.unwrap();
    assert_eq!((answers[1].retries, answers[1].late), (1, true));
    assert_eq!(seen.deliberation.stage2.unwrap().len(), 2, "nobody reviewed it, and it reviewed nobody");
}
