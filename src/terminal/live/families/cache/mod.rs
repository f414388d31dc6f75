//! An earlier answer to the same question: looked for, offered, and taken or not.

use crate::terminal::live::event::{Event, Fields};
use crate::terminal::live::piece::RunStatus;
use crate::terminal::live::state::LiveRun;
use shape::{Cache, Earlier};

fn miss(told: Fields, kept: Option<String>) -> Cache {
    Cache::Miss { reason: told.owned("reason"), best_similarity: told.number("best_similarity"), kept }
}

pub(super) fn apply(run: &mut LiveRun, event: Event) {
    let told = event.fields;
    let earlier = || Earlier::of(told, told.owned("expires_at"));
    match event.kind {
        "cache_check_start" => {
            run.status = RunStatus::Running;
            "cache".clone_into(&mut run.phase);
            run.cache = Some(Cache::Looking);
        }
        "cache_offer" => run.cache = Some(Cache::Offered(earlier())),
        "cache_hit" => run.cache = Some(Cache::Hit(earlier())),
        "cache_miss" => run.cache = Some(miss(told, None)),
        "cache_stored" => keep(run, "kept"),
        "cache_not_stored" => keep(run, told.text("reason").unwrap_or("unavailable")),
        _ => {}
    }
}

fn keep(run: &mut LiveRun, outcome: &str) {
    if let Some(Cache::Miss { kept, .. }) = &mut run.cache {
        *kept = Some(outcome.to_owned());
    }
}

/// A run that was stopped before it was known whether it takes an earlier answer says nothing of one.
pub(super) fn settle(run: &mut LiveRun) {
    if matches!(run.cache, Some(Cache::Looking | Cache::Offered(_))) {
        run.cache = None;
    }
}

pub mod shape;

/// As it is stored with a message.
pub(super) fn read(run: &mut LiveRun, message: Fields, is_live: bool) {
    let cache = message.within("metadata").within("cache");
    if !cache.is_there() {
        return;
    }
    let earlier = || Earlier::of(cache.within("cached"), cache.owned("expires_at"));
    let kept = || if cache.tells("stored") { Some("kept".to_owned()) } else { cache.owned("not_stored") };
    run.cache = Some(match cache.text("outcome") {
        Some("miss") => miss(cache, kept()),
        Some("offered") => Cache::Offered(earlier()),
        Some("hit") => Cache::Hit(earlier()),
        _ => Cache::Looking,
    });
    if !is_live {
        settle(run);
    }
}
