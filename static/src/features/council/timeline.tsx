import type { RunState } from "../../run/state";
import { Icon } from "../../ui/icon";
import { queueText, runProgress } from "./describe";

type Step = "done" | "now" | "ahead";

/** Where a running deliberation stands. */
export function Timeline({ run }: { run: RunState }) {
  const { answersEnded, reviewsEnded } = runProgress(run);
  const order = ["waiting", "stage1", "stage2", "stage3", "ended"];
  const at = order.indexOf(run.phase);
  const step = (stage: number): Step => (at > stage ? "done" : at === stage ? "now" : "ahead");
  const steps = [
    {
      name: "Answers",
      step: step(1),
      detail: run.answers.length ? `${answersEnded}/${run.answers.length}` : "",
    },
    {
      name: "Reviews",
      step: step(2),
      detail: run.reviews.length ? `${reviewsEnded}/${run.reviews.length}` : "",
    },
    { name: "Final answer", step: step(3), detail: "" },
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
    <ol className="timeline" aria-label="Stages">
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
