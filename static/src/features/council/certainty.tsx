import type { AggregateFacts, Schemas } from "../../api/types";
import { msg, t } from "../../i18n";
import { Explain } from "../../ui/explain";
import { count, percent, rank } from "../../ui/format";

type Certain = Schemas["Certainty"];

const verdicts: Record<Schemas["Verdict"], string> = {
  close_call: msg("A close call: the chance that this answer is the best is {{chance}}."),
  likely: msg("Likely: the chance that this answer is the best is {{chance}}."),
  clear: msg("Clear: the chance that this answer is the best is {{chance}}."),
};

function Learned({ runs, picks, uncalibrated, first_is_best }: Certain) {
  const before = uncalibrated ?? first_is_best;
  return (
    <p>
      {runs > 0
        ? t(
            "How far reviewers agree began as a cautious guess, and {{count, number}} earlier runs of yours have corrected it.",
            { count: runs },
          )
        : t("How far reviewers agree is a cautious guess at first; each run corrects it.")}{" "}
      {picks > 0
        ? t(
            "What people chose as the best answer, {{count, number}} times so far, corrects the percentage.",
            { count: picks },
          )
        : t(
            "Nobody has chosen a best answer yet: each choice under “Which answer was the best?” makes the percentage more reliable.",
          )}
      {picks > 0 && before !== first_is_best && (
        <> {t("Without that it would be {{chance}}.", { chance: percent(before) })}</>
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
          t("{{ballots}} ballots, worth about {{worth}} independent ones.", {
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
              "Why {{worth}} and not {{ballots}}: the reviewers are models, trained on much the same texts, and often make the same mistakes. One more that agrees says less than an independent opinion would.",
              { worth, ballots },
            )}
          </p>
        )}
        <p>
          {t(
            "What {{chance}} means: of 100 such cases, this answer would be the best in about {{first}}, and another one in the other {{others}}.",
            { chance, first: count(of100), others: count(100 - of100) },
          )}
        </p>
        <Learned {...certainty} />
        <p>
          {t(
            "It is an estimate: ballots say which answer these models prefer, and not whether it is true.",
          )}
        </p>
      </Explain>
    </div>
  );
}
