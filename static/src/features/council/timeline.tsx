import type { RunState } from "../../run/state";
import type { Link } from "../../stream/resume";
import { Icon } from "../../ui/icon";
import { Notice } from "../../ui/notice";
import { runProgress } from "./describe";

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

/** What the page does about a lost connection; the run itself goes on at the server. */
export function LinkNotice({ link }: { link: Link }) {
  if (link.state !== "reconnecting") return null;
  if (link.because === "network" && link.attempt < 2) return null;
  return (
    <Notice tone="warn">
      {link.because === "restart"
        ? "The server is restarting. The run goes on, and this page picks it up."
        : "The connection is lost. The run goes on at the server; this page reconnects by itself."}
    </Notice>
  );
}
