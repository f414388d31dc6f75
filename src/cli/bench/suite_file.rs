//! What to compare, as it is written down: flags, and a file in TOML or JSON that a team keeps.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::Deserialize;
use serde_json::Value;

use super::arguments::Arguments;
use crate::bench::question::Question;
use crate::bench::sources;
use crate::bench::suite::{self, VariantSpec};
use crate::terminal::text::amounts;

/// The name of the council as it is configured, where nothing else is named.
const AS_CONFIGURED: &str = "council";

/// A suite file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct SuiteFile {
    name: Option<String>,
    /// Relative to the folder of the suite file.
    questions: Option<PathBuf>,
    grader: Option<String>,
    judge: Option<String>,
    max_cost_usd: Option<f64>,
    parallel: Option<usize>,
    limit: Option<usize>,
    variants: Vec<VariantSpec>,
}

/// What is wanted, from flags and file together; a flag wins.
#[derive(Debug, Default)]
pub(super) struct BenchRequest {
    pub name: String,
    pub questions: Vec<Question>,
    pub variants: Vec<VariantSpec>,
    pub judge: Option<String>,
    pub max_cost_usd: Option<f64>,
    pub parallel: Option<usize>,
}

/// Reads it all; `problems` gets a sentence for everything that is wrong.
///
/// # Errors
/// When a file cannot be read.
pub(super) fn read(arguments: &Arguments, problems: &mut Vec<String>) -> anyhow::Result<BenchRequest> {
    let file = match &arguments.suite {
        Some(path) => parse(path, problems)?,
        None => SuiteFile::default(),
    };
    let beside = arguments.suite.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
    let path = arguments.questions.clone().or_else(|| Some(beside.join(file.questions.as_ref()?)));
    let mut variants = file.variants;
    variants.extend(from_flags(arguments, problems));
    if variants.is_empty() {
        variants.push(VariantSpec { name: AS_CONFIGURED.to_owned(), ..VariantSpec::default() });
    }
    let grader = arguments.grader.as_deref().or(file.grader.as_deref());
    let mut questions = match &path {
        Some(path) => read_questions(path, grader, problems)?,
        None => {
            problems.push("there are no questions: name a file of them (docs/bench.md)".to_owned());
            Vec::new()
        }
    };
    if let Some(limit) = arguments.limit.or(file.limit) {
        questions.truncate(limit.max(1));
    }
    if file.max_cost_usd.is_some_and(|usd| !amounts::is_amount(usd)) {
        problems.push("max_cost_usd of the suite file is no amount in US dollars, such as 0.25".to_owned());
    }
    let judge = arguments.judge.clone().or(file.judge);
    problems.extend(suite::problems(&questions, &variants, judge.as_deref()));
    let stem = path.as_deref().and_then(Path::file_stem).map(|stem| stem.to_string_lossy().into_owned());
    let name = arguments.name.clone().or(file.name).or(stem).unwrap_or_default();
    Ok(BenchRequest {
        name: name.trim().to_owned(),
        questions,
        variants,
        judge,
        max_cost_usd: arguments.max_cost.or(file.max_cost_usd),
        parallel: arguments.parallel.or(file.parallel),
    })
}

fn parse(path: &Path, problems: &mut Vec<String>) -> anyhow::Result<SuiteFile> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let is_json = path.extension().is_some_and(|extension| extension == "json");
    let parsed = if is_json {
        serde_json::from_str(&text).map_err(|error| error.to_string())
    } else {
        toml::from_str(&text).map_err(|error| error.to_string())
    };
    Ok(parsed.unwrap_or_else(|error| {
        problems.push(format!("{}: {}", path.display(), error.trim_end()));
        SuiteFile::default()
    }))
}

fn read_questions(
    path: &Path,
    grader: Option<&str>,
    problems: &mut Vec<String>,
) -> anyhow::Result<Vec<Question>> {
    let cannot = || format!("cannot read {}", path.display());
    let bytes = fs::metadata(path).with_context(cannot)?.len();
    if bytes > sources::MAX_BYTES {
        problems.push(format!("{}: is {bytes} bytes long; at most {}", path.display(), sources::MAX_BYTES));
        return Ok(Vec::new());
    }
    let text = match String::from_utf8(fs::read(path).with_context(cannot)?) {
        Ok(text) => text,
        Err(error) => {
            let good = error.as_bytes().get(..error.utf8_error().valid_up_to()).unwrap_or_default();
            let line = good.iter().filter(|byte| **byte == b'\n').count() + 1;
            problems.push(format!("{}: line {line}: is not UTF-8", path.display()));
            return Ok(Vec::new());
        }
    };
    Ok(sources::read(&text, grader).unwrap_or_else(|wrong| {
        problems.extend(wrong.into_iter().map(|problem| format!("{}: {problem}", path.display())));
        Vec::new()
    }))
}

fn from_flags(arguments: &Arguments, problems: &mut Vec<String>) -> Vec<VariantSpec> {
    let mut variants = Vec::new();
    for text in &arguments.variants {
        let (name, body) = text.split_once('=').unwrap_or((text, "{}"));
        match serde_json::from_str(body) {
            Ok(Value::Object(request)) => {
                variants.push(VariantSpec { name: name.to_owned(), request, ..VariantSpec::default() });
            }
            Ok(_) | Err(_) => {
                problems.push(format!("--variant {text:?}: after the name and \"=\" comes a JSON object"));
            }
        }
    }
    let preset = |name: &String| VariantSpec {
        name: name.clone(),
        preset: Some(name.clone()),
        ..VariantSpec::default()
    };
    let model = |name: &String| VariantSpec {
        name: name.clone(),
        model: Some(name.clone()),
        ..VariantSpec::default()
    };
    variants.extend(arguments.presets.iter().map(preset));
    variants.extend(arguments.models.iter().map(model));
    variants
}
