//! What is looked up before anybody answers, and the sources of a run, whoever found them.

pub mod asked;
pub mod section;
pub mod shape;

use crate::terminal::live::event::{Event, Fields};
use crate::terminal::live::feature_state::FeatureState;
use crate::terminal::live::piece::RunStatus;
use crate::terminal::live::state::Run;
use shape::{Research, ResearchStatus, SearchStatus, Searches, Source, Topic, WebSearch};

impl FeatureState for Searches {
    fn apply(&mut self, run: &mut Run, event: Event) {
        let fields = event.fields;
        let data = fields.within("data");
        match event.kind {
            "web_search_start" => {
                begin(run, "search");
                self.web_search = Some(WebSearch { query: fields.string("query"), ..WebSearch::default() });
            }
            "web_search_complete" if data.is_there() => {
                add(self, data);
                searched(self, data);
            }
            "stage0_start" => {
                begin(run, "stage0");
                self.research = Some(Research { model: fields.owned("model"), ..Research::default() });
            }
            "stage0_decomposing" => research(self, run).status = ResearchStatus::Splitting,
            "stage0_sub_queries" => name(research(self, run), data),
            "stage0_researching" => {
                let research = research(self, run);
                research.status = ResearchStatus::Searching;
                if data.has_value("sub_queries") {
                    name(research, data);
                }
            }
            "stage0_sub_result" if data.within("result").is_there() => {
                add(self, data.within("result"));
                let topic = Topic::found(data.within("result"));
                let topics = &mut research(self, run).topics;
                let at = data.count("index").and_then(|at| usize::try_from(at).ok());
                match at.and_then(|at| topics.get_mut(at)) {
                    Some(known) => *known = topic,
                    None => topics.push(topic),
                }
            }
            "stage0_synthesizing" => research(self, run).status = ResearchStatus::Compiling,
            "stage0_complete" if data.is_there() => {
                data.each("sub_results").for_each(|result| add(self, result));
                *research(self, run) = researched(data);
            }
            // Every event that looks something up lists its sources this way.
            _ => add(self, fields),
        }
    }

    /// Reads what is stored with a message.
    fn read(&mut self, _run: &mut Run, message: Fields, _is_live: bool) {
        let metadata = message.within("metadata");
        let (search, stage0) = (metadata.within("web_search"), message.within("stage0"));
        add(self, metadata);
        add(self, search);
        stage0.each("sub_results").for_each(|result| add(self, result));
        if stage0.is_there() {
            self.research = Some(researched(stage0));
        }
        if search.is_there() {
            searched(self, search);
        }
    }

    fn settle(&mut self) {
        if let Some(research) = self.research.as_mut().filter(|one| one.status != ResearchStatus::Done) {
            research.status = ResearchStatus::Stopped;
        }
        if let Some(search) = self.web_search.as_mut().filter(|one| one.status == SearchStatus::Searching) {
            search.status = SearchStatus::Stopped;
        }
    }
}

fn begin(run: &mut Run, phase: &str) {
    run.status = RunStatus::Running;
    phase.clone_into(&mut run.phase);
    run.queue_position = None;
}

/// The sources that are listed here, by number, each once: two that found the same bring the same number.
fn add(own: &mut Searches, found: Fields) {
    for source in found.each("sources") {
        let Some(n) = source.whole("n") else { continue };
        if let Err(at) = own.sources.binary_search_by_key(&n, |known| known.n) {
            own.sources.insert(
                at,
                Source {
                    n,
                    title: source.string("title"),
                    url: source.string("url"),
                    host: source.string("host"),
                    snippet: source.string("snippet"),
                },
            );
        }
    }
}

fn searched(own: &mut Searches, data: Fields) {
    let asked = own.web_search.take().map(|search| search.query);
    own.web_search = Some(WebSearch {
        query: data.owned("query").or(asked).unwrap_or_default(),
        status: SearchStatus::Done,
        found: data.flag("found"),
        answer: data.owned("answer"),
        error: data.owned("error"),
    });
}

fn research<'a>(own: &'a mut Searches, run: &mut Run) -> &'a mut Research {
    begin(run, "stage0");
    own.research.get_or_insert_default()
}

/// The topics, with what was found of them so far.
fn name(research: &mut Research, data: Fields) {
    let mut before = std::mem::take(&mut research.topics).into_iter();
    for mut topic in data.each("sub_queries").map(Topic::of) {
        topic.finding =
            before.next().filter(|known| known.query == topic.query).and_then(|known| known.finding);
        research.topics.push(topic);
    }
}

fn researched(data: Fields) -> Research {
    let found: Vec<Topic> = data.each("sub_results").map(Topic::found).collect();
    let asked = || data.each("sub_queries").map(Topic::of).collect();
    Research {
        model: data.owned("model"),
        status: ResearchStatus::Done,
        topics: if found.is_empty() { asked() } else { found },
        found: data.flag("has_research"),
        response: data.owned("response"),
        needless: data.has("needed") && !data.flag("needed"),
        is_whole: data.words("not_split").is_some(),
        failure: data.owned("error"),
    }
}
