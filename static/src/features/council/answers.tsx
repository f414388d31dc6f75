import { t } from "../../i18n";
import type { AnswerState } from "../../run/state";
import { shortName } from "../../ui/format";
import { useMedia } from "../../ui/media";
import { usePrinting } from "../../ui/printing";
import { Tabs } from "../../ui/tabs";
import { AnswerCard } from "./answer-card";

function TabTitle({ answer }: { answer: AnswerState }) {
  return (
    <>
      <span className={`tab-dot status-${answer.status}`} aria-hidden="true" />
      {shortName(answer.seat.member)}
      {answer.tier !== null && (
        <span className="tier">{t("tier {{tier}}", { tier: answer.tier })}</span>
      )}
      {answer.status === "failed" && <span className="visually-hidden"> {t("(failed)")}</span>}
    </>
  );
}

/** Side by side; one at a time on a narrow screen. */
export function Answers({ answers }: { answers: readonly AnswerState[] }) {
  const narrow = useMedia("(max-width: 859px)");
  const printing = usePrinting((state) => state.printing);
  if (narrow && !printing) {
    const tabs = answers.map((answer, seat) => ({
      key: answer.seat.member,
      title: <TabTitle answer={answer} />,
      body: () => <AnswerCard answer={answer} seat={seat} />,
    }));
    return <Tabs label={t("Members")} tabs={tabs} />;
  }
  return (
    <div className="answers" data-count={answers.length}>
      {answers.map((answer, seat) => (
        <AnswerCard key={answer.seat.member} answer={answer} seat={seat} />
      ))}
    </div>
  );
}
