//! The list of features: what each of them adds to the events of a run, to its plan, to what is stored of
//! it, and to what models are asked. Whoever adds an option adds a line to each table here, and the rest to
//! its own folder.

mod lookups;
mod options;
mod stored;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde::Serialize;
use serde_json::Value;
use utoipa::PartialSchema as _;
use utoipa::openapi::{RefOr, Schema};

use crate::council::answer_form;
use crate::council::any_event::{AnyEvent, FeatureEvent as _};
use crate::council::attached;
use crate::council::budget::BudgetEvent;
use crate::council::checking::{self, CheckEvent, CheckNote};
use crate::council::event_readers::{Reader, Readers};
use crate::council::field::Fields;
use crate::council::formats::list::{self as formats, Format, FormatEvent, FormatNote};
use crate::council::options::adversary::{self, AdversaryEvent, AdversaryNote};
use crate::council::options::cache::event::CacheEvent;
use crate::council::options::cache::{self, CacheNote};
use crate::council::options::confidence;
use crate::council::options::consensus::{self, ConsensusEvent, ConsensusNote};
use crate::council::options::cot;
use crate::council::options::escalation::{self, EscalationEvent, EscalationNote};
use crate::council::options::jury::second::SecondReadingEvent;
use crate::council::options::jury::{self, SecondReadingNote};
use crate::council::options::multi_chairman::{self, MultiChairmanEvent, MultiChairmanNote};
use crate::council::options::one_seat;
use crate::council::options::react;
use crate::council::options::refinement::{self, RefinementEvent, RefinementNote};
use crate::council::options::research::{self, ResearchEvent, ResearchNote};
use crate::council::options::routing::{self, RoutingEvent, RoutingNote};
use crate::council::options::rubric;
use crate::council::options::tools;
use crate::council::options::web_search::{self, WebSearchEvent, WebSearchNote};
use crate::council::options::word_for_word;
use crate::council::pictures;
use crate::council::process::ProcessEvent;
use crate::council::prompts::seat_history::{self, SeatHistory};
use crate::council::prompts::template::Template;
use crate::council::revision;
use crate::council::roster::Choice;
use crate::council::run_event::{RunEvent, RunNote};
use crate::council::searching::{self, material};
use crate::council::seat::Alone;
use crate::council::settings::Settings;
use crate::council::stage::Stage;
use crate::council::stages::answers::{self, AnswersEvent, AnswersNote};
use crate::council::stages::reviews::{self, ReviewsEvent, ReviewsNote};
use crate::council::stages::synthesis::{self, SynthesisEvent, SynthesisNote};
use crate::council::stages::title::{self, TitleEvent, TitleNote};
use crate::council::task::Task;
use crate::council::tool_use::event::ToolEvent;
use crate::council::tool_use::{self, ToolNote};
use crate::llm::Purpose;

pub use lookups::Lookups;
pub use options::Options;
pub use stored::{Deliberation, Metadata};

macro_rules! events {
    ($($variant:ident($event:ty)),* $(,)?) => {
        /// One event of a run's stream.
        #[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
        #[serde(untagged)]
        pub enum Event {
            $($variant($event),)*
        }

        $(impl From<$event> for Event {
            fn from(event: $event) -> Self {
                Self::$variant(event)
            }
        })*

        impl From<Event> for AnyEvent {
            fn from(event: Event) -> Self {
                match event {
                    $(Event::$variant(event) => event.into(),)*
                }
            }
        }

        impl Event {
            /// The types of each feature's events, and how one of these is read.
            pub(in crate::council) fn readers() -> Vec<(Vec<String>, Reader<Self>)> {
                vec![$((<$event>::types(), |json| <$event>::read(json).map(Self::$variant))),*]
            }
        }
    };
}

events! {
    Run(RunEvent),
    Cache(CacheEvent),
    Research(ResearchEvent),
    WebSearch(WebSearchEvent),
    Routing(RoutingEvent),
    Escalation(EscalationEvent),
    Tools(ToolEvent),
    Answers(AnswersEvent),
    Reviews(ReviewsEvent),
    SecondReading(SecondReadingEvent),
    Consensus(ConsensusEvent),
    Synthesis(SynthesisEvent),
    // Must precede the drafts of several chairmen: both have an event of one name, and theirs has fewer fields.
    Format(FormatEvent),
    MultiChairman(MultiChairmanEvent),
    Checking(CheckEvent),
    Title(TitleEvent),
    Refinement(RefinementEvent),
    Adversary(AdversaryEvent),
    Process(ProcessEvent),
    Budget(BudgetEvent),
}

