//! Who answers: routing by the kind of question, escalation to a second tier. And whether they agree so much that
//! nobody has to write.

pub mod section;
pub mod shape;

use super::answers::seated;
use crate::terminal::live::event::{Event, Fields};
use crate::terminal::live::feature_state::FeatureState;
use crate::terminal::live::piece::{RunStatus, Seat};
use crate::terminal::live::state::Run;
use shape::{Choosing, Consensus, Escalation, Routing};

impl FeatureState for Choosing {
    fn apply(&mut self, run: &mut Run, event: Event) {
        let fields = event.fields;
        match event.kind {
            "routing_start" => {
                run.status = RunStatus::Running;
                "routing".clone_into(&mut run.phase);
                run.queue_position = None;
            }
            "routing_complete" => routed(self, fields.within("data")),
            "tier1_start" => tier(run, fields, 1),
            "tier2_start" => {
                tier(run, fields, 2);
                // The reviews are held again, so no answer is too late for them.
                run.answers.iter_mut().for_each(|answer| answer.late = false);
            }
            "escalation_triggered" => escalated(self, fields.within("data")),
            "stage1_complete" | "stage2_complete" => {
                escalated(self, fields.within("metadata").within("escalation_info"));
            }
            "consensus_detected" if fields.within("data").is_there() => {
                "stage3".clone_into(&mut run.phase);
                agreed(self, fields.within("data"));
            }
            "stage3_complete" if fields.within("data").is_there() => {
                agreed(self, fields.within("consensus_info"));
            }
            _ => {}
        }
    }

    /// Reads what is stored of all three with a message.
    fn read(&mut self, _run: &mut Run, message: Fields, _is_live: bool) {
        let metadata = message.within("metadata");
        routed(self, metadata.within("routing_info"));
        escalated(self, metadata.within("escalation_info"));
        agreed(self, metadata.within("consensus_info"));
    }
}

/// Adds a tier's seats to the answers, after those that are there already.
fn tier(run: &mut Run, fields: Fields, tier: i64) {
    "stage1".clone_into(&mut run.phase);
    for seat in fields.each("members").map(Seat::of) {
        let known = run.answers.len();
        let answer = seated(&mut run.answers, seat);
        answer.tier = Some(tier);
        if tier == 2 && run.answers.len() > known {
            let since = fields.owned("started_at");
            run.answers.iter_mut().skip(known).for_each(|answer| answer.piece.since.clone_from(&since));
        }
    }
}

fn routed(own: &mut Choosing, info: Fields) {
    if info.is_there() {
        own.routing = Some(Routing {
            category: info.string("category"),
            confidence: info.number("confidence"),
            reasoning: info.string("reasoning"),
            models: info.texts("models"),
            is_routed: info.flag("is_routed"),
        });
    }
}

fn escalated(own: &mut Choosing, info: Fields) {
    if info.is_there() {
        own.escalation = Some(Escalation {
            escalated: info.flag("escalated"),
            tier1_count: info.count("tier1_model_count").unwrap_or_default(),
            tier2_count: info.count("tier2_model_count").unwrap_or_default(),
            reasons: info.texts("reasons"),
            note: info.owned("note"),
        });
    }
}

fn agreed(own: &mut Choosing, info: Fields) {
    if info.is_there() {
        own.consensus = Some(Consensus {
            is_consensus: info.flag("is_consensus"),
            member: info.owned("consensus_member"),
            reason: info.string("reason"),
        });
    }
}
