//! When a server is killed.

use std::time::Duration;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};

use super::kinds::Course;
use crate::support::model_server::AskedFor;

/// When the next kill comes.
#[derive(Debug, Clone, Copy)]
pub enum Moment {
    /// So long after the server has started.
    After(Duration),
    /// So long after some client was shown an event of this type: just after a commit.
    Shown(&'static str, Duration),
    /// So long after the last byte of an answer was sent: around the commit of its call.
    Answered(AskedFor, Duration),
    /// The same of a search.
    Found(Duration),
}

pub struct SeededRng(ChaCha8Rng);

impl SeededRng {
    pub fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.0.next_u64() % bound as u64).unwrap()
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    pub fn pause(&mut self, most: u64) -> Duration {
        Duration::from_micros(self.0.next_u64() % (most * 1000))
    }

    /// The `nth` kill of a wave of runs.
    pub fn moment(&mut self, course: &Course, wave: usize, nth: usize) -> Moment {
        let aim = &course.aims[wave % course.aims.len()][nth];
        let chance = self.below(10);
        if chance < course.unaimed {
            // A server that has just started waits for the leases of the one before it.
            Moment::After(self.pause(if nth == 0 { 900 } else { 1800 }))
        } else if chance < 7 {
            Moment::Shown(self.one(aim.shown), self.pause(4))
        } else if course.searches && self.below(2) == 0 {
            Moment::Found(self.pause(8))
        } else {
            Moment::Answered(self.one(aim.answered), self.pause(8))
        }
    }
}
