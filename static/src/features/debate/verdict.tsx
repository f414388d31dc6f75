import "../../styles/debate.css";
import type { Schemas } from "../../api/types";
import { msg, t } from "../../i18n";
import { CitedText } from "../../markdown/cites";
import type { RunState } from "../../run/state";

const parts: readonly (readonly [keyof Schemas["DebateVerdict"], string])[] = [
  ["most_convincing", msg("Most convincing")],
  ["settled", msg("Settled")],
  ["open", msg("Still in dispute")],
  ["minority", msg("The minority's view")],
];

/** What came of the debate, as the chairman saw it. */
export function VerdictNote({ run }: { run: RunState }) {
  const verdict = run.synthesis.result?.verdict;
  const shown = parts.filter(([key]) => verdict?.[key]?.length);
  if (!verdict || shown.length === 0) return null;
  return (
    <section className="editorial debate-verdict" aria-label={t("What came of the debate")}>
      {shown.map(([key, title]) => (
        <div key={key}>
          <p className="editorial-title">{t(title)}</p>
          <ul>
            {verdict[key]?.map((point) => (
              <li key={point}>
                <CitedText text={point} />
              </li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  );
}
