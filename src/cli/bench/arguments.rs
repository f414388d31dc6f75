//! What can be said on the command line.

use std::path::PathBuf;

use clap::Args;

use crate::terminal::text::amounts;

/// What to measure.
#[derive(Debug, Clone, Default, Args)]
pub struct Arguments {
    /// The questions, one JSON object a line.
    #[arg(conflicts_with = "resume")]
    pub(super) questions: Option<PathBuf>,
    /// A file that says what to compare (TOML, or JSON by its name).
    #[arg(long, conflicts_with = "resume")]
    pub(super) suite: Option<PathBuf>,
    /// What the bench is called [default: the questions' file]. One of this name that asked the same goes on.
    #[arg(long, conflicts_with = "resume")]
    pub(super) name: Option<String>,
    /// Go on with the bench of this name as it was begun; of a complete one, show the table.
    #[arg(long, value_name = "NAME")]
    pub(super) resume: Option<String>,
    /// A council to compare: a name and fields of a request, as in quick='{"quorum": 3}'.
    #[arg(long = "variant", value_name = "NAME[=JSON]", conflicts_with = "resume")]
    pub(super) variants: Vec<String>,
    /// A preset to compare, by its name.
    #[arg(long = "preset", value_name = "NAME", conflicts_with = "resume")]
    pub(super) presets: Vec<String>,
    /// A model to compare, asked alone.
    #[arg(long = "model", value_name = "MODEL", conflicts_with = "resume")]
    pub(super) models: Vec<String>,
    /// Who grades the questions that do not say it: exact, numeric, choice, judge.
    #[arg(long, conflicts_with = "resume")]
    pub(super) grader: Option<String>,
    /// The model that judges what only a reader can. Preferably none of those that are compared.
    #[arg(long, value_name = "MODEL", conflicts_with = "resume")]
    pub(super) judge: Option<String>,
    /// Only so many questions, the first ones.
    #[arg(long, value_name = "N", conflicts_with = "resume")]
    pub(super) limit: Option<usize>,
    /// The most that the bench may cost in all [default: 1].
    #[arg(long, value_name = "USD", value_parser = amounts::read_usd)]
    pub(super) max_cost: Option<f64>,
    /// How many questions are asked at once [default: 4].
    #[arg(long, value_name = "N")]
    pub(super) parallel: Option<usize>,
    /// Whose bench it is: they see it on their dashboard, and it counts against their budgets.
    /// [default: the one user of a server without sign-in]
    #[arg(long)]
    pub(super) user: Option<String>,
    /// Begin without asking.
    #[arg(long, short)]
    pub(super) yes: bool,
    /// Print the table as JSON.
    #[arg(long)]
    pub(super) json: bool,
}
