//! An earlier answer to the same question: looked for, offered, and taken or not.

pub mod asked;
pub mod section;
pub mod shape;

use crate::terminal::live::event::{Event, Fields};
use crate::terminal::live::feature_state::FeatureState;
use crate::terminal::live::piece::RunStatus;
use crate::terminal::live::state::Run;
use shape::{Cache, Earlier};

fn miss(fields: Fields, kept: Option<String>) -> Cache {
    Cache::Miss { reason: fields.owned("reason"), best_similarity: fields.number("best_similarity"), kept }
}

impl FeatureState for Option<Cache> {
    fn apply(&mut self, run: &mut Run, event: Event) {
        let fields = event.fields;
        let earlier = || Earlier::of(fields, fields.owned("expires_at"));
        match event.kind {
            "cache_check_start" => {
                run.status = RunStatus::Running;
                "cache".clone_into(&mut run.phase);
                *self = Some(Cache::Looking);
            }
            "cache_offer" => *self = Some(Cache::Offered(earlier())),
            "cache_hit" => *self = Some(Cache::Hit(earlier())),
            "cache_miss" => *self = Some(miss(fields, None)),
            "cache_stored" => keep(self, "kept"),
            "cache_not_stored" => keep(self, fields.text("reason").unwrap_or("unavailable")),
            _ => {}
        }
    }

    /// Reads what is stored with a message.
    fn read(&mut self, _run: &mut Run, message: Fields, is_live: bool) {
        let cache = message.within("metadata").within("cache");
        if !cache.is_there() {
            return;
        }
        let earlier = || Earlier::of(cache.within("cached"), cache.owned("expires_at"));
        let kept =
            || if cache.has_value("stored") { Some("kept".to_owned()) } else { cache.owned("not_stored") };
        *self = Some(match cache.text("outcome") {
            Some("miss") => miss(cache, kept()),
            Some("offered") => Cache::Offered(earlier()),
            Some("hit") => Cache::Hit(earlier()),
            _ => Cache::Looking,
        });
        if !is_live {
            self.settle();
        }
    }

    /// A run that was stopped before it was known whether it takes an earlier answer says nothing of one.
    fn settle(&mut self) {
        if matches!(self, Some(Cache::Looking | Cache::Offered(_))) {
            *self = None;
        }
    }
}

fn keep(own: &mut Option<Cache>, outcome: &str) {
    if let Some(Cache::Miss { kept, .. }) = own {
        *kept = Some(outcome.to_owned());
    }
}
