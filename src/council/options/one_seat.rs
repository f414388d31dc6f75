//! One seat alone answers: a member is asked what it meant, or the chairman without the council. Nobody reviews, nobody
//! writes anew, and each seat goes on from its own history of the conversation ([`SeatHistory`]).

use crate::council::failure::Failure;
use crate::council::field::{FieldErrorKind, Fields};
use crate::council::member::{CHAIRMAN, Member};
use crate::council::pass::Pass;
use crate::council::prompts::seat_history::{FIELD, SeatHistory};
use crate::council::run::Run;
use crate::council::seat::Alone;
use crate::council::settings::Settings;
use crate::council::stages::answers::{self, Answer};
use crate::council::stages::synthesis::facts::not_looked_up;
use crate::council::stages::synthesis::{HeadingFact, NoteFact, Synthesis, SynthesisEvent};
use crate::council::task::Task;

/// Reads which seat a request asks alone, if any: that seat is the whole council of the run. A seat that answered
/// earlier in this conversation may be asked even if it is no longer on the council. Only one format takes one.
pub(in crate::council) fn parse(
    fields: &mut Fields<'_>,
    settings: &mut Settings,
    (mode, takes_one): (&str, bool),
    seat_history: Option<&SeatHistory>,
) -> Option<Alone> {
    let name: String = fields.take(FIELD, "the name of a member, or chairman")?;
    let sits = settings.council_models.iter().find(|member| member.name() == name).cloned();
    let (seat, member) = match sits.or_else(|| seat_history.and_then(|history| history.seat.clone())) {
        Some(member) => (Alone::Member, member),
        None if name == CHAIRMAN => (Alone::Chairman, chairman(settings)),
        None => {
            let names: Vec<&str> = settings.council_models.iter().map(Member::name).collect();
            let message = format!("nobody is called {name:?}; there are {} and {CHAIRMAN}", names.join(", "));
            fields.refuse(FIELD, FieldErrorKind::Value, message);
            return None;
        }
    };
    if !takes_one {
        let message = format!("asks one seat alone in a request for {mode}, which takes several");
        fields.refuse(FIELD, FieldErrorKind::Value, message);
    }
    settings.council_models = vec![member];
    Some(seat)
}

/// The chairman as a seat, with the prompt that it has where it sits as well.
fn chairman(settings: &Settings) -> Member {
    let model = settings.chairman_model.clone();
    let sits = settings.council_models.iter().find(|member| member.model == model);
    Member {
        system_prompt: sits.and_then(|member| member.system_prompt.clone()),
        alias: settings.chairman_alias.clone(),
        model,
    }
}

/// Lets the seat answer: what it says is the final answer.
///
/// # Errors
/// When it did not answer.
pub async fn hold(run: &Run, task: &Task, seat: Alone) -> Result<(), Failure> {
    let members = task.brief.members();
    answers::announce(run, task, (members, None), false).await;
    let (answers, _) = answers::ask_all(run, task, members, None).await;
    answers::complete(run, Pass::First, &answers, None).await;
    let Some(answer) = answers.iter().find(|answer| answer.is_good()) else {
        return Err(Failure::no_answers(answers.iter().map(|answer| answer.error_kind)));
    };
    let synthesis = taken(task, answer, seat);
    run.emit("stage3/complete", SynthesisEvent::complete(synthesis)).await;
    Ok(())
}

fn taken(task: &Task, answer: &Answer, seat: Alone) -> Synthesis {
    let member = answer.member.clone();
    let selected_member = Some(member.clone()).filter(|_| seat == Alone::Member);
    let mut synthesis = Synthesis { selected_member, ..Synthesis::of_answer(answer) };
    synthesis.name(match seat {
        Alone::Member => HeadingFact::MemberAlone { member: member.clone() },
        Alone::Chairman => HeadingFact::ChairmanAlone,
    });
    if answer.truncated {
        synthesis.note(NoteFact::CutAnswer { member });
    }
    for note in not_looked_up(&task.brief) {
        synthesis.note(note);
    }
    synthesis
}

/// What a request may say of it.
#[derive(Debug, utoipa::ToSchema)]
#[expect(dead_code, reason = "documents the body, which the plan reads field by field")]
pub(in crate::council) struct OneSeatFields {
    /// Only this seat answers, without reviews: the name of a member of the council, or of a seat that has answered in this
    /// conversation, or `chairman`. A member goes on from what it said itself, and is told what the council answered.
    #[schema(example = "chairman")]
    direct_to: Option<String>,
}
