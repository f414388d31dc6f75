import { useRef, useState } from "react";
import { Link } from "wouter";
import { type CacheEntry, forgetAnswer } from "../../api/cache";
import { msg, t } from "../../i18n";
import { complain } from "../../ui/complain";
import { Confirm } from "../../ui/confirm";
import { passFocusOn } from "../../ui/focus";
import { count, dateFormat, money, when } from "../../ui/format";
import { Icon } from "../../ui/icon";
import { toast } from "../../ui/toast";

const clock = dateFormat({ dateStyle: "medium", timeStyle: "short" });

/** How much of a question stands in a line; the rest is in its conversation. */
const shownChars = 300;

function factsOf(entry: CacheEntry): string[] {
  const { hit_count: hits, cost_usd: cost, last_hit: last } = entry;
  return [
    t("Asked {{time}}", { time: clock(when(entry.created_at)) }),
    hits > 0 ? t("used {{count, number}} times", { count: hits }) : t("not used yet"),
    hits > 0 && last ? t("last {{time}}", { time: clock(when(last)) }) : null,
    hits > 0 && cost ? t("saved {{what}}", { what: money(cost * hits) }) : null,
    entry.embedding_method === "api" ? t("compared by meaning") : t("compared by words"),
    entry.shared ? t("others may get it too") : null,
    entry.thumbs_up > 0 ? t("rated good: {{number}}", { number: count(entry.thumbs_up) }) : null,
    entry.thumbs_down > 0 ? t("rated bad: {{number}}", { number: count(entry.thumbs_down) }) : null,
  ].filter((fact) => fact !== null);
}

/** A question whose answer is kept. */
export function Entry({ entry }: { entry: CacheEntry }) {
  const place = useRef<HTMLLIElement>(null);
  const [asks, setAsks] = useState(false);
  const question =
    entry.query.length > shownChars
      ? `${entry.query.slice(0, shownChars).trimEnd()}…`
      : entry.query;
  const forget = async () => {
    setAsks(false);
    try {
      await forgetAnswer(entry.id);
    } catch (error) {
      return complain(msg("Not removed: {{message}}"))(error);
    }
    toast(t("The kept answer was removed."));
  };
  return (
    <li ref={place} className="kept-entry">
      <p dir="auto" className="kept-question">
        {entry.conversation_id ? (
          <Link href={`/c/${entry.conversation_id}`}>{question}</Link>
        ) : (
          question
        )}
      </p>
      <ul className="facts">
        {factsOf(entry).map((fact) => (
          <li key={fact}>{fact}</li>
        ))}
      </ul>
      <button
        type="button"
        className="icon-button kept-forget"
        aria-label={t("Remove: {{question}}", { question: question.slice(0, 80) })}
        onClick={() => setAsks(true)}
      >
        <Icon name="trash" />
      </button>
      {asks && (
        <Confirm
          title={t("Remove this kept answer?")}
          cancel={t("Keep it")}
          onCancel={() => setAsks(false)}
          actions={[
            {
              label: t("Remove it"),
              tone: "danger",
              run: () => {
                passFocusOn(place.current, ".kept-forget", ".kept-search input");
                forget();
              },
            },
          ]}
        >
          <p>{t("The conversation stays. The same question asks the council again.")}</p>
        </Confirm>
      )}
    </li>
  );
}
