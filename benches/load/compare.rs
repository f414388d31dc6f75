//! Two builds, measured in turn: machines change from one minute to the next, so that only neighbours can be compared.

use serde_json::{Value, json};

use super::report::{Report, short};

/// How many standard errors a difference must be away from 0 to count as one.
const BEYOND_NOISE: f64 = 3.0;

/// What was measured of both, in order: this one's reports and the other one's, round by round.
pub struct Comparison(Vec<(Report, Report)>);

/// A figure of both.
struct Row {
    figure: String,
    unit: &'static str,
    this: f64,
    other: f64,
    /// The mean of the differences within a round, and its standard error; none with a single round.
    difference: f64,
    error: Option<f64>,
}

impl Row {
    fn verdict(&self) -> &'static str {
        match self.error {
            Some(error) if self.difference.abs() > BEYOND_NOISE * error && self.difference != 0.0 => {
                "differs"
            }
            Some(_) => "",
            None => "?",
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a number of rounds")]
fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The standard error of the mean.
#[expect(clippy::cast_precision_loss, reason = "a number of rounds")]
fn error(values: &[f64]) -> Option<f64> {
    let (mean, count) = (mean(values), values.len() as f64);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (values.len() > 1).then(|| (squares / (count - 1.0) / count).sqrt())
}

impl Comparison {
    pub fn new(rounds: Vec<(Report, Report)>) -> Self {
        Self(rounds)
    }

    /// All of them.
    pub fn reports(&self) -> Vec<&Report> {
        self.0.iter().flat_map(|(this, other)| [this, other]).collect()
    }

    fn rows(&self) -> Vec<Row> {
        let Some((first, _)) = self.0.first() else { return Vec::new() };
        let figures = first.figures().map(|(figure, _, unit)| {
            let of = |report: &Report| {
                report.figures().find(|(name, ..)| *name == figure).map(|(_, value, _)| value)
            };
            let pairs: Vec<(f64, f64)> =
                self.0.iter().filter_map(|(this, other)| of(this).zip(of(other))).collect();
            let (this, other): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
            let differences: Vec<f64> = pairs.iter().map(|(this, other)| this - other).collect();
            Row {
                figure: figure.to_owned(),
                unit,
                this: mean(&this),
                other: mean(&other),
                difference: mean(&differences),
                error: error(&differences),
            }
        });
        figures.collect()
    }

    pub fn print(&self) {
        let title = self.0.first().map_or("", |(this, _)| this.title());
        println!("\n{title}; {} rounds of each in turn\n", self.0.len());
        println!(
            "{:<46} {:>10} {:>10} {:>22} {:<8}",
            "figure, mean", "this", "other", "difference ± error", ""
        );
        for row in self.rows() {
            let error = row.error.map(|error| format!(" ± {}", short(error))).unwrap_or_default();
            let difference = format!("{}{error}", short(row.difference));
            println!(
                "{:<46} {:>10} {:>10} {difference:>22} {:<8} {}",
                row.figure,
                short(row.this),
                short(row.other),
                row.unit,
                row.verdict()
            );
        }
        println!("\n\"differs\": by more than {BEYOND_NOISE:.0} standard errors");
    }

    pub fn json(&self) -> Value {
        let rows = self.rows().into_iter().map(|row| {
            json!({ "figure": row.figure, "unit": row.unit, "this": row.this, "other": row.other,
                    "difference": row.difference, "error": row.error })
        });
        let title = self.0.first().map_or("", |(this, _)| this.title());
        json!({ "scenario": title, "rounds": self.0.len(), "figures": rows.collect::<Vec<_>>() })
    }
}
