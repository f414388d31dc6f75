//! What research is set to.

use crate::council::setting::{Kind, Setting, settings};

settings! {
    /// What research is set to.
    ResearchSettings,
    /// One layer of it.
    ResearchLayer {
        /// The model that says what to search for; without one the utility model does.
        research_model: Option<String> = None,
            Setting {
                reference: Some("The model that splits a question into searches. By default the utility model."),
                example: "perplexity/sonar",
                ..Setting::of(Kind::Model)
            };
    }
}
