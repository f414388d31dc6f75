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
    let level = round.reviewed.metadata.aggregate.as_ref().map(|facts| &facts.level_without_corrections[..]);
    let fit: Vec<&AggregateRow> = fit.iter().map(|(row, _)| *row).collect();
    let sharing = sharing(&fit, level.unwrap_or_default());
    if sharing.len() > 1 {
        notes.push(NoteFact::SharedPlace { members: sharing, member: first.member.clone() });
    }
    (Some(answer), notes)
}

/// Who shares the place of the first of these, or does so but for corrections: `level` are those that share the first
/// place without them.
fn sharing(rows: &[&AggregateRow], level: &[String]) -> Vec<String> {
    let Some(first) = rows.first() else { return Vec::new() };
    let is_level = level.contains(&first.member);
    let shares = |row: &AggregateRow| row.place == first.place || (is_level && level.contains(&row.member));
    rows.iter().filter(|row| shares(row)).map(|row| row.member.clone()).collect()
}

/// The choice without a ranking: an answer can be taken only if it is the only one.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whom_only_a_correction_puts_behind_shares_the_place() {
        let row = |member: &str, place| AggregateRow {
            member: member.to_owned(),
            place,
            ..AggregateRow::default()
        };
        let (a, b, c) = (row("a", 1), row("b", 2), row("c", 2));
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        for (rows, level, expected) in [
            (vec![&a, &b, &c], vec![], vec!["a"]),
            (vec![&a, &b, &c], vec!["c", "a"], vec!["a", "c"]),
            (vec![&a, &b, &c], vec!["c", "b"], vec!["a"]),
            (vec![&b, &c], vec![], vec!["b", "c"]),
            (vec![&b, &c], vec!["a", "b"], vec!["b", "c"]),
            (vec![], vec!["a"], vec![]),
        ] {
            assert_eq!(sharing(&rows, &names(&level)), names(&expected), "{level:?}");
        }
    }
}
