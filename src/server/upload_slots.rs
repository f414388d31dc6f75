//! Slots for files that are under way to this server: each is in memory until it is stored. One person never has all of
//! them, so that nobody's slow or many uploads keep everybody else's out.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::id::UserId;

/// How many there are.
const SLOTS: usize = 16;
/// How many of them one person has at most.
const OF_ONE: usize = 12;

/// Who has how many of them.
#[derive(Debug, Default)]
pub struct UploadSlots(Mutex<HashMap<UserId, usize>>);

impl UploadSlots {
    /// Takes so many for one person, if that many are left for them.
    pub(super) fn take(&self, user: &UserId, count: usize) -> Option<UploadPermit<'_>> {
        let mut taken = self.taken();
        let all: usize = taken.values().sum();
        let theirs = taken.get(user).copied().unwrap_or_default();
        if all + count > SLOTS || theirs + count > OF_ONE {
            return None;
        }
        taken.insert(user.clone(), theirs + count);
        Some(UploadPermit { slots: self, user: user.clone(), count })
    }

    fn taken(&self) -> MutexGuard<'_, HashMap<UserId, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Slots that are taken; free again when it is dropped.
#[derive(Debug)]
pub(super) struct UploadPermit<'a> {
    slots: &'a UploadSlots,
    user: UserId,
    count: usize,
}

impl Drop for UploadPermit<'_> {
    fn drop(&mut self) {
        let mut taken = self.slots.taken();
        if let Some(theirs) = taken.get_mut(&self.user) {
            *theirs -= self.count;
            if *theirs == 0 {
                taken.remove(&self.user);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_one_person_sends_others_find_slots() {
        let slots = UploadSlots::default();
        let (ann, bob) = (UserId::from_canonical("ann"), UserId::from_canonical("bob"));
        let anns: Vec<_> = std::iter::from_fn(|| slots.take(&ann, 1)).take(100).collect();
        assert_eq!(anns.len(), OF_ONE);
        assert!(slots.take(&bob, 5).is_none(), "there are four");
        let bobs = slots.take(&bob, 4).expect("four are left");
        assert!(slots.take(&bob, 1).is_none(), "there are no more");
        drop(anns);
        assert!(slots.take(&ann, 12).is_some());
        drop(bobs);
        assert!(slots.taken().is_empty(), "nothing is kept of who has none");
    }
}
