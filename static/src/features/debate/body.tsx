import "../../styles/debate.css";
import type { CSSProperties } from "react";
import { t } from "../../i18n";
import { isLive, type RunState } from "../../run/state";
import { FoldedSection } from "../../ui/disclosure";
import { useMedia } from "../../ui/media";
import { membersOf } from "../formats";
import { StatementCard } from "./card";
import { formats } from "./formats";
import { roundId } from "./jump";
import { Moved } from "./moved";
import { type DebateState, debateOf, type RoundState } from "./state";
import { Stepper } from "./stepper";
import { endedIn, failedIn, roundOf, roundTitle } from "./words";

/** What the format is called, and how far it has come. */
function Head({ run, debate }: { run: RunState; debate: DebateState }) {
  const format = formats.find(
    ({ ask }) => ask.mode === debate.mode && (ask.debate_style ?? debate.style) === debate.style,
  );
  const round = debate.rounds.at(-1);
  const now = () => {
    if (run.phase === "stage3") return t("The judgment");
    if (isLive(run) && round) return roundOf(debate, round);
    return [
      t("{{count, number}} rounds", { count: debate.rounds.length }),
      t("{{count, number}} speakers", { count: debate.rounds[0]?.statements.length ?? 0 }),
    ].join(" · ");
  };
  return (
    <header className="debate-head">
      <h3>{t(format?.title ?? "Debate")}</h3>
      <p className="quiet">{now()}</p>
    </header>
  );
}

function summaryOf(round: RoundState): string {
  const failed = failedIn(round);
  const ended = endedIn(round);
  const parts = [
    t("{{done}} of {{all}} have spoken", { done: ended - failed, all: round.statements.length }),
  ];
  if (failed > 0) parts.push(t("{{count, number}} failed", { count: failed }));
  return parts.join(" · ");
}

/** So that no speaker stands alone in a last row. */
const columnsFor = (speakers: number) =>
  speakers === 4 ? 2 : speakers > 6 ? 4 : Math.min(speakers, 3);

interface Props {
  run: RunState;
  latest: boolean;
}

/** A debate, round after round: who says what, and whom it answers. */
export default function Debate({ run, latest }: Props) {
  const debate = debateOf(run);
  const narrow = useMedia("(max-width: 859px)");
  if (!debate) return null;
  const members = membersOf(run);
  const speakers = Math.max(1, ...debate.rounds.map(({ statements }) => statements.length));
  return (
    <div
      className="debate"
      style={{ "--answers": speakers, "--columns": columnsFor(speakers) } as CSSProperties}
    >
      <Head run={run} debate={debate} />
      <Stepper run={run} debate={debate} />
      <Moved run={run} debate={debate} />
      {debate.rounds.map((round) => (
        <FoldedSection
          key={round.number}
          id={roundId(run, round.number)}
          title={t("Round {{number}} · {{title}}", {
            number: round.number,
            title: roundTitle(round.type),
          })}
          summary={summaryOf(round)}
          startOpen={latest}
        >
          {() => (
            <ol className="answers statements">
              {round.statements.map((entry) => (
                <StatementCard
                  key={entry.label}
                  run={run}
                  debate={debate}
                  round={round}
                  entry={entry}
                  seat={Math.max(0, members.indexOf(entry.seat.member))}
                  startOpen={!narrow || isLive(run)}
                />
              ))}
            </ol>
          )}
        </FoldedSection>
      ))}
      <p className="visually-hidden">
        {t("On a statement the arrow keys, or j and k, lead to the next one; Enter unfolds it.")}
      </p>
    </div>
  );
}
