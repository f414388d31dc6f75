//! What several chairmen are set to.

use crate::council::member::MIN_MEMBERS;
use crate::council::setting::{Kind, Setting, settings};

settings! {
    /// What several chairmen are set to.
    MultiChairmanSettings,
    /// One layer of it.
    MultiChairmanLayer {
        /// The models that each write a draft when several chairmen do; 2 to 7, or none when the option
        /// is not to be used.
        multi_chairman_models: Vec<String> = Vec::new(),
            Setting {
                reference: Some("The models that each write a draft when several chairmen do, 2 to 7. Built in with the \
                                 built-in council; without any the option is not offered."),
                example: "~openai/gpt-latest, ~anthropic/claude-sonnet-latest",
                ..Setting::of(Kind::Models(MIN_MEMBERS))
            };
    }
}
