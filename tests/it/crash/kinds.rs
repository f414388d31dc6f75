//! The kinds of runs that a drill has under way, and where its kills are aimed.

use std::time::Duration;

use serde_json::{Value, json};

use super::moments::SeededRng;
use super::searching;
use crate::support::model_server::AskedFor;
use crate::support::process::Program;

pub const COUNCIL: [&str; 4] = ["m/one", "m/two", "m/three", "m/four"];
/// Its last one never answers.
pub const POOL: [&str; 4] = ["p/one", "p/two", "p/three", STRAGGLER];
pub const STRAGGLER: &str = "p/slow";
pub const TIER1: [&str; 3] = ["s/one", "s/two", "s/three"];
pub const TIER2: [&str; 2] = ["l/one", "l/two"];
/// Each named by the label of its draft.
pub const CHAIRMEN: [&str; 3] = ["d/A", "d/B", "d/C"];

/// What is asked for, and how the models take it. All but the first are asked with every option on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// As a newcomer asks.
    Plain,
    /// The question is routed, the quorum goes on without a member, one ballot must be asked for
    /// again, and the chairman writes a text of its own instead of a draft.
    Routed,
    /// The first tier's reviewers disagree: all that was answered is reviewed twice. The chairman
    /// leaves a draft as it is.
    Disagreed,
    /// The first tier is unsure, and the chairman has to be asked for its choice again.
    Unsure,
    /// The first tier agrees and is sure: its answer is the final one.
    Agreed,
    /// The members debate in rotation.
    Rotation,
    /// Each criticises every other, twice.
    AllToAll,
    Arena,
    /// The question is taken apart, and every part is answered by everybody at the same time.
    Decomposition,
    /// The question is looked up before, two members look something up, and so does the chairman.
    Searching,
}

/// Into how many parts a question is taken.
pub const PARTS: usize = 2;

impl Kind {
    /// The fields of the request, beside the question.
    pub fn options(self) -> Value {
        match self {
            Self::Plain => return json!({}),
            Self::Rotation => return json!({"mode": "debate", "verbosity": 3}),
            Self::AllToAll => {
                let style = "all_to_all";
                return json!({"mode": "debate", "debate_style": style, "debate_rounds": 3, "verbosity": 3});
            }
            Self::Arena => return json!({"mode": "arena", "arena_rounds": 4, "verbosity": 3}),
            Self::Decomposition => return json!({"mode": "decomposition", "verbosity": 3}),
            Self::Searching => {
                return json!({"use_research": true, "use_web_search": true, "use_tools": true, "use_react": true,
                              "verbosity": 3});
            }
            Self::Routed | Self::Disagreed | Self::Unsure | Self::Agreed => {}
        }
        // With such a grace nobody is left behind who answers at all.
        let (quorum, grace_ms) = if self == Self::Routed { (POOL.len() - 1, 0) } else { (2, 600_000) };
        json!({
            "quorum": quorum,
            "straggler_grace_ms": grace_ms,
            "use_cot": true,
            "use_weighted_consensus": true,
            "use_early_consensus": true,
            "use_multi_chairman": true,
            "use_dynamic_routing": self == Self::Routed,
            "use_escalation": self != Self::Routed,
            "use_refinement": true,
            "refinement_max_iterations": 2,
            "use_adversary": true,
            "verbosity": 3,
        })
    }

    /// How many rounds of speeches it has.
    pub fn rounds(self) -> usize {
        match self {
            Self::Rotation => 3,
            Self::AllToAll | Self::Arena => 4,
            Self::Plain
            | Self::Routed
            | Self::Disagreed
            | Self::Unsure
            | Self::Agreed
            | Self::Decomposition
            | Self::Searching => 0,
        }
    }

