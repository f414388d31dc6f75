use super::*;
use crate::council::seat::Seat;
use crate::council::stages::answers::{Answer, AnswersMetadata};
use crate::llm::{CallError, ErrorKind};

fn seat(name: &str) -> Seat {
    Seat { model: format!("m/{name}"), member: name.to_owned(), alias: None }
}

fn start(names: &[&str]) -> AnyEvent {
    let members = names.iter().map(|name| seat(name)).collect();
    AnswersEvent::Stage1Start {
        members,
        use_cot: false,
        use_dynamic_routing: false,
        routing_info: None,
        use_escalation: false,
        current_tier: None,
        started_at: None,
    }
    .into()
}

fn failed(name: &str, error: CallError) -> AnyEvent {
    let Seat { model, member, .. } = seat(name);
    let error_kind = error.kind;
    let mut answer = Answer::default();
    answer.fail(error);
    let error = answer.error.clone().unwrap_or_default();
    AnswersEvent::Stage1Error { model, member, error, error_kind, data: Box::new(answer) }.into()
}

fn answered(name: &str) -> AnyEvent {
    let Seat { model, member, .. } = seat(name);
    AnswersEvent::Stage1ModelComplete { model, member, data: Box::new(Answer::default()) }.into()
}

fn retried(name: &str) -> AnyEvent {
    let Seat { model, member, .. } = seat(name);
    RunEvent::MemberRetried { member, model, stage: answers::STAGE, retry: 1, started_at: None }.into()
}

fn complete() -> AnyEvent {
    let aggregate_confidence = answers::summary(&[]);
    let metadata = AnswersMetadata { aggregate_confidence, escalation_info: None };
    AnswersEvent::Stage1Complete { data: Vec::new(), metadata }.into()
}

#[test]
fn who_has_failed_can_be_asked_again_until_the_answers_are_complete() {
    let down = || CallError::new(ErrorKind::Overloaded, "down");
    let mut events = vec![start(&["one", "two", "three", "four"]), failed("one", down()), answered("two")];
    events.push(failed("four", CallError::from(CallFact::Skipped)));
    let check = |events: &[AnyEvent], member: &str| Answering::after(events).check(member);
    assert!(check(&events, "one").is_ok());
    assert!(matches!(check(&events, "two"), Err(RetryMemberError::Answered)));
    assert!(matches!(check(&events, "three"), Err(RetryMemberError::BeingAsked)));
    assert!(matches!(check(&events, "four"), Err(RetryMemberError::Skipped)));
    let Err(RetryMemberError::NoSuchMember(seats)) = check(&events, "nobody") else {
        panic!("nobody has that seat")
    };
    assert_eq!(seats, ["one", "two", "three", "four"]);

    events.push(retried("one"));
    assert!(matches!(check(&events, "one"), Err(RetryMemberError::BeingAsked)));
    events.push(failed("one", down()));
    assert!(check(&events, "one").is_ok());
    events.push(complete());
    assert!(matches!(check(&events, "one"), Err(RetryMemberError::NotAnswering)));
    assert!(closes(events.last().unwrap()));
}

#[test]
fn where_others_are_asked_after_them_only_those_can_be_asked_again() {
    let down = || CallError::new(ErrorKind::Overloaded, "down");
    let events = [start(&["one", "two"]), failed("one", down()), start(&["three"]), failed("one", down())];
    let answering = Answering::after(&events);
    assert!(matches!(answering.check("one"), Err(RetryMemberError::NotAnswering)));
    assert!(matches!(answering.check("three"), Err(RetryMemberError::BeingAsked)));
    assert!(closes(&events[2]) && !closes(&events[3]));
    assert!(matches!(Answering::default().check("one"), Err(RetryMemberError::NotAnswering)));
}

#[test]
fn a_retry_is_told_from_those_of_others_and_from_the_one_before() {
    let wanted = |member: &str, number| MemberRetry { stage: answers::STAGE, member: member.into(), number };
    assert_eq!(begins(&retried("one"), &wanted("one", 1)).as_deref(), Some("m/one"));
    assert_eq!(begins(&retried("one"), &wanted("one", 2)), None);
    assert_eq!(begins(&retried("two"), &wanted("one", 1)), None);
    assert_eq!(begins(&answered("one"), &wanted("one", 1)), None);
}
