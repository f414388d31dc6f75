//! Which members are to answer.

use serde::{Deserialize, Serialize};

use super::brief::Brief;
use super::field::Fields;
use super::options::escalation::Tiers;
use super::options::routing::{self, RoutingInfo, RoutingPools};
use super::run::Run;
use super::run_event::{Ignored, IgnoredFact};
use super::seat::Alone;
use super::settings::{MIN_MEMBERS, Member, Settings};

/// How the members that answer are chosen.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Choice {
    /// The whole council answers.
    #[default]
    Everyone,
    /// The models listed for the kind of question answer.
    Routing { pools: RoutingPools },
    /// A first tier answers, and a second one where the first is unsure.
    Escalation(Tiers),
    /// One seat answers, and its answer is the final one.
    Alone { seat: Alone },
}

impl Choice {
    /// Reads the request's fields, and decides which option excludes which. A council that the request names itself
    /// is not replaced by another one. `why_not` is the reason why tiers do not apply, so that none need be set.
    pub fn parse(
        fields: &mut Fields<'_>,
        settings: &Settings,
        why_not: Option<IgnoredFact>,
        ignored: &mut Vec<Ignored>,
    ) -> Self {
        let flag = "true or false";
        let routing = fields.take("use_dynamic_routing", flag).unwrap_or(false);
        let escalation = fields.take("use_escalation", flag).unwrap_or(false);
        let named = fields.has("models");
        let mut ignore = |field: &str, fact| ignored.push(Ignored::because(field, fact));
        let pools = &settings.options.routing.routing_pools;
        let routed = routing && !named && pools.values().any(|models| models.len() >= MIN_MEMBERS);
        if routing && named {
            ignore("use_dynamic_routing", IgnoredFact::ModelsNamed);
        } else if routing && !routed {
            ignore("use_dynamic_routing", IgnoredFact::NoPools);
        }
        if escalation && named {
            ignore("use_escalation", IgnoredFact::ModelsNamed);
        } else if escalation && routed {
            ignore("use_escalation", IgnoredFact::Routed);
        } else if escalation {
            match (Tiers::of(settings), why_not) {
                (Ok(tiers), _) => return Self::Escalation(tiers),
                (Err(_), Some(why_not)) => ignore("use_escalation", why_not),
                (Err(problems), None) => fields.refuse_all(problems),
            }
        }
        if routed { Self::Routing { pools: pools.clone() } } else { Self::Everyone }
    }

    /// The groups of models that may be asked first: a council of these models, or the pools and tiers that may take
    /// its place.
    #[must_use]
    pub fn may_answer<'m>(&'m self, council: Vec<&'m str>) -> Vec<Vec<&'m str>> {
        match self {
            Self::Everyone | Self::Alone { .. } => vec![council],
            Self::Routing { pools } => {
                let able = pools.values().filter(|models| models.len() >= MIN_MEMBERS);
                let pools = able.map(|models| models.iter().map(String::as_str).collect());
                std::iter::once(council).chain(pools).collect()
            }
            Self::Escalation(tiers) => vec![tiers.first.iter().map(|member| member.model.as_str()).collect()],
        }
    }

    /// The largest quorum that can be asked for, with a council of this size: whenever members are asked, it is capped
    /// at the number asked.
    #[must_use]
    pub fn most(&self, council: usize) -> usize {
        match self {
            Self::Everyone | Self::Alone { .. } => council,
            Self::Routing { pools } => pools.values().map(Vec::len).fold(council, usize::max),
            Self::Escalation(tiers) => council.max(tiers.first.len()).max(tiers.second.len()),
        }
    }
}

/// The members that answer, in order.
#[derive(Debug, Clone)]
pub struct Roster {
    pub members: Vec<Member>,
    /// Why these members, where the question was routed.
    pub routing: Option<RoutingInfo>,
}

impl Roster {
    /// Chooses the members, as the plan says.
    pub async fn choose(run: &Run, brief: &Brief, choice: &Choice) -> Self {
        match choice {
            Choice::Everyone | Choice::Alone { .. } => {
                Self { members: brief.members().to_vec(), routing: None }
            }
            Choice::Routing { pools } => {
                let (members, info) = routing::choose(run, brief, pools).await;
                Self { members, routing: Some(info) }
            }
            Choice::Escalation(tiers) => Self { members: tiers.first.clone(), routing: None },
        }
    }
}

#[cfg(test)]
#[path = "roster_tests.rs"]
mod tests;
