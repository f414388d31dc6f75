//! Figures beside their targets, for people and for machines.

use serde_json::{Value, json};

/// A bound that a figure is meant to keep.
#[derive(Debug, Clone, Copy)]
pub enum Target {
    AtMost(f64),
    AtLeast(f64),
    /// Must hold exactly: any other value is a defect, on any machine.
    Zero,
    None,
}

impl Target {
    fn met_by(self, value: f64) -> Option<bool> {
        match self {
            Self::AtMost(bound) => Some(value <= bound),
            Self::AtLeast(bound) => Some(value >= bound),
            Self::Zero => Some(value == 0.0),
            Self::None => None,
        }
    }
}

/// What a scenario found out.
#[derive(Debug, Default)]
pub struct Report {
    title: String,
    rows: Vec<(String, f64, &'static str, Target)>,
    notes: Vec<String>,
    series: Vec<(f64, f64)>,
}

impl Report {
    pub fn new(title: String) -> Self {
        Self { title, ..Self::default() }
    }

    pub fn row(&mut self, name: &str, value: f64, unit: &'static str, target: Target) {
        self.rows.push((name.to_owned(), value, unit, target));
    }

    /// The figures, without their targets.
    pub fn figures(&self) -> impl Iterator<Item = (&str, f64, &'static str)> {
        self.rows.iter().map(|(name, value, unit, _)| (name.as_str(), *value, *unit))
    }

    /// Figures that show a defect.
    pub fn defects(&self) -> impl Iterator<Item = &str> {
        let are =
            self.rows.iter().filter(|(_, value, _, target)| matches!(target, Target::Zero) && *value != 0.0);
        are.map(|(name, ..)| name.as_str())
    }

    pub fn title(&self) -> &str {
        &self.title
    }

    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// Memory over time, for the JSON.
    pub fn memory_series(&mut self, series: Vec<(f64, f64)>) {
        self.series = series;
    }

    pub fn print(&self) {
        println!("\n{}\n", self.title);
        println!("{:<46} {:>12} {:<8} {:>12}", "figure", "measured", "", "target");
        for (name, value, unit, target) in &self.rows {
            let bound = match target {
                Target::AtMost(bound) => format!("≤ {}", short(*bound)),
                Target::AtLeast(bound) => format!("≥ {}", short(*bound)),
                Target::Zero => "0".to_owned(),
                Target::None => String::new(),
            };
            let verdict = match target.met_by(*value) {
                Some(true) => "ok",
                Some(false) => "MISSED",
                None => "",
            };
            println!("{name:<46} {:>12} {unit:<8} {bound:>12}  {verdict}", short(*value));
        }
        for note in &self.notes {
            println!("note: {note}");
        }
    }

    pub fn json(&self) -> Value {
        let rows: Vec<Value> = self
            .rows
            .iter()
            .map(|(name, value, unit, target)| {
                let (at_most, at_least) = match target {
                    Target::AtMost(bound) => (Some(*bound), None),
                    Target::AtLeast(bound) => (None, Some(*bound)),
                    Target::Zero => (Some(0.0), None),
                    Target::None => (None, None),
                };
                json!({ "figure": name, "value": value, "unit": unit, "at_most": at_most, "at_least": at_least,
                        "met": target.met_by(*value) })
            })
            .collect();
        json!({ "scenario": self.title, "figures": rows, "notes": self.notes, "memory_mib_over_seconds": self.series })
    }
}

pub fn short(value: f64) -> String {
    if value.abs() >= 100.0 || value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.2}") }
}

/// The value below which a share of the values lies; 0 where there are none.
pub fn quantile(values: &mut [f64], share: f64) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "an index"
    )]
    let at = (values.len().saturating_sub(1) as f64 * share).round() as usize;
    values.get(at).copied().unwrap_or(0.0)
}
