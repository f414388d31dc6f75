//! What a chairman is asked.

use crate::council::context;
use crate::council::prompts::fence::{self, Fence};
use crate::council::prompts::history::{self, Turn};
use crate::council::prompts::template::{self, Template};
use crate::council::round::Round;
use crate::council::run::Run;
use crate::council::stages::editorial;
use crate::council::stages::reviews::Reviewed;
use crate::llm::Purpose;

/// What a chairman is asked.
pub static PROMPT: Template = Template {
    name: "chairman",
    about: "What the chairman is asked.",
    text: "You are the chairman of a council of language models. Its members have answered a question, and \
        have then ranked the answers without knowing whose they were.\n\n{material}\n\n{rule}\n\n\
        Write the council's answer to the question. Be an editor, not a referee: take what is right \
        wherever it stands, correct what is wrong, keep what only one member saw if it holds, and do not \
        smooth over a real disagreement. Write for the person who asked: speak to the question, not \
        about the members.\n\n{notes}",
    places: &["material", "rule", "notes"],
    marks: &[],
};
/// What a chairman is asked where nobody reviewed.
pub static UNREVIEWED: Template = Template {
    name: "chairman_without_reviews",
    about: "What the chairman is asked where the answers were not reviewed (`use_reviews` off).",
    text: "You are the chairman of a council of language models. Its members have answered a question; nobody has \
        reviewed their answers.\n\n{material}\n\n{rule}\n\n\
        Write the council's answer to the question. Be an editor, not a referee: compare the answers where they differ, \
        take what is right wherever it stands, correct what is wrong, keep what only one member saw if it holds, and \
        do not smooth over a real disagreement. Write for the person who asked: speak to the question, not \
        about the members.\n\n{notes}",
    places: &["material", "rule", "notes"],
    marks: &[],
};
/// Stands next to the author of an answer that states its confidence.
pub static CONFIDENCE: Template = Template {
    name: "chairman_confidence",
    about: "What stands beside an author who says how sure it is, in the chairman's material.",
    text: " (own confidence {score} of 10)",
    places: &["score"],
    marks: &[],
};
/// Stands next to the author of an answer that came late.
pub static LATE: Template = Template {
    name: "chairman_late",
    about: "What stands beside an author whose answer came late.",
    text: " (came late: the reviewers have not seen it)",
    places: &[],
    marks: &[],
};
/// Before the reviews.
pub static LABELS: Template = Template {
    name: "chairman_labels",
    about: "Whose the labels are, before the reviews.",
    text: "In the reviews, {labels}.",
    places: &["labels"],
    marks: &[],
};
/// Who stands behind a label.
pub static LABEL: Template = Template {
    name: "chairman_label",
    about: "Whose answer stands behind a label, before the reviews.",
    text: "{label} is the answer by {member}",
    places: &["label", "member"],
    marks: &[],
};
/// What the reviews add up to.
pub static RANKING: Template = Template {
    name: "chairman_ranking",
    about: "What the reviews add up to, in the chairman's material.",
    text: "The reviewers' ranking together, best first:\n{rows}",
    places: &["rows"],
    marks: &[],
};
/// One line of it.
pub static RANKED: Template = Template {
    name: "chairman_ranked",
    about: "A member's line in the reviewers' ranking.",
    text: "- {member}: average rank {average_rank} over {ballots} ballots{weighted}",
    places: &["member", "average_rank", "ballots", "weighted"],
    marks: &[],
};
/// The end of such a line where ballots weigh differently.
pub static WEIGHTED: Template = Template {
    name: "chairman_weighted",
    about: "The end of such a line where ballots weigh differently: a member's rank by their weights.",
    text: ", {average_rank} by the reviewers' weights",
    places: &["average_rank"],
    marks: &[],
};
/// The note on a ranking that another method would have made otherwise.
pub static CAUTION: Template = Template {
    name: "chairman_caution",
    about: "What stands under a ranking that another method would have made otherwise.",
    text: "\nNote: {caution}",
    places: &["caution"],
    marks: &[],
};
/// In the place of the ranking where there is none.
pub static NO_RANKING: Template = Template {
    name: "chairman_no_ranking",
    about: "What stands in the place of the reviewers' ranking where there is none.",
    text: "No review holds a ranking that counts.",
    places: &[],
    marks: &[],
};

