//! The list of features: what each of them adds to the events of a run, to its plan, to what is stored of
//! it, and to what models are asked. Whoever adds an option adds a line to each table here, and the rest to
//! its own folder.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::PartialSchema as _;
use utoipa::openapi::{RefOr, Schema};

use super::any_event::AnyEvent;
use super::budget::{BudgetEvent, BudgetState};
use super::costs::Costs;
use super::debate::fold::Common;
use super::field::Fields;
use super::formats::list::{self as formats, Format, FormatEvent, FormatNote};
use super::formats::stored::Stored;
use super::options::adversary::{self, Adversary, AdversaryEvent, AdversaryNote, AdversaryOptions};
use super::options::confidence::{self, AggregateConfidence};
use super::options::consensus::{self, ConsensusEvent, ConsensusInfo, ConsensusNote};
use super::options::cot;
use super::options::escalation::{self, EscalationEvent, EscalationInfo, EscalationNote};
use super::options::jury::info::SecondReading;
use super::options::jury::second::{self, SecondReadingEvent};
use super::options::jury::{self, SecondReadingNote};
use super::options::multi_chairman::{self, MultiChairmanEvent, MultiChairmanNote};
use super::options::refinement::{self, Refinement, RefinementEvent, RefinementNote, RefinementOptions};
use super::options::routing::{self, RoutingEvent, RoutingInfo, RoutingNote};
use super::options::word_for_word::{self, FinalAnswer};
use super::process::ProcessEvent;
use super::prompts::template::Template;
use super::ranking::aggregate::{AggregateFacts, AggregateRow};
use super::ranking::label::Label;
use super::ranking::weights::WeightsInfo;
use super::revision;
use super::roster::Choice;
use super::run::UnderWay;
use super::run_event::{Ignored, IgnoredFact, RunEvent, RunNote};
use super::settings::Settings;
use super::stage::Stage;
use super::stages::abstention::Abstention;
use super::stages::answers::{self, Answer, AnswersEvent, AnswersNote};
use super::stages::reviews::{self, Review, ReviewsEvent, ReviewsNote};
use super::stages::synthesis::{self, Synthesis, SynthesisEvent, SynthesisNote};
use super::stages::title::{self, TitleEvent, TitleNote};
use super::task::Task;
use crate::llm::{CallFact, Purpose};

macro_rules! events {
    ($($variant:ident($event:ty)),* $(,)?) => {
        /// One event of a run's stream.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
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
    };
}

