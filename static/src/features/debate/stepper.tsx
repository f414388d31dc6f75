import { t } from "../../i18n";
import { isLive, type RunState } from "../../run/state";
import { Icon } from "../../ui/icon";
import { showRound } from "./jump";
import type { DebateState } from "./state";
import { endedIn, roundTitle } from "./words";

interface Step {
  key: string;
  title: string;
  detail: string;
  state: "done" | "now" | "ahead";
  /** Brings what it stands for to where it can be read; told the button that was pressed. */
  go?: (button: HTMLElement) => void;
}

function states(state: Step["state"], live: boolean): string {
  if (state === "done") return t("done");
  if (state === "now") return t("under way");
  return live ? t("to come") : t("not reached");
}

/** That of its own turn: a conversation may have many. */
const showFinal = (button: HTMLElement) => {
  const final = button.closest(".deliberation")?.querySelector<HTMLElement>(".final");
  final?.scrollIntoView({ block: "start" });
  const focusable = final?.querySelector<HTMLElement>("button, summary");
  focusable?.focus({ preventScroll: true });
};

function stepsOf(run: RunState, debate: DebateState): Step[] {
  const planned = Math.max(debate.roundTypes.length, debate.rounds.length);
  const rounds = Array.from({ length: planned }, (_, at): Step => {
    const round = debate.rounds[at];
    const title = roundTitle(round?.type ?? debate.roundTypes[at] ?? "");
    if (!round) return { key: `round${at + 1}`, title, detail: "", state: "ahead" };
    const ended = endedIn(round);
    const isNow = isLive(run) && run.phase === `round${round.number}`;
    return {
      key: `round${at + 1}`,
      title,
      detail: isNow ? `${ended}/${round.statements.length}` : "",
      state: isNow ? "now" : "done",
      go: () => showRound(run, round.number),
    };
  });
  const { status } = run.synthesis;
  const judged = status === "done" ? "done" : status === "writing" ? "now" : "ahead";
  return [
    ...rounds,
    {
      key: "judgment",
      title: t("Judgment"),
      detail: "",
      state: judged,
      ...(judged !== "ahead" && { go: showFinal }),
    },
  ];
}

/** Where a debate stands; each step that has begun leads to its place. */
export function Stepper({ run, debate }: { run: RunState; debate: DebateState }) {
  return (
    <nav aria-label={t("Rounds")}>
      <ol className="timeline debate-steps">
        {stepsOf(run, debate).map(({ key, title, detail, state, go }) => {
          const content = (
            <>
              <span className="timeline-mark">{state === "done" && <Icon name="check" />}</span>
              <span>{title}</span>
              {detail && <span className="timeline-detail">{detail}</span>}
              <span className="visually-hidden"> ({states(state, isLive(run))})</span>
            </>
          );
          return (
            <li
              key={key}
              className={`timeline-${state}`}
              aria-current={state === "now" ? "step" : undefined}
            >
              {go ? (
                <button type="button" onClick={({ currentTarget }) => go(currentTarget)}>
                  {content}
                </button>
              ) : (
                <span className="debate-step">{content}</span>
              )}
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