/// Everything that this asks models with.
pub static TEMPLATES: &[&Template] = &[
    &PROMPT,
    &CONFIDENCE,
    &LATE,
    &LABELS,
    &LABEL,
    &RANKING,
    &RANKED,
    &WEIGHTED,
    &CAUTION,
    &NO_RANKING,
    &editorial::INSTRUCTIONS,
];

/// The chairman's texts where nobody reviewed.
pub static TEMPLATES_WITHOUT_REVIEWS: &[&Template] = &[&UNREVIEWED];

/// What a chairman reads of the reviews.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reviews {
    Whole,
    /// Only the ranking they add up to, for a context that the whole does not fit into.
    Ranking,
}

/// What this chairman is asked.
pub(super) async fn of(
    run: &Run,
    round: &Round<'_>,
    chairman: (&str, &Purpose),
    system: Option<&str>,
    how: Reviews,
) -> String {
    context::quoting(run, round.brief(), chairman, system, |turns| prompt(run, round, how, turns)).await
}

fn prompt(run: &Run, round: &Round<'_>, how: Reviews, turns: &[Turn]) -> String {
    let (brief, reviewed) = (round.brief(), &round.reviewed);
    let fence = Fence::new(&run.marker());
    let answers: Vec<String> = round
        .good()
        .map(|answer| {
            let confidence = answer.confidence.map_or_else(String::new, |score| {
                brief.prompts.fill(&CONFIDENCE, &[("score", &score.to_string())])
            });
            let late = if answer.late { brief.prompts.text(&LATE) } else { "" };
            fence.wrap(&format!("Answer by {}{confidence}{late}", answer.member), &answer.response)
        })
        .collect();
    let labels: Vec<String> = reviewed
        .metadata
        .label_to_member
        .iter()
        .map(|(label, member)| {
            brief.prompts.fill(&LABEL, &[("label", &label.to_string()), ("member", member)])
        })
        .collect();
    let reviews: Vec<String> = reviewed
        .reviews
        .iter()
        .filter(|review| review.error.is_none())
        .map(|review| fence.wrap(&format!("Review by {}", review.member), &review.ranking))
        .collect();
    let mut sections = Vec::new();
    sections.extend(history::section(&fence, turns));
    sections.push(brief.quoted_question(&fence));
    sections.extend(
        run.sources_for_the_writer(
            brief,
            round.good().map(|answer| (answer.member.as_str(), answer.cited())),
        ),
    );
    sections.extend(answers);
    if !reviews.is_empty() {
        if how == Reviews::Whole {
            sections.push(brief.prompts.fill(&LABELS, &[("labels", &labels.join(", "))]));
            sections.extend(reviews);
        }
        sections.push(ranking(&brief.prompts, reviewed));
    }
    // Notes would break an answer that must be one document.
    let notes = if brief.form.is_some() { "" } else { brief.prompts.text(&editorial::INSTRUCTIONS) };
    let asked = if round.task.without_reviews { &UNREVIEWED } else { &PROMPT };
    let values =
        [("material", &*sections.join("\n\n")), ("rule", brief.prompts.text(&fence::RULE)), ("notes", notes)];
    brief.prompts.fill(asked, &values)
}

fn ranking(prompts: &template::Prompts, reviewed: &Reviewed) -> String {
    let rows: Vec<String> = reviewed
        .metadata
        .aggregate_rankings
        .iter()
        .map(|row| {
            let weighted = if row.weights_applied {
                prompts.fill(&WEIGHTED, &[("average_rank", &format!("{:.2}", row.weighted_average_rank))])
            } else {
                String::new()
            };
            prompts.fill(
                &RANKED,
                &[
                    ("member", &row.member),
                    ("average_rank", &format!("{:.2}", row.average_rank)),
                    ("ballots", &row.rankings_count.to_string()),
                    ("weighted", &weighted),
                ],
            )
        })
        .collect();
    if rows.is_empty() {
        return prompts.text(&NO_RANKING).to_owned();
    }
    let mut text = prompts.fill(&RANKING, &[("rows", &rows.join("\n"))]);
    if let Some(caution) =
        reviewed.metadata.aggregate.as_ref().and_then(|facts| facts.methods_disagree.as_deref())
    {
        text.push_str(&prompts.fill(&CAUTION, &[("caution", caution)]));
    }
    text
}
