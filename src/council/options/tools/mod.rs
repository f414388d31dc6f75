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
use settings::ToolsSettings;

/// How often a member may call tools that is read while it writes, where nobody has set another number than the default.
const ROUNDS_ONE_AT_A_TIME: u8 = 10;

/// Reads a request's field: unless it is set, a run has tools only where its format has them by default and a search
/// backend is configured. How often is the settings' word, and depends on whether members speak one after another.
pub(in crate::council) fn parse(
    fields: &mut Fields<'_>,
    (settings, one_at_a_time): (&Settings, bool),
    by_default: bool,
    search: Option<&SearchContext>,
) -> Option<Tools> {
    let asked: Option<bool> = fields.take("use_tools", "true or false");
    if asked == Some(true) && search.is_none() {
        fields.refuse("use_tools", FieldErrorKind::Unavailable, NOT_CONFIGURED);
    }
    let on = asked.unwrap_or(by_default) && search.is_some();
    on.then(|| Tools { max_rounds: max_rounds(&settings.options.tools, one_at_a_time) })
}

fn max_rounds(set: &ToolsSettings, one_at_a_time: bool) -> u8 {
    // Layers do not tell who has set the default itself, so that counts as not set.
    let is_default = *set == ToolsSettings::default();
    if one_at_a_time && is_default { ROUNDS_ONE_AT_A_TIME } else { set.tools_max_rounds }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_read_along_may_search_more_often_unless_a_number_is_set() {
        let of = |tools_max_rounds| ToolsSettings { tools_max_rounds };
        assert_eq!(max_rounds(&of(3), false), 3);
        assert_eq!(max_rounds(&of(3), true), 10);
        assert_eq!((max_rounds(&of(2), true), max_rounds(&of(7), true)), (2, 7));
    }
}
