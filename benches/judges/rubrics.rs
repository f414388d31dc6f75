//! What a rubric does to ballots, as a model and not as the truth: reviewers who are told what to look at err less in
//! it, and all overlook what it does not name; and words that all of them read may be misread by all of them alike.

use llm_council::council::ranking::label::Label;
use llm_council::council::ranking::self_votes::SelfVotes;

use crate::methods::{Learned, count};
use crate::rng::Rng;
use crate::world::World;

/// An assumed effect of a rubric, and the world with it.
fn worlds() -> [(&'static str, World); 8] {
    let usual = World::USUAL;
    let less = World { noise: 1.5, ..usual };
    [
        ("none", usual),
        ("it names all that counts; errors of 1.5 in the place of 2", less),
        ("the same, a third of the errors shared", World { shared: 0.33, ..less }),
        ("it names three quarters; errors of 1.5", World { unnamed: 0.25, ..less }),
        ("it names half; errors of 1.5", World { unnamed: 0.5, ..less }),
        ("it names half; errors of 1", World { noise: 1.0, unnamed: 0.5, ..usual }),
        ("it names a quarter; errors of 1", World { noise: 1.0, unnamed: 0.75, ..usual }),
        ("it names half and helps nobody: errors of 2", World { unnamed: 0.5, ..usual }),
    ]
}

/// One line of the table, in parts of 1.
struct Line {
    /// How often the best answer came first.
    right: f64,
    /// The stated probability of that, on average.
    said: f64,
    /// The reviewers' agreement, on average.
    agreement: f64,
}

fn line(world: &World, questions: usize) -> Line {
    let (mut rng, mut ledgers) = (Rng::new(17), Rng::new(18));
    let learned = Learned::from(world, &mut ledgers);
    let mut line = Line { right: 0.0, said: 0.0, agreement: 0.0 };
    for _ in 0..questions {
        let question = world.ask(&mut rng);
        let counted = count(&question.ballots, SelfVotes::Adjusted, &learned.after_30);
        let certainty = counted.facts.certainty.as_ref().expect("there are ballots");
        let is_right = counted.rows[0].label == Label::nth(question.best()).to_string();
        line.right += f64::from(u8::from(is_right));
        line.said += certainty.first_is_best;
        line.agreement +=
            counted.facts.agreement.as_ref().and_then(|agreement| agreement.value).unwrap_or_default();
    }
    let n = questions as f64;
    Line { right: line.right / n, said: line.said / n, agreement: line.agreement / n }
}

pub fn print(questions: usize) {
    println!("\nWhat a rubric may do to ballots, as a model (four members, after 30 runs):\n");
    println!("| the rubric | the best answer comes first | said of that | agreement |\n|---|---:|---:|---:|");
    for (name, world) in worlds() {
        let Line { right, said, agreement } = line(&world, questions);
        println!("| {name} | {:.1} % | {:.1} % | {agreement:.2} |", 100.0 * right, 100.0 * said);
    }
}
