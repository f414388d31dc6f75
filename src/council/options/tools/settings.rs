//! What tools are set to.

use crate::council::setting::{Kind, Setting, settings};

settings! {
    /// What tools are set to.
    ToolsSettings,
    /// One layer of it.
    ToolsLayer {
        /// How often a member may call tools before it has to answer; each time is a call of its model more.
        tools_max_rounds: u8 = 3, Setting {
            reference: Some("How often a member may call tools before it has to answer; each time is a call of its model \
                             more. Where members answer one after another, 3 is taken for 10."),
            ..Setting::of(Kind::Number(1, 10))
        };
    }
}
