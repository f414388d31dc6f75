//! Who answers: routing by the kind of question, escalation to a second tier. And whether they agree so much that
//! nobody has to write.

use serde::Serialize;

/// Who answers, and whether anybody has to write; each is there once it is known.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Choosing {
    pub routing: Option<Routing>,
    pub escalation: Option<Escalation>,
    pub consensus: Option<Consensus>,
}

/// The kind of the question, and who therefore answers it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Routing {
    pub category: String,
    pub confidence: Option<f64>,
    pub reasoning: String,
    pub models: Vec<String>,
    /// False where the whole council answers after all.
    pub is_routed: bool,
}

/// Whether the second tier was asked, and why.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Escalation {
    pub escalated: bool,
    pub tier1_count: u64,
    pub tier2_count: u64,
    pub reasons: Vec<String>,
    pub note: Option<String>,
}

/// Whether the council agreed so much that an answer of its own is the final one.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Consensus {
    pub is_consensus: bool,
    pub member: Option<String>,
    pub reason: String,
}
