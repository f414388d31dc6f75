import type { AggregateFacts, Schemas } from "../../api/types";
import { msg, t } from "../../i18n";
import { Explain } from "../../ui/explain";
import { count, percent, rank } from "../../ui/format";

type Certain = Schemas["Certainty"];

const verdicts: Record<Schemas["Verdict"], string> = {
  close_call: msg("A close call: the chance that this is the best of the answers is {{chance}}."),
  likely: msg("Likely the best of the answers: the chance is {{chance}}."),
  clear: msg("Clearly ahead: the chance that this is the best of the answers is {{chance}}."),
};

function Learned({ runs, picks, uncalibrated, first_is_best }: Certain) {
  const before = uncalibrated ?? first_is_best;
  return (
    <p>
      {runs > 0
        ? t(
            "How often the models make the same mistakes is estimated, from a cautious guess and {{count, number}} earlier questions of yours.",
            { count: runs },
          )
        : t(
            "How often the models make the same mistakes is a cautious guess so far; each question that you ask improves it.",
          )}{" "}
      {picks > 0
        ? t("People here have said {{count, number}} times which answer was the best.", {
            count: picks,
          })
        : t(
            "The percentage has not been compared with people’s own choices yet: each choice under “Which answer was the best?” makes it more reliable.",
          )}
      {picks > 0 && before !== first_is_best && (
        <>
          {" "}
          {t("That turned {{before}} into {{chance}}.", {
            before: percent(before),
            chance: percent(first_is_best),
          })}
        </>
      )}
    </p>
  );
}

/** What the ballots are worth and how sure the first place is; behind it, what that means. */
export function Certainty({ facts: { certainty, winner } }: { facts: AggregateFacts }) {
  if (!certainty) return null;
  const chance = percent(certainty.first_is_best);
  const ballots = count(certainty.ballots);
  const worth = rank(certainty.worth);
  const of100 = Math.round(100 * certainty.first_is_best);
  return (
    <div className="explained certainty">
      <p>
        {certainty.ballots > 1 &&
          t("{{ballots}} ballots, worth about {{worth}} independent opinions.", {
            ballots,
            worth,
          })}{" "}
        {winner
          ? t(verdicts[certainty.verdict] ?? verdicts.close_call, { chance })
          : t(
              "Several share the first place: for each of them, the chance of being the best is {{chance}}.",
              { chance },
            )}
      </p>
      <Explain label={t("How sure the first place is")}>
        {certainty.ballots > 1 && (
          <p>
            {t(
              "A ballot is one model’s ranking of the answers. Why {{worth}} and not {{ballots}}: the models learned from much the same texts and often make the same mistakes, so where they agree, they may all be wrong in the same way.",
              { worth, ballots },
            )}
          </p>
        )}
        <p>
          {t(
            "What {{chance}} means: if ballots came out like this for 100 questions, the answer in first place would be the best one about {{first}} times, and another answer {{others}} times. “Best” is the answer that people would choose.",
            { chance, first: count(of100), others: count(100 - of100) },
          )}
        </p>
        <Learned {...certainty} />
        <p>
          {t(
            "All of this is an estimate. Ballots show which answer the models prefer, not which one is true.",
          )}
        </p>
      </Explain>
    </div>
  );
}
