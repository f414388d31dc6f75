//! What the devil's advocate is set to.

use crate::council::setting::{Kind, Setting, settings};

settings! {
    /// What the devil's advocate is set to.
    AdversarySettings,
    /// One layer of it.
    AdversaryLayer {
        /// The devil's advocate; without one the chairman's fallback or the chairman plays it.
        adversary_model: Option<String> = None,
            Setting {
                reference: Some("The devil's advocate. By default the first fallback of the chairman, else the chairman."),
                example: "~moonshotai/kimi-latest",
                ..Setting::of(Kind::Model)
            };
    }
}