/// What the process monitor says, as a code with parameters. No two features have one code.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(untagged)]
pub enum ProcessFact {
    Run(RunNote),
    Cache(CacheNote),
    Research(ResearchNote),
    WebSearch(WebSearchNote),
    Routing(RoutingNote),
    Escalation(EscalationNote),
    Tools(ToolNote),
    Answers(AnswersNote),
    Reviews(ReviewsNote),
    SecondReading(SecondReadingNote),
    Consensus(ConsensusNote),
    Synthesis(SynthesisNote),
    MultiChairman(MultiChairmanNote),
    Checking(CheckNote),
    Title(TitleNote),
    Refinement(RefinementNote),
    Adversary(AdversaryNote),
    Format(FormatNote),
}

impl Event {
    /// Reads an event as it is logged.
    ///
    /// # Errors
    /// When no feature has such an event: a newer version may have written it.
    pub fn read(json: &[u8]) -> serde_json::Result<Self> {
        static READERS: LazyLock<Readers<Event>> = LazyLock::new(|| Readers::new(Event::readers()));
        READERS.read(json)
    }

    /// Whether this event is replayed to a person who is given an earlier answer: results are, but not what concerned
    /// that run alone, such as its beginning, its costs and its end.
    #[must_use]
    pub fn is_result(&self) -> bool {
        !matches!(self, Self::Run(_) | Self::Cache(_) | Self::Title(_) | Self::Process(_) | Self::Budget(_))
    }
}

/// What clients may read of an option before they ask: a name and the path of the route, its group in the
/// documentation, the folder and the type in its `view.rs`, and what that is.
macro_rules! views_of_options {
    ($each:ident) => {
        $each! {
            refinement "/refinement/config", "settings": options refinement RefinementConfig,
                "How a draft is refined for the caller.";
            adversary "/adversary/config", "settings": options adversary AdversaryConfig,
                "How an answer is attacked for the caller.";
            pools "/routing/pools", "insight": options routing PoolsView,
                "The caller's pools, and the kinds of questions there are.";
            tiers "/escalation/tiers", "insight": options escalation TiersView,
                "The caller's tiers, with the thresholds in force.";
            thresholds "/escalation/thresholds", "insight": options escalation Thresholds,
                "The caller's thresholds of escalation.";
        }
    };
}
pub(crate) use views_of_options;

/// The stages, in the order in which a run comes to them.
pub fn stages() -> impl Iterator<Item = &'static Stage> {
    FIRST.iter().chain(formats::stages()).chain(&THEN)
}

static FIRST: [Stage; 5] = [cache::STAGE, research::STAGE, searching::STAGE, routing::STAGE, answers::STAGE];
static THEN: [Stage; 5] =
    [reviews::STAGE, synthesis::STAGE, refinement::STAGE, adversary::STAGE, title::STAGE];

/// Whether a run comes to one stage before it comes to another.
#[must_use]
pub fn comes_before(one: &Stage, other: &Stage) -> bool {
    let place = |stage| stages().position(|known| known == stage);
    place(one).is_some_and(|one| Some(one) < place(other))
}

/// What calls are for, in the order of the documentation.
pub fn purposes() -> impl Iterator<Item = &'static Purpose> {
    PURPOSES.into_iter().chain(formats::purposes())
}

static PURPOSES: [&Purpose; 14] = [
    &cache::EMBEDDING,
    &research::SPLIT,
    &searching::SEARCH,
    &answers::ANSWER,
    &reviews::REVIEW,
    &reviews::BALLOT_REPAIR,
    &synthesis::SYNTHESIS,
    &title::TITLE,
    &routing::ROUTING,
    &multi_chairman::SELECTION,
    &refinement::CRITIQUE,
    &revision::REVISION,
    &adversary::ATTACK,
    &rubric::draft::DRAFT,
];

/// The purposes of the calls that write or improve the final answer.
pub fn purposes_of_final_answers() -> impl Iterator<Item = &'static Purpose> {
    let council = [&synthesis::SYNTHESIS, &multi_chairman::SELECTION, &revision::REVISION];
    council.into_iter().chain(formats::purposes_of_final_answers())
}

/// The events that show a piece of the final answer.
pub fn tokens_of_final_answers() -> impl Iterator<Item = &'static str> {
    std::iter::once("stage3_token").chain(formats::TOKENS_OF_FINAL_ANSWERS)
}

