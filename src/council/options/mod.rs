//! Options of a run: a file or a folder each, and a line below where there is something to set.

pub mod adversary;
pub mod cache;
pub mod confidence;
pub mod consensus;
pub mod cot;
pub mod escalation;
pub mod jury;
pub mod multi_chairman;
pub mod one_seat;
pub mod react;
pub mod refinement;
pub mod research;
pub mod routing;
pub mod rubric;
pub mod tools;
pub mod web_search;
pub mod word_for_word;

use super::option_settings::{RequestLayer, RequestSettings, option_settings};
use adversary::settings::{AdversaryLayer, AdversarySettings};
use cache::settings::{CacheLayer, CacheSettings};
use escalation::settings::{EscalationLayer, EscalationSettings};
use jury::settings::{JuryLayer, JurySettings};
use multi_chairman::settings::{MultiChairmanLayer, MultiChairmanSettings};
use research::settings::{ResearchLayer, ResearchSettings};
use routing::settings::{RoutingLayer, RoutingSettings};
use tools::settings::{ToolsLayer, ToolsSettings};

option_settings! {
    multi_chairman: MultiChairmanSettings, MultiChairmanLayer;
    routing: RoutingSettings, RoutingLayer;
    escalation: EscalationSettings, EscalationLayer;
    adversary: AdversarySettings, AdversaryLayer;
    jury: JurySettings, JuryLayer;
    research: ResearchSettings, ResearchLayer;
    tools: ToolsSettings, ToolsLayer;
    cache: CacheSettings, CacheLayer;
    requests: RequestSettings, RequestLayer;
}

#[cfg(test)]
mod tests;
