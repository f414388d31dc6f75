//! A feature is its folder and a line in each list. What else names one is counted, on the server and in the web
//! app.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use llm_council::council::debate::kind as debate;
use llm_council::council::features::{purposes, stages};
use llm_council::council::formats::decomposition::purposes as decomposition;

/// Where a feature may be named outside of its folder: the lists, the format that has it in its course, and the page's
/// list.
const ENOUGH: usize = 4;

/// Those of which more know, and why. A number may only shrink.
const MORE: &[(&str, usize, &str)] = &[
    (
        "cot",
        9,
        "a part of every answer: the stage of answers and openings of debates ask for the steps and read them",
    ),
    ("escalation", 8, "two events of the stages carry what came of it"),
    ("jury", 7, "who reviews, and how often, is a part of every review and of what is estimated for it"),
    (
        "web_search",
        11,
        "clients read in the configuration whether there is one, models call their tools so, Postgres has a function \
         of that name, and OpenAI's API has a tool and an option of that name",
    ),
    ("multi_chairman", 5, "the answer of several chairmen is stage 3's answer, with its drafts"),
];

/// Words of the field, which are not counted: members, reviewers and routing have a confidence, weights go by the name
/// of weighted consensus, providers have caches of prompts, a question can be routed without a run, models take tools whoever offers them, conversations are
/// tagged as research, the library has rubrics whether or not a question is asked with one, judges of a bench have theirs, and the page is
/// made with React.
const WORDS: &[&str] =
    &["cache", "confidence", "consensus", "react", "research", "routing", "rubric", "tools"];

/// Names that a feature has in the web app, where they are others; a dash for an underscore is no other name.
const IN_THE_PAGE: &[(&str, &str)] = &[("multi_chairman", "chairmen"), ("cot", "step-by-step")];

fn files(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// Code that people read: no tests, no catalogue of texts, nothing generated, no settings' values.
fn is_code(path: &Path) -> bool {
    let text = path.to_string_lossy();
    let name = path.file_name().unwrap().to_string_lossy();
    ["rs", "ts", "tsx"].iter().any(|kind| path.extension().is_some_and(|extension| extension == *kind))
        && !["test.", "tests.rs", "schema.d.ts"].iter().any(|part| name.contains(part))
        && !["/i18n/", "/test/"].iter().any(|part| text.contains(part))
}

/// Each file of code as its path and its text in lower case, without unit tests.
fn code() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = Vec::new();
    files(&root.join("src"), &mut all);
    files(&root.join("static/src"), &mut all);
    all.retain(|path| is_code(path));
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap().to_lowercase();
        let text = text.split("#[cfg(test)]").next().unwrap().to_owned();
        (path.strip_prefix(root).unwrap().to_owned(), text)
    };
    all.into_iter().map(read).collect()
}

#[test]
fn every_stage_and_every_purpose_is_listed() {
    // Those of a deliberation; a bench has judges of its own.
    let council: Vec<_> = code().into_iter().filter(|(path, _)| path.starts_with("src/council")).collect();
    let count = |what: &str| council.iter().map(|(_, text)| text.matches(what).count()).sum::<usize>();
    let numbered = debate::STAGES.len() + decomposition::PARTS.len();
    assert_eq!(count(": stage = stage::named") + numbered, stages().count());
    assert_eq!(count(": purpose ="), purposes().count());
}

#[test]
fn an_option_is_named_in_its_folder_and_in_the_lists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut code = code();
    // A leaf knows no option; it has lists of words. The terminal is a client, as the page is: see below.
    code.retain(|(path, _)| !path.starts_with("src/cache") && !path.starts_with("src/terminal"));
    let mut options = Vec::new();
    for entry in fs::read_dir(root.join("src/council/options")).unwrap() {
        let name = entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned();
        if !["mod", "tests"].contains(&name.as_str()) {
            options.push(name);
        }
    }
    assert!(options.len() >= 8, "{options:?}");
    let mut wrong = BTreeMap::new();
    for option in options.iter().filter(|option| !WORDS.contains(&option.as_str())) {
        let joined = option.replace('_', "");
        let in_the_page = IN_THE_PAGE.iter().find(|(name, _)| name == option).map(|(_, name)| *name);
        let is_its_own = |path: &Path| {
            path.iter().any(|part| {
                let stem = Path::new(part).file_stem().unwrap().to_string_lossy().replace('-', "_");
                stem == *option || in_the_page.is_some_and(|name| stem == name.replace('-', "_"))
            })
        };
        // The tables of features are one list, in files of their own.
        let listed = |path: &Path| {
            if path.starts_with("src/council/features") {
                "src/council/features".to_owned()
            } else {
                path.display().to_string()
            }
        };
        let others: BTreeSet<String> = code
            .iter()
            .filter(|(path, text)| !is_its_own(path) && (text.contains(option) || text.contains(&joined)))
            .map(|(path, _)| listed(path))
            .collect();
        let most = MORE.iter().find(|(name, ..)| name == option).map_or(ENOUGH, |(_, most, _)| *most);
        let may_shrink = most > ENOUGH && others.len() < most;
        if others.len() > most || may_shrink {
            wrong.insert(option, (most, others.len(), others));
        }
    }
    assert!(wrong.is_empty(), "more files than may (or fewer: lower the number): {wrong:#?}");
}

/// What the terminal calls an option or a format, by the folder of its feature.
const AT_THE_TERMINAL: &[(&str, &[&str])] = &[
    ("adversary", &["adversary"]),
    ("cache", &["cache"]),
    ("chairmen", &["chairmen"]),
    ("checks", &["checks", "react"]),
    ("choosing", &["consensus", "escalat", "routing"]),
    ("corrections", &["corrections"]),
    ("lookups", &["lookups", "use_tools"]),
    ("parts", &["decomposition"]),
    ("refinement", &["refinement"]),
    ("reviews", &["rubric", "second_reading", "weights"]),
    ("rounds", &["arena", "debate"]),
    ("searches", &["research", "web_search"]),
];

/// Stages that every run has.
const STAGES: [&str; 2] = ["answers", "final_answer"];

#[test]
fn an_option_is_named_in_its_folder_of_the_terminal_and_in_one_list() {
    let features = Path::new("src/terminal/live/features");
    let list = features.join("mod.rs");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let there: BTreeSet<String> = fs::read_dir(root.join(features))
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .filter(|name| name != "mod" && !STAGES.contains(&name.as_str()))
        .collect();
    let known: BTreeSet<String> = AT_THE_TERMINAL.iter().map(|(feature, _)| (*feature).to_owned()).collect();
    assert_eq!(there, known, "the table above names every feature");
    let mut code = code();
    code.retain(|(path, _)| path.starts_with("src/terminal"));
    let mut wrong = BTreeMap::new();
    for (feature, words) in AT_THE_TERMINAL {
        let folder = features.join(feature);
        for word in *words {
            let (own, others): (Vec<_>, Vec<_>) = code
                .iter()
                .filter(|(_, text)| text.contains(word))
                .partition(|(path, _)| path.starts_with(&folder));
            assert!(!own.is_empty(), "nothing in {} is called {word}", folder.display());
            let others: Vec<_> = others.iter().map(|(path, _)| path).filter(|path| **path != list).collect();
            if !others.is_empty() {
                wrong.insert(word, others);
            }
        }
    }
    assert!(wrong.is_empty(), "named outside of their folders and the list: {wrong:#?}");
}
