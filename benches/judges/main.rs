//! How often the ballots find the best answer, where the truth is known: simulated answers and reviewers, every way of
//! counting against the same ballots. `cargo bench --bench judges`; `-- --questions 1000` for a quick look. The tables in
//! docs/ballots.md come from here.

mod calibration;
mod grid;
mod methods;
mod plackett_luce;
mod report;
mod rng;
mod rubrics;
mod world;

/// Simulated questions for each cell of the grid.
const QUESTIONS: usize = 10_000;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let given = args.windows(2).find(|pair| pair[0] == "--questions").map(|pair| pair[1].parse::<usize>());
    let questions = match given {
        None => QUESTIONS,
        Some(Ok(questions)) if questions > 1 => questions,
        Some(_) => {
            eprintln!("--questions needs a number from 2 on");
            std::process::exit(2);
        }
    };
    report::print(questions);
    rubrics::print(questions);
}
