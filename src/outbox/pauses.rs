//! When a delivery is tried again.

use std::time::Duration;

use crate::id::DeliveryId;

/// The pauses after each failed attempt to reach a program, in seconds: the schedule that Standard Webhooks recommends. After
/// the last the delivery has failed, three days after it began.
pub const OF_WEBHOOKS: &[u64] =
    &[5, 5 * 60, 30 * 60, 2 * 3_600, 5 * 3_600, 10 * 3_600, 14 * 3_600, 20 * 3_600, 24 * 3_600];
/// The pauses for a person's device, for which news of the day before is of no use: all within a day.
pub const OF_PUSH: &[u64] = &[5, 30, 2 * 60, 10 * 60, 30 * 60, 3_600, 2 * 3_600, 4 * 3_600, 8 * 3_600];
/// A receiver may ask for a longer pause, up to this.
const LONGEST: Duration = Duration::from_secs(24 * 3_600);

/// How long to wait after this many failed attempts; `None` when it is not tried again. Up to a tenth is added, the same for
/// each attempt of a delivery, so that what failed together is not tried again together.
pub fn pause(pauses: &[u64], failed: u32, asked: Option<Duration>, id: DeliveryId) -> Option<Duration> {
    let place = usize::try_from(failed).ok()?.checked_sub(1)?;
    let seconds = *pauses.get(place)?;
    let own = Duration::from_secs(seconds).mul_f64(1.0 + f64::from(id.0.as_bytes()[15]) / 2_550.0);
    Some(own.max(asked.unwrap_or_default().min(LONGEST)))
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const ID: DeliveryId = DeliveryId(Uuid::nil());

    #[test]
    fn pauses_grow_until_there_are_no_more() {
        for all in [OF_WEBHOOKS, OF_PUSH] {
            let pauses: Vec<Duration> = (1..).map_while(|failed| pause(all, failed, None, ID)).collect();
            assert_eq!(pauses.len(), all.len());
            assert!(pauses.is_sorted());
            assert_eq!(pause(all, 0, None, ID), None);
            assert_eq!(pause(all, u32::MAX, None, ID), None);
        }
        assert!(OF_PUSH.iter().sum::<u64>() < 24 * 3_600);
    }

    #[test]
    fn what_failed_together_is_not_tried_again_together() {
        let last = DeliveryId(Uuid::max());
        assert_eq!(pause(&[10], 1, None, ID), Some(Duration::from_secs(10)));
        assert_eq!(pause(&[10], 1, None, last), Some(Duration::from_secs(11)));
    }

    #[test]
    fn a_receiver_may_ask_for_a_longer_pause_but_not_for_ever() {
        let asked =
            |seconds| pause(OF_WEBHOOKS, 1, Some(Duration::from_secs(seconds)), ID).unwrap().as_secs();
        assert_eq!(asked(1), 5);
        assert_eq!(asked(600), 600);
        assert_eq!(asked(u64::MAX), 24 * 3_600);
    }
}
