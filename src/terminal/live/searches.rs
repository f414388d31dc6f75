//! What is looked up before anybody answers, and the sources of a run, whoever found them.

use serde::Serialize;

use super::event::{Event, Fields};
use super::state::{LiveRun, RunStatus};

/// A page that was found, under its number in the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Source {
    pub n: i64,
    pub title: String,
    pub url: String,
    pub host: String,
    pub snippet: String,
}

/// Research: the question's topics, and what was found of each.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Research {
    pub model: Option<String>,
    pub status: ResearchStatus,
    pub topics: Vec<Topic>,
    /// Whether anything was found.
    pub found: bool,
    /// The findings as the members read them; `None` for none.
    pub response: Option<String>,
    /// The question needs none.
    pub needless: bool,
    /// It was searched for as it is, because nobody could name its topics.
    pub is_whole: bool,
    /// Why every search failed; `None` where one did not.
    pub failure: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ResearchStatus {
    #[default]
    Splitting,
    Searching,
    Compiling,
    Done,
    /// The run ended in the middle of it.
    Stopped,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Topic {
    pub label: String,
    pub query: String,
    /// `None` as long as it is being looked for.
    pub finding: Option<Finding>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Finding {
    pub response: String,
    /// Numbers of sources.
    pub sources: Vec<i64>,
    pub error: Option<String>,
}

impl Topic {
    fn of(query: Fields) -> Self {
        Self { label: query.string("label"), query: query.string("query"), finding: None }
    }

    fn found(result: Fields) -> Self {
        let finding = Finding {
            response: result.string("response"),
            sources: result.each("sources").filter_map(|source| source.whole("n")).collect(),
            error: result.owned("error"),
        };
        Self { finding: Some(finding), ..Self::of(result) }
    }
}

/// One search, which every member reads.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct WebSearch {
    pub query: String,
    pub status: SearchStatus,
    pub found: bool,
    pub answer: Option<String>,
    pub error: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchStatus {
    #[default]
    Searching,
    Done,
    /// The run ended in the middle of it.
    Stopped,
}

pub(super) fn apply(run: &mut LiveRun, event: Event) {
    let told = event.fields;
    let data = told.within("data");
    match event.kind {
        "web_search_start" => {
            begin(run, "search");
            run.web_search = Some(WebSearch { query: told.string("query"), ..WebSearch::default() });
        }
        "web_search_complete" if data.is_there() => {
            add(run, data);
            searched(run, data);
        }
        "stage0_start" => {
            begin(run, "stage0");
            run.research = Some(Research { model: told.owned("model"), ..Research::default() });
        }
        "stage0_decomposing" => research(run).status = ResearchStatus::Splitting,
        "stage0_sub_queries" => name(research(run), data),
        "stage0_researching" => {
            let research = research(run);
            research.status = ResearchStatus::Searching;
            if data.tells("sub_queries") {
                name(research, data);
            }
        }
        "stage0_sub_result" if data.within("result").is_there() => {
            add(run, data.within("result"));
            let topic = Topic::found(data.within("result"));
            let topics = &mut research(run).topics;
            let at = data.count("index").and_then(|at| usize::try_from(at).ok());
            match at.and_then(|at| topics.get_mut(at)) {
                Some(known) => *known = topic,
                None => topics.push(topic),
            }
        }
        "stage0_synthesizing" => research(run).status = ResearchStatus::Compiling,
        "stage0_complete" if data.is_there() => {
            data.each("sub_results").for_each(|result| add(run, result));
            *research(run) = researched(data);
        }
        "stage1_tool_result" | "tool_result" | "react_observation" => add(run, told),
        _ => {}
    }
}

fn begin(run: &mut LiveRun, phase: &str) {
    run.status = RunStatus::Running;
    phase.clone_into(&mut run.phase);
    run.queue_position = None;
}

/// The sources that are listed here, by number, each once: two that found the same bring the same number.
fn add(run: &mut LiveRun, found: Fields) {
    for source in found.each("sources") {
        let Some(n) = source.whole("n") else { continue };
        if let Err(at) = run.sources.binary_search_by_key(&n, |known| known.n) {
            run.sources.insert(
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

fn searched(run: &mut LiveRun, data: Fields) {
    let asked = run.web_search.take().map(|search| search.query);
    run.web_search = Some(WebSearch {
        query: data.owned("query").or(asked).unwrap_or_default(),
        status: SearchStatus::Done,
        found: data.flag("found"),
        answer: data.owned("answer"),
        error: data.owned("error"),
    });
}

fn research(run: &mut LiveRun) -> &mut Research {
    begin(run, "stage0");
    run.research.get_or_insert_default()
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

pub(super) fn settle(run: &mut LiveRun) {
    if let Some(research) = run.research.as_mut().filter(|one| one.status != ResearchStatus::Done) {
        research.status = ResearchStatus::Stopped;
    }
    if let Some(search) = run.web_search.as_mut().filter(|one| one.status == SearchStatus::Searching) {
        search.status = SearchStatus::Stopped;
    }
}

/// As they are stored with a message.
pub(super) fn read(run: &mut LiveRun, message: Fields) {
    let metadata = message.within("metadata");
    let (search, stage0) = (metadata.within("web_search"), message.within("stage0"));
    add(run, metadata);
    add(run, search);
    stage0.each("sub_results").for_each(|result| add(run, result));
    if stage0.is_there() {
        run.research = Some(researched(stage0));
    }
    if search.is_there() {
        searched(run, search);
    }
}
