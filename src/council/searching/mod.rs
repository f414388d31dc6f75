//! Looking something up. A search is a call like one of a model: journaled, paid, bounded. What it finds gets numbers
//! that hold for the whole run, so that `[3]` means the same page whoever writes it.
//!
//! Asked for the same words twice, a run searches once.

pub mod citations;
pub mod findings;
pub mod material;
mod numbers;
pub mod plan;
mod simulated;
pub mod source;
pub mod source_list;
pub mod state;

use sha2::{Digest as _, Sha256};

use super::brief::Brief;
use super::prompts::fence::Fence;
use super::run::Run;
use super::stage::Stage;
use crate::llm::{CallError, CallFact, ChatMessage, ChatRequest, Purpose};
use crate::search::as_query;
use citations::Citations;
use findings::{Findings, Found};
use plan::SearchPlan;
use source::Source;

/// What searches cost, whichever model asks for them.
pub const STAGE: Stage = Stage::named("search");
/// A search.
pub static SEARCH: Purpose = Purpose { name: "search", usual_tokens: 600, simulated: simulated::search };

/// The keys of searches begin with this; a hash of the query follows.
const KEY: &str = "search/";

impl Run {
    /// Searches for this, or gives what the same query found before in this run.
    ///
    /// # Errors
    /// The search's own failure, after retries; the run goes on without.
    pub async fn search(&self, brief: &Brief, query: &str) -> Result<Findings, CallError> {
        Ok(self.numbered(self.look_up(brief, query).await?).await)
    }

    /// Like [`Run::search`], without numbers: for callers that search for several things at once and number the sources
    /// in an order of their own.
    ///
    /// # Errors
    /// As [`Run::search`].
    pub async fn look_up(&self, brief: &Brief, query: &str) -> Result<Found, CallError> {
        let Some(plan) = &brief.search else { return Err(CallFact::NoSearch.into()) };
        let query = as_query(query);
        let found = self.searches.of(&query);
        found.get_or_init(|| self.search_anew(brief, plan, &query)).await.clone()
    }

    async fn search_anew(&self, brief: &Brief, plan: &SearchPlan, query: &str) -> Result<Found, CallError> {
        let request = ChatRequest {
            sampling: brief.settings.sampling(&SEARCH),
            timeouts: plan.timeouts(brief.settings.timeouts(&SEARCH)),
            ..ChatRequest::new(&plan.model, &SEARCH, vec![ChatMessage::user(query)])
        };
        // A search belongs to the run and not to a seat: a later request for the same gets its result, too.
        let reply = self.call(STAGE, key_of(query), request).send().await?;
        Ok(Found {
            query: query.to_owned(),
            answer: reply.text,
            cited: reply.citations.iter().map(|citation| Source::of(citation, query)).collect(),
            latency_ms: reply.latency_ms,
        })
    }

    /// What was found, with the run's numbers.
    pub async fn numbered(&self, found: Found) -> Findings {
        let Found { query, answer, cited, latency_ms } = found;
        let sources = self.number(&query, cited.iter().flatten().cloned().collect()).await;
        // The backend counts its own results from 1.
        let number = |place: u32| {
            let source = cited.get(usize::try_from(place).ok()?.checked_sub(1)?)?.as_ref()?;
            sources.iter().find(|known| known.is_same_page(source)).map(|known| known.n)
        };
        let answer = citations::renumber(answer.trim(), number);
        Findings { query, answer, sources, latency_ms }
    }

    /// Gives these sources the numbers that they had in a run before this one.
    pub fn know_sources(&self, sources: &[Source]) {
        self.searches.numbers().know(sources);
    }

    /// What a text cites of everything that the run has found; none where it has found nothing.
    #[must_use]
    pub fn citations(&self, text: &str) -> Option<Citations> {
        Citations::of(text, &self.searches.numbers().all())
    }

    /// The sources with these numbers, in their order.
    #[must_use]
    pub fn sources(&self, numbers: impl IntoIterator<Item = u32>) -> Vec<Source> {
        self.searches.numbers().sources(numbers)
    }

    /// The sources as a writer for the council reads them: those of the background and those that the members cite,
    /// each with its name. None where there are none.
    #[must_use]
    pub fn sources_for_the_writer<'a>(
        &self,
        brief: &Brief,
        cited: impl IntoIterator<Item = (&'a str, &'a [u32])>,
    ) -> Option<String> {
        let today = &brief.search.as_ref()?.today;
        let cited: Vec<(&str, &[u32])> = cited.into_iter().collect();
        let numbers = cited.iter().flat_map(|(_, numbers)| numbers.iter().copied());
        let sources = self.sources(brief.background.numbers().chain(numbers));
        let fence = Fence::new(&self.marker());
        material::for_the_writer(&brief.prompts, &fence, today, &sources, cited)
    }

    /// Gives these sources their numbers, and remembers them: in which order concurrent searches come in is chance.
    async fn number(&self, query: &str, sources: Vec<Source>) -> Vec<Source> {
        let _one_at_a_time = self.searches.numbering.lock().await;
        loop {
            let (key, numbered) = {
                let numbers = self.searches.numbers();
                if let Some(known) = numbers.found_by(query) {
                    return known;
                }
                (numbers.next_key(), numbers.assign(query, &sources))
            };
            // In a second execution the next place may be that of another query, which has not come in yet.
            let numbered = self.decide(&key, async { numbered }).await;
            self.searches.numbers().take(numbered);
        }
    }
}

fn key_of(query: &str) -> String {
    let hash = Sha256::digest(query.to_lowercase().as_bytes());
    format!("{KEY}{}", hex::encode(&hash[..12]))
}
