import { type CSSProperties, useContext } from "react";
import { create } from "zustand";
import { msg, t } from "../../i18n";
import type { AnswerState } from "../../run/state";
import { shortName } from "../../ui/format";
import { Icon } from "../../ui/icon";
import { kept } from "../../ui/kept";
import { useMedia } from "../../ui/media";
import { usePrinting } from "../../ui/printing";
import { Tabs } from "../../ui/tabs";
import { Choice } from "../dashboard/choice";
import { CouncilSeats } from "../one-seat/seats";
import { canRetry } from "../waiting/retries";
import { AnswerCard } from "./answer-card";

function TabTitle({ answer, isBest }: { answer: AnswerState; isBest: boolean }) {
  return (
    <>
      <span className={`tab-dot status-${answer.status}`} aria-hidden="true" />
      {shortName(answer.seat.member)}
      {answer.tier !== null && (
        <span className="tier">{t("tier {{tier}}", { tier: answer.tier })}</span>
      )}
      {isBest && (
        <>
          <Icon name="check" />
          <span className="visually-hidden"> {t("(taken)")}</span>
        </>
      )}
      {answer.status === "failed" && <span className="visually-hidden"> {t("(failed)")}</span>}
    </>
  );
}

const views = { columns: msg("Side by side"), tabs: msg("One at a time") };
type View = keyof typeof views;
const viewKey = "answers";

/** How this reader wants to see them; every conversation asks for it anew. */
const useView = create<{ view: View }>(() => ({
  view: kept.read(viewKey) === "tabs" ? "tabs" : "columns",
}));

function chooseView(view: View) {
  kept.write(viewKey, view === "columns" ? null : view);
  useView.setState({ view });
}

function ViewChoice({ view }: { view: View }) {
  const options = (Object.keys(views) as View[]).map((one) => [one, t(views[one])] as const);
  return (
    <div className="answers-view">
      <Choice
        label={t("How answers are shown")}
        options={options}
        value={view}
        onChoose={chooseView}
      />
    </div>
  );
}

interface Props {
  answers: readonly AnswerState[];
  /** In which round of asking they were given, where a run has several. */
  round?: number;
  /** Whose answer was taken; null for nobody's. */
  best?: string | null;
}

/** Side by side in as many columns as there is room for, or one at a time; always so on a narrow screen. */
export function Answers({ answers, round, best = null }: Props) {
  const narrow = useMedia("(max-width: 859px)");
  const printing = usePrinting((state) => state.printing);
  const view = useView((state) => state.view);
  const seats = useContext(CouncilSeats);
  const seatOf = (answer: AnswerState, at: number) =>
    answers.length === 1 ? (seats[answer.seat.member] ?? at) : at;
  const card = (answer: AnswerState, at: number) => (
    <AnswerCard
      key={answer.seat.member}
      answer={answer}
      seat={seatOf(answer, at)}
      round={round}
      isBest={answer.seat.member === best}
      retries={round === undefined && canRetry(answer, answers)}
    />
  );
  const choice = !narrow && answers.length > 1 && <ViewChoice view={view} />;
  if ((narrow || view === "tabs") && !printing) {
    const tabs = answers.map((answer, seat) => ({
      key: answer.seat.member,
      title: <TabTitle answer={answer} isBest={answer.seat.member === best} />,
      body: () => card(answer, seat),
    }));
    return (
      <>
        {choice}
        <Tabs
          label={t("Members")}
          tabs={tabs}
          start={Math.max(
            0,
            answers.findIndex(({ seat }) => seat.member === best),
          )}
        />
      </>
    );
  }
  return (
    <>
      {choice}
      <div className="answers" style={{ "--answers": answers.length } as CSSProperties}>
        {answers.map(card)}
      </div>
    </>
  );
}