    /// Who answers, in the answers' order.
    pub fn members(self) -> Vec<&'static str> {
        match self {
            Self::Plain
            | Self::Rotation
            | Self::AllToAll
            | Self::Arena
            | Self::Decomposition
            | Self::Searching => COUNCIL.to_vec(),
            Self::Routed => POOL.to_vec(),
            Self::Disagreed | Self::Unsure => [&TIER1[..], &TIER2[..]].concat(),
            Self::Agreed => TIER1.to_vec(),
        }
    }

    /// Who reviews and criticises.
    pub fn critics(self) -> Vec<&'static str> {
        self.members().into_iter().filter(|model| *model != STRAGGLER).collect()
    }

    /// Who writes the final answer; nobody when the council agrees.
    pub fn writer(self) -> Option<&'static str> {
        match self {
            Self::Plain
            | Self::Routed
            | Self::Rotation
            | Self::AllToAll
            | Self::Arena
            | Self::Decomposition
            | Self::Searching => Some("m/chair"),
            Self::Disagreed | Self::Unsure => Some("d/B"),
            Self::Agreed => None,
        }
    }

    /// How many calls a run makes.
    pub fn calls(self) -> usize {
        let (members, critics) = (self.members().len(), self.critics().len());
        // Two rounds of critiques and revisions; an attack, how grave it is, and a revision.
        let polished = 2 * (critics + 1) + 3;
        let written = CHAIRMEN.len() + 1 + polished;
        let (title, routing, repair, letter) = (1, 1, 1, 1);
        let answered = title + members + critics;
        match self {
            Self::Plain => answered + 1,
            Self::Routed => routing + answered + repair + written,
            Self::Disagreed => answered + TIER1.len() + written,
            Self::Unsure => answered + written + letter,
            Self::Agreed => answered,
            // Everybody speaks in every round and ranks the openings; the chairman judges.
            Self::Rotation | Self::AllToAll | Self::Arena => title + (self.rounds() + 1) * members + 1,
            // It is judged and taken apart; everybody answers each part and ranks the answers; they are put together.
            Self::Decomposition => title + 2 + PARTS * 2 * members + 1,
            Self::Searching => searching::CALLS.len(),
        }
    }
}

/// What a kill is aimed at: the types of events that a client was just shown, and the kinds of
/// calls whose answers were just sent.
pub struct Aim {
    pub shown: &'static [&'static str],
    pub answered: &'static [AskedFor],
}

/// A drill: what its runs are, and where its kills go.
pub struct Course {
    /// In turn.
    pub kinds: &'static [Kind],
    /// For each kill of a wave of runs, in the order of a run; the waves take the rows in turn.
    pub aims: &'static [[Aim; super::KILLS_PER_RUN]],
    /// Of ten kills, how many come at any time.
    pub unaimed: usize,
    /// The longest pace of a call, in milliseconds.
    pub pace_ms: u64,
    /// Something is looked up: searches are aimed at as well.
    pub searches: bool,
}

impl Course {
    /// The kind of a case's run.
    pub fn kind(&self, case: usize) -> Kind {
        self.kinds[case % self.kinds.len()]
    }

    /// How long a call takes. Every run has a pace of its own, and so has every call: kills fall into different places.
    pub fn pace(&self, seed: u64, case: usize, key: &str) -> Duration {
        let name: u64 = key.bytes().fold(0, |sum, byte| sum * 31 % 9973 + u64::from(byte));
        let mut rng = SeededRng::new(seed ^ ((case as u64) << 32) ^ name);
        rng.pause(self.pace_ms) + Duration::from_millis(self.pace_ms / 12)
    }
}

pub static FORMATS: Course = Course {
    kinds: &[Kind::Rotation, Kind::AllToAll, Kind::Arena, Kind::Decomposition],
    aims: &[
        [
            Aim {
                shown: &[
                    "run_started",
                    "debate_start",
                    "round_start",
                    "position_complete",
                    "round1_complete",
                ],
                answered: &[AskedFor::Title, AskedFor::Answer],
            },
            Aim {
                shown: &[
                    "model_complete",
                    "round_complete",
                    "debate_critique_complete",
                    "format_ballots_start",
                    "format_ballots_model_complete",
                    "format_ballots_complete",
                ],
                answered: &[AskedFor::Answer, AskedFor::Review],
            },
            Aim {
                shown: &["rebuttal_complete", "synthesis_start", "judgment_complete", "synthesis_complete"],
                answered: &[AskedFor::Answer, AskedFor::Synthesis],
            },
        ],
        [
            Aim {
                shown: &["decomposition_start", "complexity_analyzed", "sub_questions_generated"],
                answered: &[AskedFor::Title, AskedFor::Answer],
            },
            Aim {
                shown: &["sub_council_start", "sub_council_response", "format_ballots_start"],
                answered: &[AskedFor::Answer, AskedFor::Review],
            },
            Aim {
                shown: &[
                    "sub_council_complete",
                    "all_sub_councils_complete",
                    "merge_start",
                    "merge_complete",
                    "rebuttal_complete",
                ],
                answered: &[AskedFor::Review, AskedFor::Synthesis],
            },
        ],
    ],
    unaimed: 3,
    pace_ms: 200,
    searches: false,
};

