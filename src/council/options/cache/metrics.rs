//! Metrics of earlier answers: how many were looked for, found and taken.

/// A run was given an earlier answer.
pub(super) const HIT: &str = "hit";
/// A run was given none.
pub(super) const MISS: &str = "miss";
/// The store could not be asked.
pub(super) const UNAVAILABLE: &str = "unavailable";

/// A person took the answer that was offered.
pub(super) const TAKEN: &str = "taken";
/// A person had the question asked anyway.
pub(super) const REFUSED: &str = "refused";
/// Nobody said anything in time.
pub(super) const EXPIRED: &str = "expired";

/// Begins every series at 0, so that the first event of each kind shows as an increase.
pub fn begin() {
    metrics::describe_counter!(
        "llm_council_cache_lookups_total",
        "Runs that looked for an earlier answer, by outcome; an offer that is not taken is a miss."
    );
    metrics::describe_counter!(
        "llm_council_cache_offers_total",
        "Earlier answers that were offered, by the person's decision."
    );
    for outcome in [HIT, MISS, UNAVAILABLE] {
        lookups(outcome).increment(0);
    }
    for answer in [TAKEN, REFUSED, EXPIRED] {
        offers(answer).increment(0);
    }
}

fn lookups(outcome: &'static str) -> metrics::Counter {
    metrics::counter!("llm_council_cache_lookups_total", "outcome" => outcome)
}

fn offers(answer: &'static str) -> metrics::Counter {
    metrics::counter!("llm_council_cache_offers_total", "answer" => answer)
}

/// A run has looked.
pub(super) fn looked(outcome: &'static str) {
    lookups(outcome).increment(1);
}

/// A person has answered an offer, or let it pass.
pub(super) fn answered(answer: &'static str) {
    offers(answer).increment(1);
}
