//! What can be asked under a model's name: the formats, the presets, and single seats where the administrator allows.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::refusal::Refusal;
use crate::council::settings::Member;
use crate::id::PresetId;
use crate::server::app::App;
use crate::server::extract::Caller;
use crate::server::presets;
use crate::server::problem::Problem;
use crate::store::presets::Preset;

/// The prefix of presets' names.
const COUNCIL: &str = "council/";
/// The prefix of seats' names.
const SEAT: &str = "seat/";
/// The creation time of models that nobody here has made: 2025-01-01.
const BUILT_IN: i64 = 1_735_689_600;

/// A model, as programs see it.
#[derive(Debug, Clone)]
pub(super) struct Offer {
    pub id: String,
    /// Seconds since 1970.
    pub created: i64,
    /// How it comes to an answer, in a sentence.
    pub about: String,
    pub asks: Asks,
}

/// What a model stands for.
#[derive(Debug, Clone)]
pub(super) enum Asks {
    /// A run: these are the fields of the question's options.
    Council(Value),
    /// One member by itself.
    Seat(Member),
}

/// A format under a name of its own.
struct BuiltIn {
    id: &'static str,
    about: &'static str,
    options: fn() -> Value,
}

impl BuiltIn {
    fn offer(&self) -> Offer {
        Offer {
            id: self.id.to_owned(),
            created: BUILT_IN,
            about: self.about.to_owned(),
            asks: Asks::Council((self.options)()),
        }
    }
}

static BUILT_IN_OFFERS: [BuiltIn; 6] = [
    BuiltIn {
        id: "council",
        about: "Several models answer, review each other's answers blind, and a chairman writes the final answer.",
        options: || json!({"mode": "council"}),
    },
    BuiltIn {
        id: "council:fast",
        about: "Several models answer, and a chairman writes the final answer from that, without reviews.",
        options: || json!({"mode": "council", "use_reviews": false}),
    },
    BuiltIn {
        id: "council:select",
        about: "Several models answer and review each other's answers blind; the answer that they rank first is given \
                word for word.",
        options: || json!({"mode": "council", "final": "select"}),
    },
    BuiltIn {
        id: "debate",
        about: "Several models state their positions, criticise each other and reply; a chairman judges the debate.",
        options: || json!({"mode": "debate"}),
    },
    BuiltIn {
        id: "arena",
        about: "Several models argue with each other in rounds; a chairman writes what comes of it.",
        options: || json!({"mode": "arena"}),
    },
    BuiltIn {
        id: "decomposition",
        about: "The question is taken apart, each part is answered by several models, and a chairman puts the parts \
                together.",
        options: || json!({"mode": "decomposition"}),
    },
];

/// Everything that the caller can ask.
pub(super) async fn all(app: &App, caller: &Caller) -> Result<Vec<Offer>, Problem> {
    let mut offers: Vec<Offer> = BUILT_IN_OFFERS.iter().map(BuiltIn::offer).collect();
    offers.extend(of_presets(app, caller).await?);
    if app.config.programs.single_seats {
        let (settings, _) = app.settings(&caller.scope()).await?;
        offers.extend(settings.council_models.into_iter().map(|member| Offer {
            id: format!("{SEAT}{}", member.name()),
            created: BUILT_IN,
            about: format!("{} alone, without a council.", member.name()),
            asks: Asks::Seat(member),
        }));
    }
    Ok(offers)
}

/// The caller's presets: under their names in a form that programs can write; where several come to one, the others under
/// their ids.
async fn of_presets(app: &App, caller: &Caller) -> Result<Vec<Offer>, Problem> {
    let mut presets = presets::on_offer(app, caller).await?;
    // One's own come first.
    presets.sort_by_key(|preset| preset.shared);
    let slugs = slugs(&presets);
    let offer = |preset: Preset| {
        let name = slugs.get(&preset.id).cloned().unwrap_or_else(|| preset.id.to_string());
        Offer {
            id: format!("{COUNCIL}{name}"),
            created: preset.created_at.as_second(),
            about: format!("The council of the preset {:?}.", preset.name),
            asks: Asks::Council(json!({"preset_id": preset.id})),
        }
    };
    Ok(presets.into_iter().map(offer).collect())
}

/// Which presets go by their names. Of several that come to the same, it is one's own before everybody's, then the one
/// whose name is written just so, then the oldest: a new preset whose name only looks alike is not asked in its place.
fn slugs(presets: &[Preset]) -> BTreeMap<PresetId, String> {
    let mut named: Vec<(&Preset, String)> =
        presets.iter().map(|preset| (preset, slug(&preset.name))).collect();
    named.sort_by_key(|(preset, slug)| (preset.shared, *slug != preset.name, preset.created_at, preset.id));
    let mut taken = BTreeSet::new();
    named.retain(|(_, slug)| !slug.is_empty() && taken.insert(slug.clone()));
    named.into_iter().map(|(preset, slug)| (preset.id, slug)).collect()
}

/// A name in small letters, digits and hyphens.
fn slug(name: &str) -> String {
    let lower = name.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}

/// What a name stands for.
///
/// # Errors
/// When it stands for nothing that the caller can ask.
pub(super) async fn find(app: &App, caller: &Caller, model: &str) -> Result<Offer, Refusal> {
    // Nothing else has names like these, so the most frequent requests need no look-up.
    if let Some(built_in) = BUILT_IN_OFFERS.iter().find(|offer| offer.id == model) {
        return Ok(built_in.offer());
    }
    let offers = all(app, caller).await?;
    let found = offers.into_iter().find(|offer| offer.id == model || is_preset(offer, model));
    found.ok_or_else(|| Refusal::no_model(model))
}

/// Whether this name is a preset's id.
fn is_preset(offer: &Offer, model: &str) -> bool {
    let Asks::Council(options) = &offer.asks else { return false };
    let id = options.get("preset_id").and_then(Value::as_str);
    id.is_some() && model.strip_prefix(COUNCIL) == id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_presets_name_becomes_one_that_programs_can_write() {
        for (name, expected) in
            [("Fast & cheap", "fast-cheap"), ("  Größe/2 ", "größe-2"), ("!!", ""), ("a:b", "a-b")]
        {
            assert_eq!(slug(name), expected);
        }
    }
}
