/** What a reviewer's place for its own answer counts. */
import type { AggregateFacts, Schemas } from "../../api/types";
import { t } from "../../i18n";
import { Explain } from "../../ui/explain";
import { count, listText, rank, shortName } from "../../ui/format";

type Correction = Schemas["Correction"];

/** Messages from before there was a choice have only the flag. */
export const ownVotesIn = (facts: AggregateFacts): Schemas["SelfVotes"] =>
  facts.self_votes ?? (facts.count_self_votes ? "counted" : "left_out");

/** The corrections of places for one's own answer, without those too small to be seen. */
const correctionsIn = (facts: AggregateFacts | null) =>
  (facts?.corrections ?? []).filter(
    ({ place, counted_place }) => rank(place) !== rank(counted_place),
  );

/** The correction of a member's place for its own answer, where there is one. */
export const correctionOf = (facts: AggregateFacts | null, member: string) =>
  correctionsIn(facts).find((correction) => correction.member === member) ?? null;

function knownFrom({ ballots, others_ballots: others }: Correction): string {
  if (others === 0) {
    return t("That is known from {{count, number}} earlier ballots in your runs.", {
      count: ballots,
    });
  }
  if (ballots === 0) {
    return t("That is known from {{count, number}} earlier ballots in other people’s runs.", {
      count: others,
    });
  }
  return t(
    "That is known from {{all}} earlier ballots, {{others}} of them in other people’s runs.",
    { all: count(ballots + others), others: count(others) },
  );
}

function correctionText({ member, place, counted_place, preference }: Correction): string {
  const figures = {
    member: shortName(member),
    place: rank(place),
    counted: rank(counted_place),
    by: rank(Math.abs(preference)),
  };
  return preference > 0
    ? t(
        "{{member}}’s vote for its own answer counts as place {{counted}} instead of {{place}}, because it puts its own answers about {{by}} places higher than the others do.",
        figures,
      )
    : t(
        "{{member}}’s vote for its own answer counts as place {{counted}} instead of {{place}}, because it puts its own answers about {{by}} places lower than the others do.",
        figures,
      );
}

function OwnVotesSentence({ facts }: { facts: AggregateFacts }) {
  const corrections = correctionsIn(facts);
  const way = ownVotesIn(facts);
  if (way === "left_out")
    return <p>{t("Members also rank their own answers. Those votes do not count here.")}</p>;
  if (way === "counted")
    return (
      <p>{t("Members also rank their own answers. Those votes count like all others here.")}</p>
    );
  if (corrections.length === 0) {
    return (
      <p>
        {t(
          "Members also rank their own answers. Those votes count like all others here: so far, no member has been seen to favour its own answers.",
        )}
      </p>
    );
  }
  return (
    <div className="explained">
      <p>
        {t(
          "Members also rank their own answers. Some of those votes are corrected here, because the member has been seen to rank its own answers too high or too low.",
        )}
      </p>
      <Explain label={t("How votes for one’s own answer are corrected")}>
        {corrections.map((correction) => (
          <p key={correction.member}>
            {correctionText(correction)} {knownFrom(correction)}
          </p>
        ))}
        <p>
          {t(
            "These figures are cautious already: the fewer the ballots behind them, the smaller they are.",
          )}
        </p>
      </Explain>
    </div>
  );
}

/** How own votes count, and what the corrections changed. */
export function OwnVotes({ facts }: { facts: AggregateFacts }) {
  const without = facts.order_without_corrections ?? [];
  return (
    <>
      <OwnVotesSentence facts={facts} />
      {facts.position_corrected && (
        <p>
          {t(
            "Not every answer was read early as often as late, because a reviewer is missing. So places count without what each reviewer is known to favour in what it reads first or last.",
          )}
        </p>
      )}
      {without.length > 0 && (
        <p>
          {t("Without the corrections the order would be different: {{order}}.", {
            order: listText(
              without.map((member, at) => `${count(at + 1)}.\u00a0${shortName(member)}`),
            ),
          })}
        </p>
      )}
    </>
  );
}

/** What stands above the table of who ranked whom. */
export function matrixCaption(facts: AggregateFacts | null): string {
  if (!facts || correctionsIn(facts).length === 0) {
    return facts && ownVotesIn(facts) === "left_out"
      ? t(
          "Who ranked whom. 1 is best; a dashed cell is the reviewer’s own answer: it does not count, and answers ranked after it move up one place.",
        )
      : t("Who ranked whom. 1 is best; a dashed cell is the reviewer’s own answer.");
  }
  return t(
    "Who ranked whom. 1 is best; a dashed cell is the reviewer’s own answer: after the arrow, the place it counts as.",
  );
}