/// What a request may say of each option, for its documentation.
#[must_use]
pub fn request_fields() -> Vec<RefOr<Schema>> {
    let options = [
        cache::view::CacheFields::schema(),
        cot::CotFields::schema(),
        research::view::ResearchFields::schema(),
        web_search::view::WebSearchFields::schema(),
        react::view::ReactFields::schema(),
        tools::view::ToolsFields::schema(),
        one_seat::OneSeatFields::schema(),
        routing::view::RoutingFields::schema(),
        escalation::view::EscalationFields::schema(),
        jury::JuryFields::schema(),
        rubric::view::RubricFields::schema(),
        consensus::ConsensusFields::schema(),
        word_for_word::FinalFields::schema(),
        multi_chairman::MultiChairmanFields::schema(),
        refinement::view::RefinementFields::schema(),
        adversary::view::AdversaryFields::schema(),
    ];
    options.into_iter().chain(formats::request_fields()).collect()
}

/// The fields of a request that settings and presets may have defaults for.
const OPTION_FIELDS: &[&str] = &[
    "verbosity",
    "use_cache",
    "cache_similarity_threshold",
    "cache_mode",
    "use_cot",
    "use_research",
    "use_web_search",
    "use_react",
    "use_tools",
    "use_reviews",
    "use_weighted_consensus",
    "self_votes",
    "count_self_votes",
    "reviews_per_answer",
    "use_second_reading",
    "rubric",
    "use_early_consensus",
    "final",
    "use_multi_chairman",
    "use_dynamic_routing",
    "use_escalation",
    "use_refinement",
    "refinement_max_iterations",
    "refinement_min_critiques",
    "use_adversary",
    "adversary_revision_threshold",
    "system_prompt",
    "quorum",
    "straggler_grace_ms",
    "one_at_a_time",
];

/// Whether settings and presets may have a default for this field of a request.
#[must_use]
pub fn may_have_default(field: &str) -> bool {
    OPTION_FIELDS.contains(&field) || formats::OPTION_FIELDS.contains(&field)
}

/// Reads which seat a request asks alone, if any: see [`one_seat::parse`].
pub(in crate::council) fn asked_alone(
    fields: &mut Fields<'_>,
    settings: &mut Settings,
    format: Format,
    seat_history: Option<&SeatHistory>,
) -> Option<Alone> {
    one_seat::parse(fields, settings, (format.mode(), format == Format::Council), seat_history)
}

/// Whether a request has said itself what this default would say, in other words.
pub(in crate::council) fn is_overruled(body: &Value, default: &str) -> bool {
    match default {
        // A request that names early consensus has said how the final answer comes about.
        "final" => body.get("use_early_consensus") == Some(&Value::Bool(true)),
        // One seat alone is asked in one format only.
        "mode" => {
            formats::names_a_format(body)
                || body.get(seat_history::FIELD).is_some_and(|value| !value.is_null())
        }
        "self_votes" => body.get("count_self_votes").is_some_and(Value::is_boolean),
        _ => formats::is_said_otherwise(body, default),
    }
}

/// The parts of a plan that decide which texts it can use.
struct Uses<'p> {
    task: &'p Task,
    options: &'p Options,
    lookups: Lookups,
    format: Format,
    title: bool,
}

