//! Who reviews in the members' place.

use crate::council::member::Member;
use crate::council::setting::{Kind, Setting, settings};

settings! {
    /// Who reviews in the members' place.
    JurySettings,
    /// One layer of it.
    JuryLayer {
        /// The models that review the answers in the members' place, 1 to 7; none: the members review each other.
        reviewer_models: Vec<Member> = Vec::new(),
            Setting {
                reference: Some("The models that review the answers in the members' place, 1 to 7; an item may be a table \
                                 as in `models`. Without any the members review each other."),
                example: "~openai/gpt-latest, ~google/gemini-pro-latest",
                may_review: true,
                ..Setting::of(Kind::Reviewers)
            };
    }
}
