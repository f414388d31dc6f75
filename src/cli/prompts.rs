//! `llm-council prompts`: the built-in texts, for people who want to write their own instead.

use std::fmt::Write as _;

use clap::Args;

use crate::council::features::all_templates;
use crate::council::prompts::template::Template;

/// Which of them.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Only the text of this name.
    #[arg(long)]
    name: Option<String>,
}

/// The text to print.
///
/// # Errors
/// When there is none of this name: the nearest one is offered.
pub fn text(arguments: &Arguments) -> anyhow::Result<String> {
    let all = all_templates();
    let chosen: Vec<_> = match &arguments.name {
        None => all,
        Some(name) => match all.iter().find(|template| template.name == name) {
            Some(template) => vec![*template],
            None => anyhow::bail!(
                "there is no text {name:?}; did you mean {:?}? `llm-council prompts` prints all of them",
                nearest(&all, name)
            ),
        },
    };
    Ok(section(&chosen))
}

fn nearest(templates: &[&'static Template], name: &str) -> &'static str {
    let distance = |template: &&Template| strsim::jaro(template.name, name);
    let nearest = templates.iter().copied().max_by(|a, b| distance(a).total_cmp(&distance(b)));
    nearest.map_or("", |template| template.name)
}

/// The texts as a section of a configuration file that says what is built in.
fn section(templates: &[&Template]) -> String {
    let mut text = "[prompts]\n".to_owned();
    for template in templates {
        let mut line = |line: std::fmt::Arguments<'_>| {
            writeln!(text, "{line}").expect("writing to a String cannot fail");
        };
        line(format_args!("\n# {}", template.about));
        if !template.places.is_empty() {
            let places: Vec<String> = template.places.iter().map(|place| format!("{{{place}}}")).collect();
            line(format_args!("# Places, all of them needed: {}", places.join(", ")));
        }
        if !template.marks.is_empty() {
            line(format_args!(
                "# Needed word for word, since replies are read by it: {}",
                template.marks.join(" | ")
            ));
        }
        line(format_args!("{} = '''\n{}'''", template.name, template.text));
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::config::{Config, Overrides};

    #[test]
    fn what_is_printed_is_a_configuration_that_changes_no_text() {
        let all = all_templates();
        let config = Config::from_parts(&section(&all), &BTreeMap::new(), &Overrides::default())
            .unwrap_or_else(|errors| panic!("{errors}"));
        assert_eq!(config.prompts.all().len(), all.len());
        for template in all {
            assert_eq!(config.prompts.text(template), template.text, "{}", template.name);
        }
    }

    #[test]
    fn a_slip_of_the_pen_is_answered_with_the_nearest_name() {
        let all = all_templates();
        for (wrong, right) in [("reviews", "review"), ("chairmen", "chairman"), ("Title", "title")] {
            assert_eq!(nearest(&all, wrong), right);
        }
    }
}