events! {
    Run(RunEvent),
    Routing(RoutingEvent),
    Escalation(EscalationEvent),
    Answers(AnswersEvent),
    Reviews(ReviewsEvent),
    SecondReading(SecondReadingEvent),
    Consensus(ConsensusEvent),
    Synthesis(SynthesisEvent),
    // Before the drafts of several chairmen, which share the name of an event with it and have less in it.
    Format(FormatEvent),
    MultiChairman(MultiChairmanEvent),
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
    Routing(RoutingNote),
    Escalation(EscalationNote),
    Answers(AnswersNote),
    Reviews(ReviewsNote),
    SecondReading(SecondReadingNote),
    Consensus(ConsensusNote),
    Synthesis(SynthesisNote),
    MultiChairman(MultiChairmanNote),
    Title(TitleNote),
    Refinement(RefinementNote),
    Adversary(AdversaryNote),
    Format(FormatNote),
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

static FIRST: [Stage; 2] = [routing::STAGE, answers::STAGE];
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

static PURPOSES: [&Purpose; 10] = [
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
];

/// What a request may say of each option, for its documentation.
#[must_use]
pub fn request_fields() -> Vec<RefOr<Schema>> {
    let options = [
        cot::CotFields::schema(),
        routing::view::RoutingFields::schema(),
        escalation::view::EscalationFields::schema(),
        jury::JuryFields::schema(),
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
    "use_cot",
    "use_weighted_consensus",
    "self_votes",
    "count_self_votes",
    "reviews_per_answer",
    "use_second_reading",
    "use_early_consensus",
    "final",
    "use_multi_chairman",
    "use_dynamic_routing",
    "use_escalation",
    "use_refinement",
    "refinement_max_iterations",
    "use_adversary",
    "quorum",
    "straggler_grace_ms",
];

/// Whether settings and presets may have a default for this field of a request.
#[must_use]
pub fn may_have_default(field: &str) -> bool {
    OPTION_FIELDS.contains(&field) || formats::OPTION_FIELDS.contains(&field)
}

/// What a plan says of the options that decide who answers and what becomes of the answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// Who answers.
    #[serde(default)]
    pub roster: Choice,
    /// Whether an answer that the council agrees on is the final one.
    #[serde(default)]
    pub early_consensus: bool,
    /// How the final answer comes about.
    #[serde(default, rename = "final")]
    pub final_answer: FinalAnswer,
    /// The models that each write a draft for the chairman to choose from; none: it writes itself.
    #[serde(default)]
    pub chairmen: Vec<String>,
    /// Whether the draft is criticised and revised.
    #[serde(default)]
    pub refinement: Option<RefinementOptions>,
    /// Whether a devil's advocate attacks the answer.
    #[serde(default)]
    pub adversary: Option<AdversaryOptions>,
}

impl Options {
    /// Reads a request's fields. What is switched on and does not apply is noted in `ignored`.
    pub(super) fn parse(
        fields: &mut Fields<'_>,
        settings: &mut Settings,
        ignored: &mut Vec<Ignored>,
    ) -> Self {
        jury::parse(fields, settings);
        let final_answer = word_for_word::parse(fields);
        let mut options = Self {
            roster: Choice::parse(fields, settings, ignored),
            early_consensus: fields.take("use_early_consensus", "true or false").unwrap_or(false),
            final_answer: final_answer.unwrap_or_default(),
            chairmen: multi_chairman::parse(fields, settings),
            refinement: RefinementOptions::parse(fields),
            adversary: AdversaryOptions::parse(fields, settings),
        };
        match final_answer {
            Some(FinalAnswer::Write) => options.leave_out_consensus(IgnoredFact::Written, ignored),
            Some(FinalAnswer::Select) => options.leave_out_writing(ignored),
            Some(FinalAnswer::Auto) | None => {}
        }
        options
    }

    /// Takes out whatever is switched on: the fields of a request that would, and whether they have.
    pub(super) fn take_switched_on(&mut self) -> [(&'static str, bool); 7] {
        let Self { roster, early_consensus, final_answer, chairmen, refinement, adversary } =
            std::mem::take(self);
        [
            ("use_dynamic_routing", matches!(roster, Choice::Routing { .. })),
            ("use_escalation", matches!(roster, Choice::Escalation(_))),
            ("use_early_consensus", early_consensus),
            ("final", final_answer != FinalAnswer::default()),
            ("use_multi_chairman", !chairmen.is_empty()),
            ("use_refinement", refinement.is_some()),
            ("use_adversary", adversary.is_some()),
        ]
    }

    fn leave_out_consensus(&mut self, why: IgnoredFact, ignored: &mut Vec<Ignored>) {
        if std::mem::take(&mut self.early_consensus) {
            ignored.push(Ignored::because("use_early_consensus", why));
        }
    }

    /// Leaves out what only serves an answer that somebody writes.
    fn leave_out_writing(&mut self, ignored: &mut Vec<Ignored>) {
        self.leave_out_consensus(IgnoredFact::Selected, ignored);
        let was_on = [
            ("use_multi_chairman", !std::mem::take(&mut self.chairmen).is_empty()),
            ("use_refinement", self.refinement.take().is_some()),
            ("use_adversary", self.adversary.take().is_some()),
        ];
        for (field, _) in was_on.into_iter().filter(|(_, on)| *on) {
            ignored.push(Ignored::because(field, IgnoredFact::Selected));
        }
    }
}

/// Whether a request has said itself what this default would say, in other words.
pub(super) fn is_overruled(body: &Value, default: &str) -> bool {
    match default {
        // Who asks for early consensus by its name has said how the final answer comes about.
        "final" => body.get("use_early_consensus") == Some(&Value::Bool(true)),
        "mode" => formats::names_a_format(body),
        "self_votes" => body.get("count_self_votes").is_some_and(Value::is_boolean),
        _ => false,
    }
}

/// The templates of each feature of the council, and whether a run of such a plan can use them. One may come twice.
fn templates_by_feature(
    task: &Task,
    (options, format): (&Options, Format),
    title: bool,
) -> [(bool, &'static [&'static Template]); 9] {
    let is_council = format.may_be_the_councils();
    [
        (is_council, confidence::TEMPLATES),
        (is_council, reviews::TEMPLATES),
        (is_council, synthesis::TEMPLATES),
        (title, title::TEMPLATES),
        (task.chain_of_thought, cot::TEMPLATES),
        (matches!(options.roster, Choice::Routing { .. }), routing::TEMPLATES),
        (!options.chairmen.is_empty(), multi_chairman::TEMPLATES),
        (options.refinement.is_some(), refinement::TEMPLATES),
        (options.adversary.is_some(), adversary::TEMPLATES),
    ]
}

/// The templates that a run of such a plan can use.
pub(super) fn templates(
    task: &Task,
    (options, format): (&Options, Format),
    title: bool,
) -> impl Iterator<Item = &'static Template> {
    let council = templates_by_feature(task, (options, format), title).into_iter().filter(|(used, _)| *used);
    council.flat_map(|(_, templates)| templates.iter().copied()).chain(format.templates())
}

