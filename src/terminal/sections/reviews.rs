//! The ballots, one by one.

use super::section::{Body, Kind, Section, lines, of_piece};
use crate::terminal::live::LiveRun;
use crate::terminal::live::features::reviews::shape::Review;

/// What each reviewer wrote, after a list of whose answer is behind which label.
#[must_use]
pub fn reviews(run: &LiveRun) -> Vec<Section> {
    let labels = run.labels.iter().map(|(label, member)| format!("{label} is by {member}")).collect();
    let mut all: Vec<Section> = run.options.before_reviews().collect();
    all.extend(lines("labels", "Whose answers they are (reviewers saw the labels alone)", labels, true));
    for review in &run.reviews {
        all.push(of_review("review", "Review by", review));
        if let Some(second) = &review.second {
            all.push(of_review("review2", "In the reverse order, by", second));
        }
    }
    let abstained = run.abstained.iter().map(|one| format!("{}: {}", one.seat.member, one.reason)).collect();
    all.extend(lines("abstained", "Not asked for a review", abstained, true));
    all
}

fn of_review(of: &str, what: &str, review: &Review) -> Section {
    let mut section = of_piece(of, None, &review.piece);
    section.title = format!("{what} {}", section.title);
    let is_over = !review.piece.status.is_open() && section.kind != Kind::Failed;
    if is_over && !review.counts {
        section.notes.push("does not count".to_owned());
    }
    let order = order(review);
    if let (false, Body::Markdown(text)) = (order.is_empty(), &mut section.body) {
        *text = format!("**Ballot:** {order}\n\n{text}");
    }
    section
}

/// The labels from the best on; those in one place stand together.
fn order(review: &Review) -> String {
    if review.tiers.is_empty() {
        return review.ranking.join(" > ");
    }
    review.tiers.iter().map(|tier| tier.join(" = ")).collect::<Vec<_>>().join(" > ")
}