/// Templates, and whether a run can use them.
type Used = (fn(&Uses<'_>) -> bool, &'static [&'static Template]);

/// The templates of each feature of the council, and whether a run of such a plan can use them. One may come twice.
static TEMPLATES_BY_FEATURE: [Used; 20] = [
    (|plan| plan.format.may_be_the_councils(), confidence::TEMPLATES),
    (|plan| plan.format.may_be_the_councils(), reviews::TEMPLATES),
    (|plan| plan.format.may_be_the_councils(), synthesis::TEMPLATES),
    (|plan| plan.task.without_reviews, synthesis::TEMPLATES_WITHOUT_REVIEWS),
    (|plan| plan.task.brief.form.is_some(), answer_form::TEMPLATES),
    (|plan| !plan.task.brief.attachments.is_empty(), attached::TEMPLATES),
    (|plan| pictures::of(&plan.task.brief.attachments).next().is_some(), pictures::TEMPLATES),
    (|plan| plan.title, title::TEMPLATES),
    (|plan| plan.task.brief.search.is_some(), material::TEMPLATES),
    (|plan| plan.lookups.research, research::TEMPLATES),
    (|plan| plan.task.chain_of_thought, cot::TEMPLATES),
    (|plan| plan.task.tools.is_some(), tool_use::TEMPLATES),
    (|plan| plan.task.brief.checks > 0, checking::TEMPLATES),
    (|plan| plan.task.brief.checks > 0, tool_use::TEMPLATES),
    (|plan| matches!(plan.options.roster, Choice::Routing { .. }), routing::TEMPLATES),
    (|plan| !plan.options.chairmen.is_empty(), multi_chairman::TEMPLATES),
    (|plan| plan.options.refinement.is_some(), refinement::TEMPLATES),
    (|plan| plan.options.adversary.is_some(), adversary::TEMPLATES),
    (|plan| plan.task.rubric.is_some(), rubric::TEMPLATES),
    // Used outside of runs.
    (|_| false, rubric::draft::TEMPLATES),
];

/// The templates that a run of such a plan can use. One may come twice.
pub(in crate::council) fn templates(
    task: &Task,
    (options, lookups, format): (&Options, Lookups, Format),
    title: bool,
) -> Vec<&'static Template> {
    let plan = Uses { task, options, lookups, format, title };
    let council = TEMPLATES_BY_FEATURE.iter().filter(|(is_used, _)| is_used(&plan));
    council.flat_map(|(_, templates)| templates.iter().copied()).chain(format.templates()).collect()
}

/// Every template there is, once.
#[must_use]
pub fn all_templates() -> Vec<&'static Template> {
    let council = TEMPLATES_BY_FEATURE.iter().flat_map(|(_, templates)| templates.iter().copied());
    let mut seen = BTreeSet::new();
    council.chain(formats::all_templates()).filter(|template| seen.insert(template.name)).collect()
}

#[cfg(test)]
#[path = "../simulated_tests.rs"]
mod simulated_tests;

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;
    use crate::council::plan::{Context, Plan};
    use crate::council::prompts::own::{checked, places};
    use crate::council::prompts::template::BEFORE;

    #[test]
    fn the_places_of_every_template_are_those_that_it_names() {
        let mut known: BTreeMap<&str, &Template> = BTreeMap::new();
        let council = TEMPLATES_BY_FEATURE.iter().flat_map(|(_, templates)| templates.iter().copied());
        for template in council.chain(formats::all_templates()) {
            let there: BTreeSet<&str> = places(template.text).into_iter().collect();
            assert_eq!(there, template.places.iter().copied().collect(), "{}", template.name);
            assert_eq!(checked(template, template.text), Ok(template.text.to_owned()), "{}", template.name);
            let same = known.insert(template.name, template).is_none_or(|known| known.text == template.text);
            assert!(same, "two templates are called {}", template.name);
        }
        assert!(known.len() > 25, "{} templates", known.len());
        for (name, text) in BEFORE {
            assert!(places(text).iter().all(|place| known[name].places.contains(place)), "{name}");
        }
    }

    fn context() -> Context {
        let settings = json!({"council_models": ["a", "b"], "chairman_model": "a", "title_model": "a", "utility_model": "a"});
        let settings = serde_json::from_value(settings).unwrap();
        Context { settings, first: true, ..Context::default() }
    }

    #[test]
    fn a_request_overrules_a_default_in_either_spelling() {
        for (default, body, overruled) in [
            ("mode", json!({"use_debate": true}), true),
            ("mode", json!({"use_debate": false, "direct_to": null}), false),
            ("mode", json!({"direct_to": "chairman"}), true),
            ("arena_rounds", json!({"arena_config": {"round_count": 2}}), true),
            ("arena_rounds", json!({"arena_config": {"round_count": null}}), false),
            ("arena_rounds", json!({"arena_config": 2}), false),
            ("include_rebuttal", json!({"num_rounds": 3}), true),
            ("include_rebuttal", json!({"num_rounds": null}), false),
            ("self_votes", json!({"count_self_votes": true}), true),
            ("debate_rounds", json!({"num_rounds": 3}), false),
        ] {
            assert_eq!(is_overruled(&body, default), overruled, "{default} beside {body}");
        }
    }

    #[test]
    fn a_default_with_something_wrong_inside_is_left_out_whole() {
        let defaults = json!({"rubric": {"text": "a\u{0}"}, "use_cot": true});
        let defaults = defaults.as_object().unwrap();
        let plan = Plan::parse_over(&json!({"content": "Why?"}), defaults, context()).unwrap();
        assert!(plan.task.chain_of_thought && plan.task.rubric.is_none());
        let ignored: Vec<&str> = plan.ignored.iter().map(|one| one.field.as_str()).collect();
        assert_eq!(ignored, ["rubric"]);
    }

    #[test]
    fn every_template_that_a_format_uses_is_among_all() {
        let all: BTreeSet<&str> = all_templates().into_iter().map(|template| template.name).collect();
        for mode in formats::MODES {
            for style in ["rotation", "all_to_all"] {
                let body = json!({"content": "Why?", "mode": mode, "debate_style": style});
                let used = Plan::parse(&body, context()).unwrap().format.templates();
                assert!(used.iter().all(|template| all.contains(template.name)), "{mode} {style}");
            }
        }
    }
}
