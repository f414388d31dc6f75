//! How an earlier answer is asked for, and how an offer of one is answered.

use clap::{Args, ValueEnum};
use serde_json::{Map, Value, json};

const MODE: &str = "cache_mode";

/// What becomes of an earlier answer that is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Mode {
    /// It is given.
    Serve,
    /// It is offered first; without a terminal it is given.
    Offer,
    /// Only to the very same question.
    Exact,
}

/// On the command line.
#[derive(Debug, Clone, Default, Args)]
#[group(skip)]
pub struct Flags {
    /// Give an earlier answer to the same question again, if there is one.
    #[arg(long, value_name = "MODE", value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "serve")]
    pub cache: Option<Mode>,
}

impl Flags {
    /// The fields of a request that say so.
    pub fn fields(&self) -> impl Iterator<Item = (&'static str, Value)> {
        let of = |mode: Mode| {
            let name = mode.to_possible_value().map(|value| value.get_name().to_owned());
            [("use_cache", json!(true)), (MODE, json!(name))]
        };
        self.cache.into_iter().flat_map(of)
    }
}

/// Replaces offers by giving the answer, for when nobody could take an offer.
pub fn without_offers(fields: &mut Map<String, Value>) {
    if fields.get(MODE).and_then(Value::as_str) == Some("offer") {
        fields.insert(MODE.to_owned(), json!("serve"));
    }
}

/// The path at which a run's offer is answered.
#[must_use]
pub fn path_of_offer(run: &str) -> String {
    format!("/api/runs/{run}/cache")
}
