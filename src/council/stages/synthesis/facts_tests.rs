use std::borrow::Cow;

use serde_json::json;

use super::*;
use crate::council::stages::answers::Answer;
use crate::council::stages::reviews::Reviewed;
use crate::council::task::Task;
use crate::llm::{CallFact, ErrorKind};

/// One member was in time and the other late, so there was nothing to review.
#[test]
fn answers_that_nobody_reviewed_are_not_headed_as_the_councils_final_one() {
    let task: Task = serde_json::from_value(json!({"question": "Why?", "settings": {}})).unwrap();
    let late = Answer { late: true, ..Answer::default() };
    let round = Round {
        task: Cow::Borrowed(&task),
        members: Vec::new(),
        answers: vec![Answer::default(), late],
        reviewed: Reviewed::default(),
    };
    assert_eq!(HeadingFact::of(&round, None), HeadingFact::Unranked);
}

#[test]
fn a_heading_is_made_of_its_fact() {
    let (drafts, good, asked) = (3, 2, 4);
    let council = |by| HeadingFact::Council { by: Some(by) };
    let member = || "Ada".to_owned();
    for (fact, heading) in [
        (HeadingFact::Council { by: None }, "Final answer of the council"),
        (council(Author::StandIn), "Answer of the council, written by a stand-in for the chairman"),
        (council(Author::Chosen { drafts }), "Answer of the council, chosen from 3 drafts"),
        (
            council(Author::ChosenByStandIn { drafts }),
            "Answer of the council, chosen from 3 drafts by a stand-in for the chairman",
        ),
        (
            council(Author::NobodyChose { drafts }),
            "Answer of the council, the first of 3 drafts: nobody could choose",
        ),
        (
            council(Author::ChoiceUnread { drafts }),
            "Answer of the council, the first of 3 drafts: no choice could be read",
        ),
        (
            council(Author::OnlyDraft { drafts }),
            "Answer of the council, by the only one of 3 chairmen that did not fail",
        ),
        (HeadingFact::Unranked, "Answer of the council, without a ranking"),
        (HeadingFact::SomeMembers { good, asked, by: None }, "Answer of 2 of 4 members"),
        (
            HeadingFact::SomeMembers { good, asked, by: Some(Author::StandIn) },
            "Answer of 2 of 4 members, written by a stand-in for the chairman",
        ),
        (HeadingFact::OneMember { by: None }, "Answer after a single member's reply, without peer review"),
        (HeadingFact::MemberAlone { member: "ada".into() }, "Answer of ada alone, without the council"),
        (HeadingFact::ChairmanAlone, "Answer of the chairman alone, without the council"),
        (HeadingFact::Agreed { member: member() }, "The council agreed: the answer of Ada"),
        (
            HeadingFact::SomeAgreed { good, asked, member: member() },
            "The 2 of 4 members that answered agreed: the answer of Ada",
        ),
        (HeadingFact::Selected { member: member() }, "Chosen by the ballots: the answer of Ada"),
        (
            HeadingFact::SomeSelected { good, asked, member: member() },
            "Chosen by the ballots of the 2 of 4 members that answered: the answer of Ada",
        ),
        (HeadingFact::NoAnswer, "No final answer: the chairman and its stand-ins failed"),
        (HeadingFact::Unfinished, "Not finished"),
    ] {
        assert_eq!(fact.to_string(), heading);
        let json = serde_json::to_string(&fact).unwrap();
        assert_eq!(serde_json::from_str::<HeadingFact>(&json).unwrap(), fact, "{json}");
    }
}

#[test]
fn a_note_is_made_of_its_fact() {
    let member = || "Ada".to_owned();
    let model = || "a/one".to_owned();
    let label = || "B".to_owned();
    let timeout = || Reason::of(Some(ErrorKind::Timeout), None, "a/one said nothing for 30 s.");
    let skipped = || {
        let fact = CallFact::Skipped;
        Reason::of(Some(ErrorKind::Cancelled), Some(&fact), &fact.to_string())
    };
    for (fact, note) in [
        (
            NoteFact::NoAnswer { member: member(), reason: timeout() },
            "Ada gave no answer: no answer came in time.",
        ),
        (
            NoteFact::NoAnswer { member: member(), reason: Reason::of(None, None, "Said so.") },
            "Ada gave no answer: Said so.",
        ),
        (
            NoteFact::UnfinishedAnswer { member: member(), reason: skipped() },
            "Ada did not finish its answer: skipped: the council was told to go on without it.",
        ),
        (
            NoteFact::CutAnswer { member: member() },
            "Ada did not finish its answer: it is too long and was cut.",
        ),
        (NoteFact::Late { member: member() }, "Ada answered late: its answer was not reviewed."),
        (
            NoteFact::NoReview { member: member(), reason: timeout() },
            "Ada gave no review: no answer came in time.",
        ),
        (NoteFact::NoBallot { member: member() }, "Ada's review holds no ballot that counts."),
        (
            NoteFact::NoFinalAnswer { model: model(), reason: timeout() },
            "a/one could not write the final answer: no answer came in time.",
        ),
        (
            NoteFact::WithoutReviews { model: model() },
            "The reviews did not fit into a/one's context: it wrote from the answers and the ranking.",
        ),
        (
            NoteFact::NoDraft { model: model(), label: label(), reason: timeout() },
            "a/one could not write draft B: no answer came in time.",
        ),
        (NoteFact::NothingToChoose, "There was nothing to choose from: nobody was asked to."),
        (
            NoteFact::NoChoice { model: model(), reason: timeout() },
            "a/one could not choose among the drafts: no answer came in time",
        ),
        (
            NoteFact::NotAskedAgain { model: model(), reason: timeout() },
            "a/one could not be asked again for its choice: no answer came in time",
        ),
        (
            NoteFact::ChoiceUnread { model: model(), label: label() },
            "a/one's choice could not be read: draft B stands, the first one.",
        ),
        (
            NoteFact::VersionCut { model: model(), label: label() },
            "a/one's own version of the answer broke off at its token limit: draft B stands as it was written.",
        ),
        (
            NoteFact::SharedPlace { members: vec![member(), "Bea".into()], member: member() },
            "Ada, Bea share their place in the ranking: the answer of Ada is taken, which it lists first.",
        ),
        (
            NoteFact::NotTakenCut { member: member() },
            "Ada's answer was cut at its token limit: it is not taken as it is.",
        ),
        (
            NoteFact::NotTakenAddressesJudges { member: member() },
            "Ada's answer speaks to its reviewers: it is not taken as it is.",
        ),
        (NoteFact::NothingToTake, "No answer can be taken as it is, so the chairman was asked to write."),
        (
            NoteFact::NoBallots,
            "No ballot counts, so no answer is the first: the chairman was asked to write.",
        ),
        (
            NoteFact::NothingToAnswer { rounds: 2, planned: 3 },
            "None of the speakers that were left had been criticised: the debate ended after round 2 of 3.",
        ),
    ] {
        assert_eq!(fact.to_string(), note);
        let json = serde_json::to_string(&fact).unwrap();
        assert_eq!(serde_json::from_str::<NoteFact>(&json).unwrap(), fact, "{json}");
    }
}
