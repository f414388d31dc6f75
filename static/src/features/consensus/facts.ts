/** Why the council agreed, or what was missing. */
import type { Schemas } from "../../api/types";
import { t } from "../../i18n";
import { count, percent, rank, shortName } from "../../ui/format";
import { type Sentences, say } from "../../ui/said";

const missing: Sentences<Schemas["MissingFact"]> = {
  no_ranking: () => t("no answer was ranked against another"),
  shared_first: () => t("several answers share the first place"),
  few_ballots: ({ member, ballots, needed }) =>
    ballots === 0
      ? t("no ballot judges {{member}}, {{needed}} are needed", {
          member: shortName(member),
          needed: count(needed),
        })
      : t("only one ballot judges {{member}}, {{needed}} are needed", {
          member: shortName(member),
          needed: count(needed),
        }),
  poor_rank: ({ member, average_rank, most }) =>
    t("the average rank of {{member}} is {{rank}}, at most {{most}} is needed", {
      member: shortName(member),
      rank: rank(average_rank),
      most: rank(most),
    }),
  few_votes: ({ votes, voters, needed_share }) =>
    t("{{votes}} of {{voters}} reviewers put it first, {{share}} are needed", {
      votes: rank(votes),
      voters: count(voters),
      share: percent(needed_share),
    }),
  no_confidence: () => t("no member said how sure it is"),
  low_confidence: ({ average, least }) =>
    t("the members' average confidence is {{average}}, at least {{least}} is needed", {
      average: rank(average),
      least: rank(least),
    }),
  no_answer: ({ member }) => t("{{member}}'s answer is gone", { member: shortName(member) }),
  cut_answer: ({ member }) =>
    t("{{member}}'s answer was cut at its token limit", { member: shortName(member) }),
  addresses_judges: ({ member }) =>
    t("{{member}}'s answer speaks to its reviewers", { member: shortName(member) }),
};

/** The sentence; null where this page does not know one of the things that were missing. */
export function reasonOf(fact: Schemas["ConsensusFact"] | null | undefined): string | null {
  const all = fact?.code === "not_agreed" ? fact.missing.map((one) => say(missing, one)) : [];
  return all.includes(null) ? null : say(sentences, fact);
}

const sentences: Sentences<Schemas["ConsensusFact"]> = {
  agreed: (fact) => {
    const values = {
      member: shortName(fact.member),
      votes: rank(fact.votes),
      voters: count(fact.voters),
      share: percent(fact.needed_share),
      rank: rank(fact.average_rank),
      mostRank: rank(fact.most_rank),
      confidence: rank(fact.average_confidence),
      leastConfidence: rank(fact.least_confidence),
    };
    return fact.own_left_aside
      ? t(
          "{{votes}} of {{voters}} reviewers put the answer of {{member}} first, their own left aside (at least {{share}} are needed), its average rank is {{rank}} (at most {{mostRank}}), and the members' average confidence is {{confidence}} (at least {{leastConfidence}}).",
          values,
        )
      : t(
          "{{votes}} of {{voters}} reviewers put the answer of {{member}} first (at least {{share}} are needed), its average rank is {{rank}} (at most {{mostRank}}), and the members' average confidence is {{confidence}} (at least {{leastConfidence}}).",
          values,
        );
  },
  clear: (fact) => {
    const values = {
      member: shortName(fact.member),
      votes: rank(fact.votes),
      voters: count(fact.voters),
      share: percent(fact.needed_share),
      rank: rank(fact.average_rank),
      mostRank: rank(fact.most_rank),
    };
    return fact.own_left_aside
      ? t(
          "{{votes}} of {{voters}} reviewers put the answer of {{member}} first, their own left aside (at least {{share}} are needed), and its average rank is {{rank}} (at most {{mostRank}}).",
          values,
        )
      : t(
          "{{votes}} of {{voters}} reviewers put the answer of {{member}} first (at least {{share}} are needed), and its average rank is {{rank}} (at most {{mostRank}}).",
          values,
        );
  },
  not_agreed: (fact) =>
    t("No consensus: {{missing}}.", {
      missing: fact.missing.map((one) => say(missing, one)).join("; "),
    }),
};
