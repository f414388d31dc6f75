//! How the reviewers judge: by which criteria, whether they read a second time, and what each ballot weighs.

use super::shape::{Judging, SecondReading, Weights};
use crate::terminal::live::event::{Event, Fields};
use crate::terminal::live::feature_state::FeatureState;
use crate::terminal::live::state::Run;

impl FeatureState for Judging {
    fn apply(&mut self, _run: &mut Run, event: Event) {
        let fields = event.fields;
        match event.kind {
            "run_started" => self.rubric = rubric(fields.within("rubric")),
            // It comes again when more members are asked after the reviews.
            "stage2_start" => *self = Self { rubric: self.rubric.take(), ..Self::default() },
            "second_reading_start" => read_again(self, fields.within("data")),
            "stage2_complete" => tell_of(self, fields.within("metadata")),
            _ => {}
        }
    }

    /// Reads what is stored with a message.
    fn read(&mut self, _run: &mut Run, message: Fields, _is_live: bool) {
        let metadata = message.within("metadata");
        self.rubric = rubric(metadata.within("rubric"));
        tell_of(self, metadata);
    }
}

fn rubric(fields: Fields) -> Option<(String, String)> {
    let name = match fields.whole("version") {
        Some(version) => format!("{}, version {version}", fields.string("name")),
        None => fields.string("name"),
    };
    fields.words("text").map(|text| (name, text.to_owned()))
}

fn tell_of(own: &mut Judging, metadata: Fields) {
    read_again(own, metadata.within("second_reading"));
    let info = metadata.within("weights_info");
    if info.is_there() {
        let weight = |(member, fields): (&str, &serde_json::Value)| {
            (member.to_owned(), Fields::of(fields).number("normalized_weight").unwrap_or_default())
        };
        own.weights = Some(Weights {
            explanation: info.string("explanation"),
            has_historical_data: info.flag("has_historical_data"),
            weights: info.entries("weights").map(weight).collect(),
        });
    }
}

fn read_again(own: &mut Judging, fields: Fields) {
    if fields.is_there() {
        own.second_reading =
            Some(SecondReading { held: fields.flag("held"), reason: fields.string("reason") });
    }
}
