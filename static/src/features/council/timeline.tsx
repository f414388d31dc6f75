import { msg, t } from "../../i18n";
import type { Phase, RunState } from "../../run/state";
import { Icon } from "../../ui/icon";
import type { FeatureStage } from "../feature";
import { queueText, runProgress } from "./describe";
import { stageNames, stagesAt } from "./stages";

interface Step {
  phase: Phase;
  /** Texts of the catalogue. */
  title: string;
  detail: string;
}

/** What the features add to a run is shown once it is there. */
const added = (run: RunState, place: FeatureStage["place"]): Step[] =>
  stagesAt(place)
    .filter(({ isIn }) => isIn(run))
    .map(({ key, title, detail }) => ({ phase: key, title, detail: detail?.(run) ?? "" }));

const order: readonly Phase[] = ["waiting", ...stageNames.map(([key]) => key), "ended"];

/** Where a running deliberation stands; `alone` where one seat is asked, whose answer is the final one. */
export function Timeline({ run, alone = false }: { run: RunState; alone?: boolean }) {
  const { answers, reviews } = runProgress(run);
  const at = order.indexOf(run.phase);
  const ofAll: Step[] = [
    {
      phase: "stage1",
      title: msg("Answers"),
      detail: answers.all > 0 ? `${answers.done}/${answers.all}` : "",
    },
    {
      phase: "stage2",
      title: msg("Reviews"),
      detail: reviews.all > 0 ? `${reviews.done}/${reviews.all}` : "",
    },
    ...added(run, "middle"),
    { phase: "stage3", title: msg("Final answer"), detail: "" },
  ];
  const ofOne: Step[] = [{ phase: "stage1", title: msg("Answer"), detail: "" }];
  const steps = [...added(run, "first"), ...(alone ? ofOne : ofAll), ...added(run, "last")];
  // A run that is past its reviews without one has none.
  const unreviewed = run.reviews.length === 0 && at > order.indexOf("stage2");
  const shown = unreviewed ? steps.filter(({ phase }) => phase !== "stage2") : steps;
  if (run.queuePosition !== null) {
    return (
      <p className="queued">
        <Icon name="clock" />
        {queueText(run.queuePosition)}
      </p>
    );
  }
  return (
    <ol className="timeline" aria-label={t("Stages")}>
      {shown.map(({ phase, title, detail }) => {
        const place = order.indexOf(phase);
        const progress = at > place ? "done" : at === place ? "now" : "ahead";
        return (
          <li
            key={phase}
            className={`timeline-${progress}`}
            aria-current={progress === "now" ? "step" : undefined}
          >
            <span className="timeline-mark">{progress === "done" && <Icon name="check" />}</span>
            <span>{t(title)}</span>
            {detail && <span className="timeline-detail">{detail}</span>}
          </li>
        );
      })}
    </ol>
  );
}
