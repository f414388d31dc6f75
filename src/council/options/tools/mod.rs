//! Tools: members may look something up before they answer (`use_tools`). How it works is in [`tool_use`]; this reads
//! whether a request wants it, and how often.
//!
//! [`tool_use`]: crate::council::tool_use

pub mod settings;
pub mod view;

use crate::council::field::{FieldErrorKind, Fields};
use crate::council::searching::plan::{NOT_CONFIGURED, SearchContext};
use crate::council::settings::Settings;
use crate::council::tool_use::Tools;

/// Reads a request's field: unless it is set, a run has tools only where its format has them by default and a search
/// backend is configured.
pub(in crate::council) fn parse(
    fields: &mut Fields<'_>,
    settings: &Settings,
    by_default: bool,
    search: Option<&SearchContext>,
) -> Option<Tools> {
    let asked: Option<bool> = fields.take("use_tools", "true or false");
    if asked == Some(true) && search.is_none() {
        fields.refuse("use_tools", FieldErrorKind::Unavailable, NOT_CONFIGURED);
    }
    let on = asked.unwrap_or(by_default) && search.is_some();
    on.then_some(Tools { max_rounds: settings.options.tools.tools_max_rounds })
}
