//! The reviews: who ranks the answers, how, and what comes of it.

mod judging;
pub mod section;
pub mod shape;

use crate::terminal::live::event::{Event, Fields};
use crate::terminal::live::piece::{Abstention, CallStatus, Seat};
use crate::terminal::live::state::Run;
use shape::{Certainty, Ranking, Review, Row};

pub(super) fn apply(run: &mut Run, event: Event) {
    let fields = event.fields;
    match event.kind {
        "stage2_start" => start(run, fields),
        "stage2_model_complete" | "format_ballots_model_complete" => one(run, fields),
        "stage2_complete" => complete(run, fields),
        "format_ballots_start" => start_ballots(run, fields),
        "format_ballots_complete" => complete_ballots(run, fields),
        "second_reading_start" => read_again(run, fields),
        "second_reading_model_complete" => second(run, fields),
        _ => {}
    }
}

/// It comes again when more members are asked after the reviews: the first ones no longer count.
fn start(run: &mut Run, fields: Fields) {
    let since = fields.owned("started_at");
    "stage2".clone_into(&mut run.phase);
    run.labels.clear();
    run.ranking = Ranking::default();
    run.reviews = fields.each("members").map(|one| Review::writing(Seat::of(one), since.clone())).collect();
    run.abstained = abstained(fields);
}

fn one(run: &mut Run, fields: Fields) {
    let data = fields.within("data");
    if !data.is_there() {
        return;
    }
    let seat = Seat::of(fields);
    let mut review = Review::ended(data);
    match run.reviews.iter_mut().find(|one| one.piece.seat.member == seat.member) {
        Some(old) => {
            review.piece.seat = std::mem::take(&mut old.piece.seat);
            *old = review;
        }
        None => {
            review.piece.seat = seat;
            run.reviews.push(review);
        }
    }
}

fn complete(run: &mut Run, fields: Fields) {
    let found: Vec<Review> = fields.each("data").map(Review::ended).collect();
    if !found.is_empty() {
        run.reviews = found;
    }
    let metadata = fields.within("metadata");
    if metadata.has_value("label_to_member") {
        run.labels = labels(metadata);
    }
    if metadata.has_value("aggregate_rankings") {
        run.ranking.rows = metadata.each("aggregate_rankings").map(row).collect();
    }
    if metadata.within("aggregate").is_there() {
        judge(&mut run.ranking, metadata.within("aggregate"));
    }
    if metadata.has_value("abstained") {
        run.abstained = abstained(metadata);
    }
}

pub(super) fn settle(run: &mut Run) {
    run.reviews.iter_mut().for_each(|review| review.piece.settle());
}

/// The ballots over the openings, while the format goes on. Reviewers that have a ballot already keep it: a server that
/// takes a run over from an older one sends the start late.
fn start_ballots(run: &mut Run, fields: Fields) {
    let since = fields.owned("started_at");
    let mut before = std::mem::take(&mut run.reviews);
    for seat in fields.each("members").map(Seat::of) {
        let known = before.iter().position(|review| review.piece.seat.member == seat.member);
        run.reviews.push(match known {
            Some(at) => before.swap_remove(at),
            None => Review::writing(seat, since.clone()),
        });
    }
    run.abstained = abstained(fields);
}

fn complete_ballots(run: &mut Run, fields: Fields) {
    let metadata = fields.within("metadata");
    run.reviews = fields.each("data").map(Review::ended).collect();
    run.labels = labels(metadata);
    run.ranking =
        Ranking { rows: metadata.each("aggregate_rankings").map(row).collect(), ..Ranking::default() };
    judge(&mut run.ranking, metadata.within("aggregate"));
    run.abstained = abstained(metadata);
}

fn read_again(run: &mut Run, fields: Fields) {
    let members: Vec<&str> = fields.each("members").filter_map(|one| one.text("member")).collect();
    for review in run.reviews.iter_mut().filter(|one| members.contains(&one.piece.seat.member.as_str())) {
        review.piece.status = CallStatus::Writing;
        review.piece.since = fields.owned("started_at");
    }
}

/// Whether or not this failed, the first review exists.
fn second(run: &mut Run, fields: Fields) {
    let data = fields.within("data");
    if !data.is_there() {
        return;
    }
    let member = fields.text("member");
    for review in run.reviews.iter_mut().filter(|one| Some(one.piece.seat.member.as_str()) == member) {
        review.piece.status = CallStatus::Done;
        if review.piece.outcome.is_some() {
            review.second = Some(Box::new(Review::ended(data)));
        }
    }
}

fn abstained(fields: Fields) -> Vec<Abstention> {
    let one = |fields: Fields| Abstention { seat: Seat::of(fields), reason: fields.string("reason") };
    fields.each("abstained").map(one).collect()
}

fn labels(fields: Fields) -> Vec<(String, String)> {
    let text =
        |(label, member): (&str, &serde_json::Value)| Some((label.to_owned(), member.as_str()?.to_owned()));
    fields.entries("label_to_member").filter_map(text).collect()
}

/// Also used for a part of a question that was taken apart.
pub(super) fn row(fields: Fields) -> Row {
    Row {
        seat: Seat::of(fields),
        label: fields.string("label"),
        place: fields.whole("place").unwrap_or_default(),
        average_rank: fields.number("average_rank"),
        weighted_average_rank: fields.number("weighted_average_rank"),
        borda: fields.number("borda"),
        weighted_borda: fields.number("weighted_borda"),
        weights_applied: fields.flag("weights_applied"),
        rank_change: fields.whole("rank_change").unwrap_or_default(),
        voters: fields.count("voters").unwrap_or_default(),
        first_place_votes: fields.number("first_place_votes").unwrap_or_default(),
    }
}

fn judge(ranking: &mut Ranking, facts: Fields) {
    let certainty = facts.within("certainty");
    ranking.ballots = facts.count("ballots").unwrap_or_default();
    ranking.winner = facts.owned("winner");
    ranking.winner_is_tie = facts.flag("winner_is_tie");
    ranking.agreement = facts.within("agreement").number("value");
    ranking.certainty = certainty.is_there().then(|| Certainty {
        verdict: certainty.string("verdict"),
        first_is_best: certainty.number("first_is_best"),
        explanation: certainty.string("explanation"),
    });
}
