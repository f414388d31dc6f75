import { Link } from "wouter";
import type { Schemas } from "../../api/types";
import { msg, t } from "../../i18n";
import { percent } from "../../ui/format";
import { Steps } from "../../ui/steps";
import type { About } from "../feature";
import { keptPath } from "./words";

type CacheMode = Schemas["CacheMode"];

const modes: Record<CacheMode, { name: string; meaning: string }> = {
  offer: { name: msg("Ask me first"), meaning: msg("You see the earlier question and choose.") },
  serve: {
    name: msg("Without asking"),
    meaning: msg("The earlier answer comes at once. You can still ask the council afterwards."),
  },
  exact: {
    name: msg("Only the same text"),
    meaning: msg("Case and spaces may differ, nothing else. The earlier answer comes at once."),
  },
};

const ways = ["offer", "serve", "exact"] as const satisfies readonly CacheMode[];

/** The values on offer, in addition to one that was set elsewhere. */
const usual = [0.85, 0.9, 0.92, 0.95, 0.98];

export const about: About = {
  tell: () => ({
    what: t(
      "If you have asked the same or much the same before, with the same council and options, that answer is used again.",
    ),
    cost: t("Saves a whole run where there is such an answer; looking takes less than a second."),
  }),
  More({ choices, onChange }) {
    const mode = choices.cache_mode ?? ways[0];
    const least = choices.cache_similarity_threshold ?? 0.92;
    const thresholds = [...new Set([...usual, least])].toSorted((a, b) => a - b);
    return (
      <>
        <Steps
          legend={t("When there is an earlier answer")}
          values={ways}
          value={mode}
          text={(one) => t(modes[one].name)}
          onChange={(cache_mode) => onChange({ cache_mode })}
        />
        <p className="field-hint">{t(modes[mode].meaning)}</p>
        {mode !== "exact" && (
          <>
            <Steps
              legend={t("How similar the questions must be, at least")}
              values={thresholds}
              value={least}
              text={(value) => percent(value)}
              onChange={(value) => onChange({ cache_similarity_threshold: value })}
            />
            <p className="field-hint">
              {t(
                "A lower value finds more, including what misses the point. Other numbers, names, dates or a “not” always make it another question.",
              )}
            </p>
          </>
        )}
        <p>
          <Link href={keptPath} className="option-link">
            {t("Kept answers")}
          </Link>
        </p>
      </>
    );
  },
};
