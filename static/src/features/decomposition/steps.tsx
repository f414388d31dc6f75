import { t } from "../../i18n";
import type { RunState } from "../../run/state";
import { Icon } from "../../ui/icon";
import type { DecompositionState } from "./state";
import { partsIn, throughIn } from "./words";

/** Where a question stands that is being taken apart. */
export function Steps({ run, state }: { run: RunState; state: DecompositionState }) {
  const all = partsIn(state);
  const at = run.phase === "stage3" ? 2 : all > 0 ? 1 : 0;
  const steps = [
    { title: t("Taking apart"), detail: "" },
    { title: t("Parts"), detail: all > 0 ? `${throughIn(state)}/${all}` : "" },
    { title: t("Putting together"), detail: "" },
  ];
  return (
    <ol className="timeline" aria-label={t("Stages")}>
      {steps.map(({ title, detail }, place) => {
        const progress = at > place ? "done" : at === place ? "now" : "ahead";
        return (
          <li
            key={title}
            className={`timeline-${progress}`}
            aria-current={progress === "now" ? "step" : undefined}
          >
            <span className="timeline-mark">{progress === "done" && <Icon name="check" />}</span>
            <span>{title}</span>
            {detail && <span className="timeline-detail">{detail}</span>}
          </li>
        );
      })}
    </ol>
  );
}
