//! The plan of a run that asks an earlier one's question again: see [`fork`](super::fork).

use super::correction::Correction;
use super::fork::{Again, Fork, Part};
use super::options::cache::CachePlan;
use super::plan::Plan;
use super::searching::source::Source;
use super::task::Task;
use crate::id::RunId;

/// How many runs [`Fork::of`] names at most.
const MOST_FORKS: usize = 8;

impl Plan {
    /// The same question to the same council, going on from what the run `of` has, with that run's sources and the
    /// corrections to its question. Members read the corrections only if everything is asked again: otherwise their
    /// prompts would differ from those of the calls that are kept.
    #[must_use]
    pub fn again(
        mut self,
        of: RunId,
        again: Again,
        sources: Vec<Source>,
        corrections: Vec<Correction>,
    ) -> Self {
        let cache = self.cache.filter(|_| corrections.is_empty()).map(CachePlan::again);
        let known = &mut self.task.brief.corrections;
        let mut added: Vec<Correction> =
            corrections.into_iter().filter(|added| !known.contains(added)).collect();
        if again == Again::From(Part::Stage1) {
            known.append(&mut added);
        }
        let (mut lineage, seed) = match self.fork {
            Some(fork) => (fork.of, fork.seed),
            None => (Vec::new(), of),
        };
        lineage.insert(0, of);
        lineage.truncate(MOST_FORKS);
        Self {
            // Which answers were in time before does not matter now: what is kept is there at once.
            task: Task { quorum: None, straggler_grace_ms: 0, ..self.task },
            title: false,
            cache,
            fork: Some(Fork { of: lineage, seed, again, sources, corrections: added }),
            ..self
        }
    }

    /// The corrections that earlier runs added to its question.
    #[must_use]
    pub fn corrections(&self) -> Vec<Correction> {
        let later = self.fork.iter().flat_map(|fork| &fork.corrections);
        self.brief().corrections.iter().chain(later).cloned().collect()
    }
}
