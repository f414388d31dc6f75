import "../../styles/decomposition.css";
import { t } from "../../i18n";
import { isLive, type RunState } from "../../run/state";
import { Details } from "../../ui/disclosure";
import { PartItem } from "./part";
import { apart, type DecompositionState } from "./state";
import { Steps } from "./steps";
import { answeredParts, partsIn } from "./words";

function now(run: RunState, state: DecompositionState): string {
  const all = partsIn(state);
  if (isLive(run)) {
    if (run.phase === "stage3") return t("Merging…");
    if (all === 0) return t("Analysing…");
  }
  return t("{{done}} of {{count, number}} parts answered", {
    done: answeredParts(state),
    count: all,
  });
}

/** Why the question was taken apart. */
function Why({ state: { complexity } }: { state: DecompositionState }) {
  if (!complexity?.is_complex || !complexity.reasoning) return null;
  return (
    <Details title={t("Why it was taken apart")}>
      {() => <p className="quiet">{complexity.reasoning}</p>}
    </Details>
  );
}

interface Props {
  run: RunState;
  latest: boolean;
}

/** The parts of a question, each with its best answer and all the others behind it. */
export default function Decomposition({ run }: Props) {
  const state = apart(run);
  if (!state) return null;
  const all = Math.max(partsIn(state), ...state.parts.map(({ index }) => index + 1));
  const parts = Array.from({ length: all }, (_, index) => ({
    index,
    part: state.parts.find((one) => one.index === index),
  }));
  return (
    <div className="parts">
      <header className="parts-head">
        <h3>{t("Question in parts")}</h3>
        <p className="quiet">{now(run, state)}</p>
      </header>
      {isLive(run) && <Steps run={run} state={state} />}
      {all > 0 && (
        <ol className="parts-list">
          {parts.map(({ index, part }) => (
            <PartItem
              key={index}
              run={run}
              index={index}
              question={part?.question ?? state.questions[index] ?? ""}
              part={part}
            />
          ))}
        </ol>
      )}
      <Why state={state} />
    </div>
  );
}
