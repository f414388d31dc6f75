//! When a delivery is tried again.

use std::time::Duration;

/// The pauses after each failed attempt, in seconds: the schedule that Standard Webhooks recommends. After the last the
/// delivery has failed, three days after it began.
const PAUSES: [u64; 9] =
    [5, 5 * 60, 30 * 60, 2 * 3_600, 5 * 3_600, 10 * 3_600, 14 * 3_600, 20 * 3_600, 24 * 3_600];
/// A receiver may ask for a longer pause, up to this.
const LONGEST: Duration = Duration::from_secs(24 * 3_600);

/// How long to wait after this many failed attempts; `None` when it is not tried again. `jitter` is 0 to 1 and adds up to a
/// tenth, so that what failed together is not tried again together.
pub fn pause(failed: u32, asked: Option<Duration>, jitter: f64) -> Option<Duration> {
    let place = usize::try_from(failed).ok()?.checked_sub(1)?;
    let seconds = *PAUSES.get(place)?;
    let own = Duration::from_secs(seconds).mul_f64(1.0 + jitter.clamp(0.0, 1.0) / 10.0);
    Some(own.max(asked.unwrap_or_default().min(LONGEST)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_until_there_are_no_more() {
        let pauses: Vec<Duration> = (1..).map_while(|failed| pause(failed, None, 0.0)).collect();
        assert_eq!(pauses.len(), PAUSES.len());
        assert!(pauses.is_sorted());
        assert_eq!(pause(0, None, 0.0), None);
        assert_eq!(pause(u32::MAX, None, 0.0), None);
    }

    #[test]
    fn a_receiver_may_ask_for_a_longer_pause_but_not_for_ever() {
        let asked = |seconds| pause(1, Some(Duration::from_secs(seconds)), 0.0).unwrap().as_secs();
        assert_eq!(asked(1), 5);
        assert_eq!(asked(600), 600);
        assert_eq!(asked(u64::MAX), 24 * 3_600);
    }
}
