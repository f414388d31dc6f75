//! The plan of a run that asks an earlier one's question again: see [`rerun`](super::rerun).

use super::correction::Correction;
use super::options::cache::CachePlan;
use super::plan::Plan;
use super::rerun::{Part, Rerun, RerunScope};
use super::searching::source::Source;
use super::task::Task;
use crate::id::RunId;

/// How many runs [`Rerun::of`] names at most.
const MOST_LINEAGE: usize = 8;

impl Plan {
    /// The same question to the same council, going on from what the run `of` has, with that run's sources and the
    /// corrections to its question. Members read the corrections only if everything is asked again: otherwise their
    /// prompts would differ from those of the calls that are kept.
    #[must_use]
    pub fn rerun_of(
        mut self,
        of: RunId,
        scope: RerunScope,
        sources: Vec<Source>,
        corrections: Vec<Correction>,
    ) -> Self {
        let cache = self.cache.filter(|_| corrections.is_empty()).map(CachePlan::again);
        let known = &mut self.task.brief.corrections;
        let mut added: Vec<Correction> =
            corrections.into_iter().filter(|added| !known.contains(added)).collect();
        if scope == RerunScope::From(Part::Stage1) {
            known.append(&mut added);
        }
        let (mut lineage, seed) = match self.rerun {
            Some(rerun) => (rerun.of, rerun.seed),
            None => (Vec::new(), of),
        };
        lineage.insert(0, of);
        lineage.truncate(MOST_LINEAGE);
        Self {
            // Which answers were in time before does not matter now: what is kept is there at once.
            task: Task { quorum: None, straggler_grace_ms: 0, ..self.task },
            title: false,
            cache,
            rerun: Some(Rerun { of: lineage, seed, scope, sources, corrections: added }),
            ..self
        }
    }

    /// The corrections that earlier runs added to its question.
    #[must_use]
    pub fn corrections(&self) -> Vec<Correction> {
        let later = self.rerun.iter().flat_map(|rerun| &rerun.corrections);
        self.brief().corrections.iter().chain(later).cloned().collect()
    }
}
