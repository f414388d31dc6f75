//! What is looked up before the first round, whatever the format.

use serde::{Deserialize, Serialize};

use crate::council::brief::Brief;
use crate::council::estimate::{ExpectedCall, Expecting};
use crate::council::field::Fields;
use crate::council::options::research;
use crate::council::options::web_search;
use crate::council::run::Run;
use crate::council::searching::material::Background;
use crate::council::searching::plan as searches;
use crate::council::searching::plan::SearchContext;

/// What is looked up before the first round, in every format.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lookups {
    /// Whether the question is split into searches.
    #[serde(default)]
    pub research: bool,
    /// Whether the question itself is searched for.
    #[serde(default)]
    pub web_search: bool,
}

impl Lookups {
    /// Reads a request's fields.
    pub(in crate::council) fn parse(fields: &mut Fields<'_>, search: Option<&SearchContext>) -> Self {
        Self {
            research: searches::flag(fields, "use_research", search),
            web_search: searches::flag(fields, "use_web_search", search),
        }
    }

    /// Whether anything is.
    #[must_use]
    pub fn any(self) -> bool {
        self.research || self.web_search
    }

    /// Looks it up.
    pub(in crate::council) async fn hold(self, run: &Run, brief: &Brief) -> Background {
        let mut background = Background::default();
        if self.research {
            research::hold(run, brief, &mut background).await;
        }
        if self.web_search {
            web_search::hold(run, brief, &mut background).await;
        }
        background
    }

    /// The calls that it probably takes.
    pub(in crate::council) fn expected_calls(self, expecting: Expecting<'_>) -> Vec<ExpectedCall> {
        let research = if self.research { research::estimate::expected_calls(expecting) } else { Vec::new() };
        let search = if self.web_search { web_search::estimate::expected_call(expecting) } else { None };
        research.into_iter().chain(search).collect()
    }
}
