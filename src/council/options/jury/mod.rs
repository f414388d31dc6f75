//! The jury: who reviews the answers in the members' place (`reviewer_models`), whether anybody does (`use_reviews`), and
//! how often (`second`).

pub mod info;
mod notes;
pub mod second;
pub mod settings;

pub use notes::SecondReadingNote;

use crate::council::field::Fields;
use crate::council::member::{Member, members, reviewer_problems};
use crate::council::pass::Pass;
use crate::council::run::Run;
use crate::council::settings::Settings;
use crate::council::task::Task;

/// Reads a request's field over the settings: who reviews in this run only. An empty list has the members review.
pub(in crate::council) fn parse(fields: &mut Fields<'_>, settings: &mut Settings) {
    if let Some(reviewers) = members(fields, "reviewer_models") {
        fields.refuse_all(reviewer_problems("reviewer_models", &reviewers));
        settings.options.jury.reviewer_models = reviewers;
    }
}

/// Who reviews what these members answer: they themselves, where there is no jury. A reviewer of a member's model is
/// that member, with its name and its prompt, so that its place for its own answer is known as one.
#[must_use]
pub fn reviewers(settings: &Settings, members: &[Member]) -> Vec<Member> {
    let jury = &settings.options.jury.reviewer_models;
    if jury.is_empty() {
        return members.to_vec();
    }
    let mut reviewers: Vec<Member> = Vec::with_capacity(jury.len());
    for reviewer in jury {
        let is_free = |member: &&Member| {
            let taken_by_name = jury.iter().any(|other| other.name() == member.name() && other != reviewer);
            member.model == reviewer.model
                && !taken_by_name
                && !reviewers.iter().any(|taken| taken.name() == member.name())
        };
        let seat = members
            .iter()
            .find(|member| member.model == reviewer.model && member.name() == reviewer.name())
            .or_else(|| members.iter().find(is_free));
        let mut seat = seat.unwrap_or(reviewer).clone();
        // A reviewer with the name of a member that has another model would be taken for the author of that member's
        // answer.
        while members.iter().any(|member| member.name() == seat.name() && member.model != seat.model)
            || reviewers.iter().any(|taken| taken.name() == seat.name())
        {
            seat.alias = Some(format!("{} (reviewer)", seat.name()));
        }
        reviewers.push(seat);
    }
    reviewers
}

/// Draws who of these reviews, where not all of them are to. They stay in their order.
pub(in crate::council) fn draw<'m>(
    run: &Run,
    task: &Task,
    pass: Pass,
    mut reviewers: Vec<&'m Member>,
) -> Vec<&'m Member> {
    let Some(most) = task.reviews_per_answer.filter(|most| *most < reviewers.len()) else { return reviewers };
    let mut places: Vec<usize> = (0..reviewers.len()).collect();
    run.shuffle(&pass.key("jury"), &mut places);
    places.truncate(most);
    let mut place = 0..;
    reviewers.retain(|_| place.next().is_some_and(|place| places.contains(&place)));
    reviewers
}

/// What a request may say of the jury.
#[derive(Debug, utoipa::ToSchema)]
#[expect(dead_code, reason = "documents the body, which the plan reads field by field")]
pub(in crate::council) struct JuryFields {
    /// Whether the answers are reviewed. Without, the chairman writes from the answers alone, and whatever needs ballots
    /// does not apply.
    #[schema(default = true)]
    use_reviews: Option<bool>,
    /// The models that review the answers in the members' place, 1 to 7, for this run only; an empty list: the
    /// members review each other.
    reviewer_models: Option<Vec<Member>>,
    /// How many of the reviewers review, 1 to all of them, drawn at random for the run; all of them by default.
    #[schema(minimum = 1, maximum = 7)]
    reviews_per_answer: Option<u8>,
    /// Whether the reviewers read the answers a second time, in the reverse order, where their first ballots disagree.
    #[schema(default = false)]
    use_second_reading: Option<bool>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seat(model: &str, alias: &str) -> Member {
        Member {
            alias: Some(alias.into()).filter(|alias: &String| !alias.is_empty()),
            ..Member::plain(model)
        }
    }

    fn names(jury: &[Member], members: &[Member]) -> Vec<String> {
        let mut settings = Settings::default();
        settings.options.jury.reviewer_models = jury.to_vec();
        reviewers(&settings, members).iter().map(|member| member.name().to_owned()).collect()
    }

    #[test]
    fn without_a_jury_the_members_review() {
        assert_eq!(names(&[], &[seat("a", "Ada"), seat("b", "")]), ["Ada", "b"]);
    }

    #[test]
    fn a_reviewer_of_a_members_model_is_that_member() {
        let members = [seat("a", "Ada"), seat("b", ""), seat("a", "Amy")];
        assert_eq!(names(&[seat("a", ""), seat("c", "")], &members), ["Ada", "c"]);
        assert_eq!(names(&[seat("a", "Amy"), seat("a", "Ann")], &members), ["Amy", "Ada"]);
        assert_eq!(
            names(&[seat("a", "Ann"), seat("a", "Ada")], &members),
            ["Amy", "Ada"],
            "Ada is named herself"
        );
        assert_eq!(names(&[seat("b", "Bea")], &members), ["b"]);
        let three = [seat("a", "1"), seat("a", "2"), seat("a", "3")];
        assert_eq!(names(&three, &members), ["Ada", "Amy", "3"], "there is no third seat of it");
    }

    #[test]
    fn nobody_is_taken_for_a_member_of_another_model() {
        let members = [seat("a", "Ada"), seat("b", "")];
        assert_eq!(names(&[seat("c", "Ada"), seat("c", "b")], &members), ["Ada (reviewer)", "b (reviewer)"]);
    }
}
