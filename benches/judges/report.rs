//! The tables, in Markdown.

use crate::calibration;
use crate::grid::{Estimate, Results, cells};
use crate::methods::Method;
use crate::world::{Own, World};

pub fn print(questions: usize) {
    println!(
        "The share of {questions} questions whose best answer comes first, in percent; every way of counting has the same ballots.\n"
    );
    let names: Vec<&str> = Method::ALL.iter().map(|method| method.name()).collect();
    println!(
        "| own preference | otherwise | {} | default − better of both | default − one order |",
        names.join(" | ")
    );
    println!("|---|---|{}", "---:|".repeat(Method::ALL.len() + 2));
    let mut worst: Option<(Estimate, String)> = None;
    for cell in cells() {
        let results = Results::of(&cell.world, questions);
        let shares: Vec<String> =
            Method::ALL.iter().map(|method| format!("{:.1}", results.share(*method).value)).collect();
        let better = if results.difference(Method::Counted, Method::LeftOut).value > 0.0 {
            Method::Counted
        } else {
            Method::LeftOut
        };
        let against = results.difference(Method::Adjusted30, better);
        let older = results.difference(Method::Adjusted30, Method::Older);
        let own = cell.world.own.name();
        println!(
            "| {own} | {} | {} | {} | {} |",
            cell.name,
            shares.join(" | "),
            shown(against),
            shown(older)
        );
        if worst.as_ref().is_none_or(|(known, _)| against.value < known.value) {
            worst = Some((against, format!("{own}, {}", cell.name)));
        }
    }
    if let Some((difference, cell)) = worst {
        println!(
            "\nThe default is at worst {} points from the better of counted and left out ({cell}).",
            shown(difference)
        );
    }
    println!(
        "\nWhat was said of the first answer, and how often it was true (four members, after 30 runs):\n"
    );
    println!(
        "| world | ballots worth | said 0–20 % | 20–40 % | 40–60 % | 60–80 % | 80–100 % |\n|---|---:|---:|---:|---:|---:|---:|"
    );
    let usual = World::USUAL;
    for (name, world) in [
        ("usual", usual),
        ("a third of the errors shared", World { shared: 0.33, ..usual }),
        ("two thirds of the errors shared", World { shared: 0.67, ..usual }),
        ("noise 1, a third shared", World { noise: 1.0, shared: 0.33, ..usual }),
        ("no position effect, a third shared", World { position: 0.0, shared: 0.33, ..usual }),
        ("one strong, a third shared", World { own: Own::OneStrong, shared: 0.33, ..usual }),
    ] {
        let (bins, worth) = calibration::bins(&world, questions);
        let cells: Vec<String> = bins
            .iter()
            .map(|bin| {
                let n = bin.questions as f64;
                if bin.questions < 30 {
                    "–".to_owned()
                } else {
                    format!("{:.0} → {:.0}", 100.0 * bin.said / n, 100.0 * bin.right / n)
                }
            })
            .collect();
        println!("| {name} | {worth:.1} | {} |", cells.join(" | "));
    }
}

fn shown(estimate: Estimate) -> String {
    format!("{:+.1} ± {:.1}", estimate.value, estimate.error)
}
