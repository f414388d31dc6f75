use super::*;

fn row(average_rank: f64, first_place_votes: f64, voters: u32) -> AggregateRow {
    AggregateRow {
        member: "one".into(),
        average_rank,
        weighted_average_rank: average_rank,
        first_place_votes,
        voters,
        ..AggregateRow::default()
    }
}

fn facts(winner: Option<&str>) -> AggregateFacts {
    AggregateFacts { winner: winner.map(str::to_owned), ..AggregateFacts::default() }
}

fn judged(
    row: &AggregateRow,
    winner: Option<&str>,
    confidence: Option<f64>,
) -> (ConsensusMetrics, Result<(), String>) {
    let (metrics, verdict) = judge(std::slice::from_ref(row), Some(&facts(winner)), confidence, true);
    (metrics, verdict.map(|_| ()).map_err(|missing| ConsensusFact::NotAgreed { missing }.to_string()))
}

fn agrees(row: &AggregateRow, confidence: Option<f64>) -> bool {
    judged(row, Some("one"), confidence).1.is_ok()
}

/// The thresholds of the specification, on them and beside them.
#[test]
fn each_threshold_is_reached_exactly_at_its_figure() {
    for (rank, firsts, voters, confidence, agreed) in [
        // The average rank: 1.5 is enough, 1.51 is not.
        (1.0, 4.0, 4, 9.0, true),
        (1.5, 4.0, 4, 9.0, true),
        (1.51, 4.0, 4, 9.0, false),
        // Four of five are 80 %; three of four are 75 %, five of six 83.3 %.
        (1.2, 4.0, 5, 9.0, true),
        (1.25, 3.0, 4, 9.0, false),
        (1.17, 5.0, 6, 9.0, true),
        // A ballot that ties two for the first place is half a vote: 4.5 of 5 are 90 %, 3.5 of 5 70 %.
        (1.1, 4.5, 5, 9.0, true),
        (1.3, 3.5, 5, 9.0, false),
        // The confidence: 7 is enough, 6.99 is not.
        (1.0, 4.0, 4, 7.0, true),
        (1.0, 4.0, 4, 6.99, false),
        // Two ballots are needed.
        (1.0, 2.0, 2, 9.0, true),
        (1.0, 1.0, 1, 9.0, false),
        (1.0, 0.0, 0, 9.0, false),
    ] {
        let case = format!("{rank} {firsts}/{voters} {confidence}");
        assert_eq!(agrees(&row(rank, firsts, voters), Some(confidence)), agreed, "{case}");
    }
}

#[test]
fn an_unknown_confidence_is_no_consensus() {
    assert!(!agrees(&row(1.0, 4.0, 4), None));
    let (metrics, verdict) = judged(&row(1.0, 4.0, 4), Some("one"), None);
    assert_eq!(verdict.unwrap_err(), "No consensus: no member said how sure it is.");
    assert_eq!(metrics.average_confidence, None);
}

#[test]
fn the_confidence_is_looked_at_only_where_the_members_must_be_sure() {
    for confidence in [None, Some(1.0)] {
        let facts = facts(Some("one"));
        let judged = |row: &AggregateRow| {
            judge(std::slice::from_ref(row), Some(&facts), confidence, false).1.map(|_| ())
        };
        assert_eq!(judged(&row(1.0, 4.0, 4)), Ok(()), "{confidence:?}");
        assert!(judged(&row(1.51, 4.0, 4)).is_err(), "the other thresholds hold");
        assert!(!agrees(&row(1.0, 4.0, 4), confidence));
    }
}

#[test]
fn a_shared_first_place_is_no_consensus() {
    let (_, verdict) = judged(&row(1.0, 4.0, 4), None, Some(9.0));
    assert_eq!(verdict.unwrap_err(), "No consensus: several answers share the first place.");
}

#[test]
fn weights_count_where_they_were_applied() {
    // 1.6 by heads, 1.4 by weights, and the other way round.
    let mut lifted = row(1.6, 4.0, 5);
    lifted.weighted_average_rank = 1.4;
    assert!(!agrees(&lifted, Some(8.0)));
    lifted.weights_applied = true;
    assert!(agrees(&lifted, Some(8.0)));
    let mut lowered = row(1.4, 4.0, 5);
    (lowered.weighted_average_rank, lowered.weights_applied) = (1.6, true);
    assert!(!agrees(&lowered, Some(8.0)));
}

#[test]
fn everything_that_is_missing_is_said_at_once() {
    let (metrics, verdict) = judged(&row(1.75, 2.0, 4), Some("one"), Some(6.5));
    assert_eq!(
        verdict.unwrap_err(),
        "No consensus: the average rank of one is 1.75, at most 1.5 is needed; 2 of 4 reviewers put it first, 80 % are needed; \
         the members' average confidence is 6.5, at least 7 is needed."
    );
    assert_eq!(
        metrics,
        ConsensusMetrics {
            average_rank: Some(1.75),
            first_place_votes: 2.0,
            total_voters: 4,
            agreement_ratio: 0.5,
            average_confidence: Some(6.5),
        }
    );
    let (metrics, verdict) = judge(&[], None, Some(8.0), true);
    assert_eq!(verdict.unwrap_err(), [MissingFact::NoRanking]);
    assert_eq!(metrics.average_rank, None);
}

#[test]
fn what_is_cut_or_speaks_to_its_judges_is_not_given_out() {
    let answer = Answer { member: "one".into(), ..Answer::default() };
    assert!(fit(&answer).is_ok());
    let cut = Answer { truncated: true, ..answer.clone() };
    assert_eq!(fit(&cut).unwrap_err().to_string(), "one's answer was cut at its token limit");
    let begging = Answer { addresses_judges: true, ..answer };
    assert_eq!(fit(&begging).unwrap_err().to_string(), "one's answer speaks to its reviewers");
}
