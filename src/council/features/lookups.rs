//! What is looked up before the first round, whatever the format.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Deliberation;
use crate::council::brief::Brief;
use crate::council::estimate::{ExpectedCall, Expecting, Kept};
use crate::council::field::Fields;
use crate::council::options::research::{self, ResearchResult};
use crate::council::options::web_search;
use crate::council::run::Run;
use crate::council::searching::material::Background;
use crate::council::searching::plan as searches;
use crate::council::searching::plan::SearchContext;

const RESEARCH: &str = "research";
const WEB_SEARCH: &str = "web_search";

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

    /// The names of those that found everything for this answer, so that nothing of them is looked up again.
    pub(in crate::council) fn kept(earlier: &Deliberation) -> BTreeSet<&'static str> {
        let research = earlier.stage0.as_ref().is_some_and(ResearchResult::is_whole);
        let search = earlier.metadata.web_search.as_ref().is_some_and(|search| search.error.is_none());
        let whole =
            [(RESEARCH, research), (WEB_SEARCH, search)].into_iter().filter(|(_, is_whole)| *is_whole);
        whole.map(|(name, _)| name).collect()
    }

    /// The calls that it probably takes. What is kept of an earlier run is not looked up again.
    pub(in crate::council) fn expected_calls(
        self,
        expecting: Expecting<'_>,
        kept: &Kept,
    ) -> Vec<ExpectedCall> {
        let stays = |name: &str| kept.looked_up.contains(name);
        let (researches, searches) =
            (self.research && !stays(RESEARCH), self.web_search && !stays(WEB_SEARCH));
        let research = if researches { research::estimate::expected_calls(expecting) } else { Vec::new() };
        let search = if searches { web_search::estimate::expected_call(expecting) } else { None };
        research.into_iter().chain(search).collect()
    }
}