/// An assistant message's content: everything the council said.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct Deliberation {
    /// The members' answers, in the council's order once all are there.
    pub stage1: Option<Vec<Answer>>,
    /// The reviews.
    pub stage2: Option<Vec<Review>>,
    /// The chairman's answer.
    pub stage3: Option<Synthesis>,
    /// What other formats have besides.
    #[serde(flatten)]
    pub format: Stored,
    pub metadata: Metadata,
}

/// What stands beside the stages.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct Metadata {
    /// `Response A` → model id.
    #[schema(value_type = BTreeMap<String, String>)]
    pub label_to_model: BTreeMap<Label, String>,
    /// `Response A` → the seat's name.
    #[schema(value_type = BTreeMap<String, String>)]
    pub label_to_member: BTreeMap<Label, String>,
    pub aggregate_rankings: Vec<AggregateRow>,
    pub aggregate: Option<AggregateFacts>,
    /// Whether ballots counted by their authors' records.
    pub use_weighted_consensus: bool,
    /// What each reviewer's ballot weighed, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weights_info: Option<WeightsInfo>,
    /// Whether the answers were read a second time, and why, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub second_reading: Option<SecondReading>,
    /// The members that were not asked to review.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub abstained: Vec<Abstention>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aggregate_confidence: Option<AggregateConfidence>,
    /// Who was to answer, and why, where the question was routed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub routing_info: Option<RoutingInfo>,
    /// Whether the second tier was asked, and why, where the run might escalate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub escalation_info: Option<EscalationInfo>,
    /// Whether the council agreed so that nobody had to write, and why, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub consensus_info: Option<ConsensusInfo>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub costs: Option<Costs>,
    /// How the draft was refined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refinement: Option<Refinement>,
    /// What the devil's advocate said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adversary: Option<Adversary>,
    /// Whether the run's events tell what went on, sentence by sentence (`process`).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub process_log: bool,
    /// Options that were switched on and did not apply, each with its reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<Ignored>,
    /// Budgets that this run found, or left, nearly used up.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub budget_warnings: Vec<BudgetState>,
    /// The title this run gave its conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

impl Deliberation {
    /// Takes in one event. Tokens change nothing: results arrive whole.
    pub fn apply(&mut self, event: &AnyEvent) {
        if let Some(RoutingEvent::RoutingComplete { data }) = event.get() {
            self.metadata.routing_info = Some((**data).clone());
        } else if let Some(event) = event.get() {
            self.apply_escalation(event);
        } else if let Some(event) = event.get() {
            self.apply_answers(event);
        } else if let Some(event) = event.get() {
            self.apply_reviews(event);
        } else if let Some(event) = event.get() {
            self.apply_second_reading(event);
        } else if let Some(SynthesisEvent::Stage3Complete { data, consensus_info, .. }) = event.get() {
            self.stage3 = Some((**data).clone());
            self.metadata.consensus_info = consensus_info.as_deref().cloned();
        } else if let Some(common) = self.format.apply(event) {
            self.apply_common(common);
        } else if let Some(event) = event.get() {
            multi_chairman::keep(&mut self.stage3, event);
        } else if let Some(event) = event.get() {
            self.apply_refinement(event);
        } else if let Some(event) = event.get::<AdversaryEvent>() {
            self.metadata.adversary.get_or_insert_default().apply(event);
            self.revise(event.new_answer());
        } else if let Some(TitleEvent::TitleComplete { data }) = event.get() {
            self.metadata.title = Some(data.title.clone());
        } else if let Some(RunEvent::CostsComplete { data }) = event.get() {
            self.apply_costs(data);
        } else if let Some(RunEvent::RunStarted { ignored, .. }) = event.get() {
            self.metadata.ignored.clone_from(ignored);
        } else if let Some(BudgetEvent::BudgetWarning { data }) = event.get() {
            let known = &mut self.metadata.budget_warnings;
            if !known.iter().any(|known| known.key() == data.key()) {
                known.push(data.clone());
            }
        } else if event.get::<ProcessEvent>().is_some() {
            // The log keeps what the process monitor says; it tells nothing that is not here.
            self.metadata.process_log = true;
        }
    }

    /// An option that was ended in its middle has not said itself what it cost.
    fn apply_costs(&mut self, costs: &Costs) {
        let of = |stage: &Stage| costs.by_stage.get(stage).copied().unwrap_or_default();
        if let Some(refinement) = &mut self.metadata.refinement {
            let spent = of(&refinement::STAGE);
            refinement.total_cost = spent.cost;
            refinement.unknown_cost_calls = spent.unknown_cost_calls;
        }
        if let Some(adversary) = &mut self.metadata.adversary {
            let spent = of(&adversary::STAGE);
            adversary.total_cost = spent.cost;
            adversary.unknown_cost_calls = spent.unknown_cost_calls;
        }
        self.metadata.costs = Some(costs.clone());
    }

