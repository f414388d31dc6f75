//! The answer that the ballots put first, as the final one.

use crate::council::ranking::aggregate::AggregateRow;
use crate::council::round::Round;
use crate::council::run::Run;
use crate::council::stages::answers::{Answer, Unfit};
use crate::council::stages::synthesis::{self, HeadingFact, NoteFact, Synthesis};

/// Takes the answer that the ballots put first and that can be given out as it is; nobody is asked for it. Where
/// there is none the chairman writes. The notes say which of them were passed over, and why.
pub async fn select(run: &Run, round: &Round<'_>) -> Synthesis {
    let (answer, notes) = choose(round);
    let mut synthesis = match answer {
        Some(answer) => take(round, answer),
        None => synthesis::write(run, round).await,
    };
    for note in notes {
        synthesis.note(note);
    }
    synthesis
}

/// The answer to take, and what is to be said of the choice.
fn choose<'r>(round: &'r Round<'_>) -> (Option<&'r Answer>, Vec<NoteFact>) {
    let rows = &round.reviewed.metadata.aggregate_rankings;
    if rows.is_empty() {
        return unranked(round);
    }
    let mut notes = Vec::new();
    let mut fit: Vec<(&AggregateRow, &Answer)> = Vec::new();
    // Those that share a place stand in the order of their labels, which are drawn for the run.
    for row in rows {
        let Some(answer) = round.good().find(|answer| answer.member == row.member) else { continue };
        match answer.unfit() {
            None => fit.push((row, answer)),
            // Answers behind the one that is taken are not examined.
            Some(unfit) if fit.is_empty() => notes.push(passed_over(answer, unfit)),
            Some(_) => {}
        }
    }
    let Some((first, answer)) = fit.first() else {
        notes.push(NoteFact::NothingToTake);
        return (None, notes);
    };
    let sharing: Vec<String> =
        fit.iter().filter(|(row, _)| row.place == first.place).map(|(row, _)| row.member.clone()).collect();
    if sharing.len() > 1 {
        notes.push(NoteFact::SharedPlace { members: sharing, member: first.member.clone() });
    }
    (Some(answer), notes)
}

/// Without a ranking an answer can be taken only if it is the only one.
fn unranked<'r>(round: &'r Round<'_>) -> (Option<&'r Answer>, Vec<NoteFact>) {
    let good: Vec<&Answer> = round.good().collect();
    match good[..] {
        [only] => match only.unfit() {
            None => (Some(only), Vec::new()),
            Some(unfit) => (None, vec![passed_over(only, unfit), NoteFact::NothingToTake]),
        },
        _ => (None, vec![NoteFact::NoBallots]),
    }
}

fn passed_over(answer: &Answer, unfit: Unfit) -> NoteFact {
    let member = answer.member.clone();
    match unfit {
        Unfit::Cut => NoteFact::NotTakenCut { member },
        Unfit::AddressesJudges => NoteFact::NotTakenAddressesJudges { member },
    }
}

fn take(round: &Round<'_>, answer: &Answer) -> Synthesis {
    let (good, asked) = (round.good().count(), round.answers.len());
    let member = answer.member.clone();
    let mut synthesis = Synthesis { selected_member: Some(member.clone()), ..Synthesis::of_answer(answer) };
    synthesis.name(if good == 1 {
        HeadingFact::OneMember { by: None }
    } else if good < asked {
        HeadingFact::SomeSelected { good, asked, member }
    } else {
        HeadingFact::Selected { member }
    });
    for loss in synthesis::losses(round) {
        synthesis.note(loss);
    }
    synthesis
}
