//! Research before the first round, stage 0: the research model says whether the question needs any and splits it into
//! two or three searches, which go on at the same time. What they find goes to every member with the question.

pub(in crate::council) mod estimate;
mod event;
mod notes;
pub mod settings;
mod simulated;
mod split;
mod stage;
pub mod view;

pub use event::{Empty, ResearchEvent, ResearchResult, SubQueries, SubQuery, SubResult, SubResultAt};
pub use notes::ResearchNote;
pub use stage::{SPLIT, STAGE};

use futures_util::stream::{FuturesOrdered, StreamExt as _};

use crate::council::brief::Brief;
use crate::council::prompts::template::Template;
use crate::council::run::Run;
use crate::council::searching::material::{Background, NotFound};
use split::Split;

/// Everything that this asks models with.
pub static TEMPLATES: &[&Template] = split::TEMPLATES;

/// Holds the research, and adds what was found to the background.
pub async fn hold(run: &Run, brief: &Brief, background: &mut Background) {
    let model = split::model(&brief.settings).to_owned();
    run.emit("stage0/start", ResearchEvent::Stage0Start { model: model.clone() }).await;
    run.emit("stage0/decomposing", ResearchEvent::Stage0Decomposing { data: Empty {} }).await;
    let Split { needed, sub_queries, error } = split::ask(run, brief, &model).await;
    let mut result = ResearchResult {
        model,
        sub_queries,
        simulated: brief.search.as_ref().is_some_and(|plan| plan.simulated),
        not_split: error,
        ..ResearchResult::default()
    };
    if needed {
        search(run, brief, &mut result, background).await;
    } else {
        result.needed = false;
    }
    run.emit("stage0/complete", ResearchEvent::Stage0Complete { data: Box::new(result) }).await;
}

async fn search(run: &Run, brief: &Brief, result: &mut ResearchResult, background: &mut Background) {
    let data = || SubQueries { sub_queries: result.sub_queries.clone() };
    run.emit("stage0/sub_queries", ResearchEvent::Stage0SubQueries { data: data() }).await;
    run.emit("stage0/researching", ResearchEvent::Stage0Researching { data: data() }).await;
    // Sent in their order, so that the numbers of their sources are the same whichever comes first.
    let search = |sub: SubQuery| async move { (run.look_up(brief, &sub.query).await, sub) };
    let mut searches: FuturesOrdered<_> = result.sub_queries.iter().cloned().map(search).collect();
    let mut sub_results = Vec::new();
    while let Some((found, sub)) = searches.next().await {
        let index = sub_results.len();
        let sub_result = match found {
            Ok(found) => {
                let findings = run.numbered(found).await;
                let sub_result = SubResult::of(sub, &findings);
                background.sections.push((sub_result.label.clone(), findings));
                sub_result
            }
            Err(error) => {
                background.not_found.push(NotFound { query: sub.query.clone(), reason: error.reason() });
                SubResult::failed(sub, error.message)
            }
        };
        let event = ResearchEvent::Stage0SubResult {
            data: Box::new(SubResultAt { index, result: sub_result.clone() }),
        };
        run.emit(&format!("stage0/sub_result/{index}"), event).await;
        sub_results.push(sub_result);
    }
    run.emit("stage0/synthesizing", ResearchEvent::Stage0Synthesizing { data: Empty {} }).await;
    result.join(sub_results);
}
