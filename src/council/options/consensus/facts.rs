//! Why the council agreed, or what was missing.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Whether the council agreed, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum ConsensusFact {
    Agreed {
        /// Whose answer it is.
        member: String,
        /// How many reviewers put it first, and of how many.
        votes: f64,
        voters: u32,
        /// A reviewer who put its own answer before this one counts among them.
        own_left_aside: bool,
        /// The share of them that is needed.
        needed_share: f64,
        average_rank: f64,
        most_rank: f64,
        average_confidence: f64,
        least_confidence: f64,
    },
    /// The members agree, where their confidence was not asked for.
    Clear {
        /// Whose answer it is.
        member: String,
        votes: f64,
        voters: u32,
        own_left_aside: bool,
        needed_share: f64,
        average_rank: f64,
        most_rank: f64,
    },
    NotAgreed {
        missing: Vec<MissingFact>,
    },
}

/// What a consensus lacks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum MissingFact {
    /// No answer was ranked against another.
    NoRanking,
    /// Several answers share the first place.
    SharedFirst,
    /// Too few ballots judge the first answer.
    FewBallots {
        member: String,
        ballots: u32,
        needed: u32,
    },
    PoorRank {
        member: String,
        average_rank: f64,
        most: f64,
    },
    FewVotes {
        votes: f64,
        voters: u32,
        needed_share: f64,
    },
    NoConfidence,
    LowConfidence {
        average: f64,
        least: f64,
    },
    NoAnswer {
        member: String,
    },
    /// The answer was cut at its token limit.
    CutAnswer {
        member: String,
    },
    /// The answer speaks to its reviewers.
    AddressesJudges {
        member: String,
    },
}

impl fmt::Display for ConsensusFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Agreed {
                member,
                votes,
                voters,
                own_left_aside,
                needed_share,
                average_rank,
                most_rank,
                average_confidence,
                least_confidence,
            } => {
                let own = if *own_left_aside { ", their own left aside" } else { "" };
                write!(
                    f,
                    "{votes} of {voters} reviewers put the answer of {member} first{own} (at least {:.0} % are \
                     needed), its average rank is {average_rank:.2} (at most {most_rank}), and the members' average \
                     confidence is {average_confidence} (at least {least_confidence}).",
                    needed_share * 100.0
                )
            }
            Self::Clear { member, votes, voters, own_left_aside, needed_share, average_rank, most_rank } => {
                let own = if *own_left_aside { ", their own left aside" } else { "" };
                write!(
                    f,
                    "{votes} of {voters} reviewers put the answer of {member} first{own} (at least {:.0} % are \
                     needed), and its average rank is {average_rank:.2} (at most {most_rank}).",
                    needed_share * 100.0
                )
            }
            Self::NotAgreed { missing } => {
                let missing: Vec<String> = missing.iter().map(ToString::to_string).collect();
                write!(f, "No consensus: {}.", missing.join("; "))
            }
        }
    }
}

impl fmt::Display for MissingFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRanking => f.write_str("no answer was ranked against another"),
            Self::SharedFirst => f.write_str("several answers share the first place"),
            Self::FewBallots { member, ballots, needed } => {
                let judges = if *ballots == 1 { "only one ballot judges" } else { "no ballot judges" };
                write!(f, "{judges} {member}, {needed} are needed")
            }
            Self::PoorRank { member, average_rank, most } => {
                write!(f, "the average rank of {member} is {average_rank:.2}, at most {most} is needed")
            }
            Self::FewVotes { votes, voters, needed_share } => {
                let needed = needed_share * 100.0;
                write!(f, "{votes} of {voters} reviewers put it first, {needed:.0} % are needed")
            }
            Self::NoConfidence => f.write_str("no member said how sure it is"),
            Self::LowConfidence { average, least } => {
                write!(f, "the members' average confidence is {average}, at least {least} is needed")
            }
            Self::NoAnswer { member } => write!(f, "{member}'s answer is gone"),
            Self::CutAnswer { member } => write!(f, "{member}'s answer was cut at its token limit"),
            Self::AddressesJudges { member } => write!(f, "{member}'s answer speaks to its reviewers"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_made_of_its_fact() {
        let agreed = |own_left_aside| ConsensusFact::Agreed {
            member: "Ada".into(),
            votes: 2.5,
            voters: 3,
            own_left_aside,
            needed_share: 0.8,
            average_rank: 1.25,
            most_rank: 1.5,
            average_confidence: 8.33,
            least_confidence: 7.0,
        };
        assert_eq!(
            agreed(true).to_string(),
            "2.5 of 3 reviewers put the answer of Ada first, their own left aside (at least 80 % are needed), its \
             average rank is 1.25 (at most 1.5), and the members' average confidence is 8.33 (at least 7)."
        );
        assert!(agreed(false).to_string().contains("put the answer of Ada first (at least"));
        let clear = |own_left_aside| ConsensusFact::Clear {
            member: "Ada".into(),
            votes: 2.5,
            voters: 3,
            own_left_aside,
            needed_share: 0.8,
            average_rank: 1.25,
            most_rank: 1.5,
        };
        assert_eq!(
            clear(true).to_string(),
            "2.5 of 3 reviewers put the answer of Ada first, their own left aside (at least 80 % are needed), and its \
             average rank is 1.25 (at most 1.5)."
        );
        assert!(clear(false).to_string().contains("put the answer of Ada first (at least"));
        let member = || "Ada".to_owned();
        let (ballots, needed, needed_share) = (1, 2, 0.8);
        for (missing, text) in [
            (MissingFact::NoRanking, "no answer was ranked against another"),
            (MissingFact::SharedFirst, "several answers share the first place"),
            (
                MissingFact::FewBallots { member: member(), ballots, needed },
                "only one ballot judges Ada, 2 are needed",
            ),
            (
                MissingFact::FewBallots { member: member(), ballots: 0, needed },
                "no ballot judges Ada, 2 are needed",
            ),
            (
                MissingFact::PoorRank { member: member(), average_rank: 1.667, most: 1.5 },
                "the average rank of Ada is 1.67, at most 1.5 is needed",
            ),
            (
                MissingFact::FewVotes { votes: 1.0, voters: 3, needed_share },
                "1 of 3 reviewers put it first, 80 % are needed",
            ),
            (MissingFact::NoConfidence, "no member said how sure it is"),
            (
                MissingFact::LowConfidence { average: 6.5, least: 7.0 },
                "the members' average confidence is 6.5, at least 7 is needed",
            ),
            (MissingFact::NoAnswer { member: member() }, "Ada's answer is gone"),
            (MissingFact::CutAnswer { member: member() }, "Ada's answer was cut at its token limit"),
            (MissingFact::AddressesJudges { member: member() }, "Ada's answer speaks to its reviewers"),
        ] {
            let fact = ConsensusFact::NotAgreed { missing: vec![missing, MissingFact::SharedFirst] };
            let whole = format!("No consensus: {text}; several answers share the first place.");
            assert_eq!(fact.to_string(), whole);
        }
    }
}