    fn apply_escalation(&mut self, event: &EscalationEvent) {
        match event {
            EscalationEvent::Tier1Start { members, .. } => self.expect(members, 1),
            EscalationEvent::Tier2Start { members, .. } => self.expect(members, 2),
            EscalationEvent::Tier1Complete { data, metadata } => {
                self.stage1 = Some(data.clone());
                self.metadata.aggregate_confidence = Some(metadata.aggregate_confidence.clone());
            }
            EscalationEvent::EscalationTriggered { data } => {
                self.metadata.escalation_info = Some((**data).clone());
            }
        }
    }

    fn apply_common(&mut self, common: Common<'_>) {
        match common {
            Common::Nothing => {}
            Common::Judged(synthesis) => self.stage3 = Some(synthesis.clone()),
            Common::Ranked { reviews, metadata } => self.put_reviews(reviews, metadata),
        }
    }

    fn apply_second_reading(&mut self, event: &SecondReadingEvent) {
        match event {
            SecondReadingEvent::SecondReadingStart { data, .. } => {
                self.metadata.second_reading = Some(data.clone());
            }
            SecondReadingEvent::SecondReadingModelComplete { data, .. } => {
                second::put(self.stage2.as_deref_mut().unwrap_or_default(), (**data).clone());
            }
        }
    }

    fn apply_refinement(&mut self, event: &RefinementEvent) {
        let answer = self.answer_text().map(str::to_owned);
        let refinement = self.metadata.refinement.get_or_insert_with(|| Refinement {
            // Until there is a revision.
            final_response: answer.unwrap_or_default(),
            ..Refinement::default()
        });
        refinement.apply(event);
        self.revise(event.new_answer());
    }

    /// Keeps what had been shown of calls that never ended.
    pub fn keep_unfinished(&mut self, calls: &[UnderWay], fact: &CallFact) {
        for call in calls {
            if self.format.keep_unfinished(call, fact) {
                continue;
            }
            if call.stage == answers::STAGE {
                self.keep_unfinished_answer(call, fact);
            } else if call.stage == synthesis::STAGE {
                if !multi_chairman::keep_unfinished(&mut self.stage3, call, fact) {
                    self.keep_unfinished_synthesis(call, fact);
                }
            } else if call.stage == refinement::STAGE
                && let Some(refinement) = &mut self.metadata.refinement
            {
                refinement.keep_unfinished(call, fact);
            } else if call.stage == adversary::STAGE
                && let Some(adversary) = &mut self.metadata.adversary
            {
                adversary.keep_unfinished(call.purpose, &call.text);
            }
        }
        self.format.end_waiting(fact);
        self.end_waiting(fact);
    }
}

#[cfg(test)]
#[path = "simulated_tests.rs"]
mod simulated_tests;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::*;
    use crate::council::plan::{Context, Plan};
    use crate::council::prompts::template::BEFORE;

    fn places(text: &str) -> BTreeSet<&str> {
        text.split('{').skip(1).filter_map(|after| after.split_once('}')).map(|(name, _)| name).collect()
    }

    #[test]
    fn the_places_of_every_template_are_those_that_it_names() {
        let settings = json!({"council_models": ["a", "b"], "chairman_model": "a", "title_model": "a", "utility_model": "a"});
        let settings = serde_json::from_value(settings).unwrap();
        let context = Context { settings, first: true, ..Context::default() };
        let plan = Plan::parse(&json!({"content": "Why?"}), context.clone()).unwrap();
        let mut known: BTreeMap<&str, &Template> = BTreeMap::new();
        let of_features = templates_by_feature(&plan.task, (&plan.options, plan.format), true)
            .into_iter()
            .flat_map(|(_, templates)| templates.iter().copied());
        let of_formats = formats::MODES.into_iter().flat_map(|mode| {
            let styles = ["rotation", "all_to_all"]
                .map(|style| json!({"content": "Why?", "mode": mode, "debate_style": style}));
            styles.map(|body| Plan::parse(&body, context.clone()).unwrap().format.templates()).concat()
        });
        for template in of_features.chain(of_formats) {
            assert_eq!(places(template.text), template.places.iter().copied().collect(), "{}", template.name);
            let same = known.insert(template.name, template).is_none_or(|known| known.text == template.text);
            assert!(same, "two templates are called {}", template.name);
        }
        assert!(known.len() > 25, "{} templates", known.len());
        for (name, text) in BEFORE {
            assert!(places(text).iter().all(|place| known[name].places.contains(place)), "{name}");
        }
    }
}
