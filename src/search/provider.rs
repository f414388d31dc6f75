//! The adapter: a search as a call to a model. The last message of the user is the query, what was found are the
//! citations of the reply, and its text is the engine's own answer, which is often empty.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures_util::{StreamExt as _, stream};

use crate::llm::{
    CallError, ChatRequest, Chunk, Chunks, CostSource, ErrorKind, ModelInfo, Pricing, Provider, Usage,
};

use super::state::State;
use super::text::line;
use super::{Query, Search};

/// Longest query: engines refuse longer ones (Tavily) or find nothing for them.
pub const MAX_QUERY_CHARS: usize = 400;

/// See the module.
pub(super) struct SearchProvider {
    pub name: &'static str,
    pub engine: Arc<dyn Search>,
    pub max_results: usize,
    /// For one try.
    pub time_limit: Duration,
    /// What a search costs, in USD.
    pub price_usd: f64,
    pub state: Arc<State>,
}

impl SearchProvider {
    async fn search(&self, query: &Query) -> Result<super::Found, CallError> {
        let searched = tokio::time::timeout(self.time_limit, self.engine.search(query)).await;
        let result = searched.unwrap_or_else(|_| {
            let message = format!("{} did not answer within {} ms", self.name, self.time_limit.as_millis());
            Err(CallError::new(ErrorKind::Timeout, message).having_reached())
        });
        self.state.searched(result.as_ref().err());
        result
    }
}

#[async_trait]
impl Provider for SearchProvider {
    async fn open(&self, request: &ChatRequest) -> Result<Chunks, CallError> {
        if request.model != self.name {
            let message =
                format!("no search engine `{}` is set up on this server", request.model.escape_debug());
            return Err(CallError::new(ErrorKind::Refused, message));
        }
        let text = as_query(&request.last_of_user());
        if text.is_empty() {
            return Err(CallError::new(ErrorKind::Refused, "the query is empty"));
        }
        let found = self.search(&Query { text, max_results: self.max_results }).await?;
        let usage = Usage {
            cost_usd: Some(self.price_usd),
            // A price of 0 is not an estimate.
            cost_source: (self.price_usd > 0.0).then_some(CostSource::Listed),
            ..Usage::default()
        };
        let chunks = [
            found.answer.map(Chunk::Text),
            Some(Chunk::Citations(found.results)),
            Some(Chunk::Finish("stop".to_owned())),
            Some(Chunk::Usage(usage)),
        ];
        Ok(stream::iter(chunks.into_iter().flatten().map(Ok)).boxed())
    }

    /// Always empty: a search is no model to choose.
    async fn models(&self) -> Result<Vec<ModelInfo>, CallError> {
        Ok(Vec::new())
    }

    /// Results come in one piece; a search has a time limit of its own.
    fn streams(&self) -> bool {
        false
    }

    fn is_simulated(&self) -> bool {
        self.engine.is_simulated()
    }

    fn may_be_empty(&self) -> bool {
        true
    }

    fn price(&self, _model: &str) -> Option<Pricing> {
        Some(Pricing { request: self.price_usd, ..Pricing::default() })
    }
}

/// A text as a query, in the form by which equal queries are recognised: one line, cut at a word where it is too long.
#[must_use]
pub fn as_query(text: &str) -> String {
    let whole = line(text, MAX_QUERY_CHARS + 1);
    let Some((end, _)) = whole.char_indices().nth(MAX_QUERY_CHARS) else { return whole };
    let kept = whole.split_at(end).0;
    kept.rsplit_once(' ').map_or(kept, |(words, _)| words).to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_question_becomes_one_line() {
        assert_eq!(as_query(" Why do\n\ttides\u{202e} turn? <b> "), "Why do tides turn? <b>");
        assert_eq!(as_query("\u{200b} \n"), "");
        assert_eq!(as_query("What follows …"), "What follows …");
        let long = "words ".repeat(100);
        let cut = as_query(&long);
        assert!(cut.chars().count() <= MAX_QUERY_CHARS && cut.ends_with("words"), "{cut}");
        assert_eq!(as_query(&"x".repeat(MAX_QUERY_CHARS)).len(), MAX_QUERY_CHARS);
        assert_eq!(as_query(&"x".repeat(MAX_QUERY_CHARS + 1)).len(), MAX_QUERY_CHARS);
    }

    proptest! {
        #[test]
        fn any_query_is_bounded(text in ".*", times in 1usize..40) {
            let asked = as_query(&text.repeat(times));
            prop_assert!(asked.chars().count() <= MAX_QUERY_CHARS);
            prop_assert_eq!(as_query(&asked), asked);
        }
    }
}
