import { t } from "../../i18n";
import type { Phase, RunState } from "../../run/state";
import { Icon } from "../../ui/icon";
import { queueText, runProgress } from "./describe";

type Step = "done" | "now" | "ahead";

/** Where a running deliberation stands. */
export function Timeline({ run }: { run: RunState }) {
  const { answersEnded, reviewsEnded } = runProgress(run);
  const order: Phase[] = [
    "waiting",
    "routing",
    "stage1",
    "stage2",
    "stage3",
    "refinement",
    "adversary",
    "ended",
  ];
  const at = order.indexOf(run.phase);
  const step = (phase: Phase): Step => {
    const place = order.indexOf(phase);
    return at > place ? "done" : at === place ? "now" : "ahead";
  };
  const rounds = run.refinement?.iterations.length ?? 0;
  // What the options add is shown once it is there.
  const steps: { name: string; step: Step; detail: string }[] = [
    ...(run.routing || run.phase === "routing"
      ? [{ name: t("Routing"), step: step("routing"), detail: "" }]
      : []),
    {
      name: t("Answers"),
      step: step("stage1"),
      detail: run.answers.length ? `${answersEnded}/${run.answers.length}` : "",
    },
    {
      name: t("Reviews"),
      step: step("stage2"),
      detail: run.reviews.length ? `${reviewsEnded}/${run.reviews.length}` : "",
    },
    { name: t("Final answer"), step: step("stage3"), detail: "" },
    ...(run.refinement
      ? [
          {
            name: t("Refinement"),
            step: step("refinement"),
            detail: rounds ? t("round {{round}}", { round: rounds }) : "",
          },
        ]
      : []),
    ...(run.adversary
      ? [{ name: t("Devil’s advocate"), step: step("adversary"), detail: "" }]
      : []),
  ];
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
      {steps.map(({ name, step, detail }) => (
        <li
          key={name}
          className={`timeline-${step}`}
          aria-current={step === "now" ? "step" : undefined}
        >
          <span className="timeline-mark">{step === "done" && <Icon name="check" />}</span>
          <span>{name}</span>
          {detail && <span className="timeline-detail">{detail}</span>}
        </li>
      ))}
    </ol>
  );
}