pub static PLAIN: Course = Course {
    kinds: &[Kind::Plain],
    aims: &[[
        Aim {
            shown: &["run_started", "stage1_start", "stage1_model_complete"],
            answered: &[AskedFor::Title, AskedFor::Answer],
        },
        Aim {
            shown: &["stage1_complete", "stage2_model_complete", "stage2_complete"],
            answered: &[AskedFor::Answer, AskedFor::Review],
        },
        Aim {
            shown: &["stage3_start", "stage3_complete", "costs_complete"],
            answered: &[AskedFor::Synthesis],
        },
    ]],
    unaimed: 4,
    pace_ms: 250,
    searches: false,
};

pub static EVERY_OPTION: Course = Course {
    kinds: &[Kind::Routed, Kind::Disagreed, Kind::Unsure, Kind::Agreed],
    aims: &[
        [
            Aim {
                // One run in four is routed, and that call is short: it is aimed at more often.
                shown: &["routing_start", "routing_start", "routing_complete", "tier1_start"],
                answered: &[AskedFor::Routing, AskedFor::Answer],
            },
            Aim {
                shown: &["tier2_start", "stage2_complete", "multi_synthesis_start", "synthesis_complete"],
                answered: &[AskedFor::Review, AskedFor::Synthesis],
            },
            Aim {
                shown: &["critique_complete", "revision_start", "revision_complete", "iteration_complete"],
                answered: &[AskedFor::Critique, AskedFor::Revision],
            },
        ],
        [
            Aim {
                shown: &["tier1_complete", "escalation_triggered", "stage1_complete", "consensus_detected"],
                answered: &[AskedFor::Answer, AskedFor::Review],
            },
            Aim {
                shown: &["multi_synthesis_complete", "selection_complete", "stage3_complete"],
                answered: &[AskedFor::Synthesis, AskedFor::Selection, AskedFor::Critique],
            },
            Aim {
                shown: &["adversary_start", "adversary_revision_start", "adversary_validation_complete"],
                answered: &[AskedFor::Attack, AskedFor::Severity, AskedFor::Revision],
            },
        ],
    ],
    unaimed: 3,
    pace_ms: 110,
    searches: false,
};

pub static SEARCHING: Course = Course {
    kinds: &[Kind::Searching],
    aims: &[[
        Aim {
            shown: &[
                "stage0_start",
                "stage0_sub_queries",
                "stage0_sub_result",
                "stage0_complete",
                "web_search_start",
                "web_search_complete",
            ],
            answered: &[AskedFor::Title, AskedFor::Answer],
        },
        Aim {
            shown: &["stage1_start", "stage1_tool_call", "stage1_tool_result", "stage1_model_complete"],
            answered: &[AskedFor::Answer],
        },
        Aim {
            shown: &[
                "stage2_complete",
                "react_thought",
                "react_action",
                "react_observation",
                "stage3_complete",
            ],
            answered: &[AskedFor::Review, AskedFor::Synthesis],
        },
    ]],
    unaimed: 3,
    pace_ms: 150,
    searches: true,
};

/// With the models that the options need. The chairman attacks as well: where it is the writer, two
/// texts of one stage are by one model.
pub fn with_models(program: Program) -> Program {
    program
        .set("council.utility_model", "m/small")
        .set("council.adversary_model", "m/chair")
        .set("council.routing_pools.coding", &POOL.join(", "))
        .set("council.tier1_models", &TIER1.join(", "))
        .set("council.tier2_models", &TIER2.join(", "))
        .set("council.multi_chairman_models", &CHAIRMEN.join(", "))
}
