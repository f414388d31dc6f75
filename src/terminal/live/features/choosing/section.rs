//! Who was chosen to answer.

use super::shape::Choosing;

/// The sentences before the answers.
pub fn beginning(choosing: &Choosing) -> impl Iterator<Item = String> {
    let routed = choosing.routing.as_ref().filter(|routing| routing.is_routed);
    let routed = routed.map(|routing| {
        format!("A question about {}: {} answer", routing.category, routing.models.join(", "))
    });
    let escalated = choosing.escalation.as_ref().filter(|escalation| escalation.escalated);
    let escalated = escalated
        .map(|escalation| format!("The second tier was asked too: {}", escalation.reasons.join("; ")));
    routed.into_iter().chain(escalated)
}
