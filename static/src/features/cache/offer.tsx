import { useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { decide } from "../../api/cache";
import { clock } from "../../api/clock";
import { asProblem, type Problem } from "../../api/problem";
import { saw } from "../../api/push";
import { t } from "../../i18n";
import { Clamp } from "../../ui/clamp";
import { Notice } from "../../ui/notice";
import { focusComposer } from "../composer/focus";
import { pushKey } from "../ended/notify";
import { answeredWhen, type Earlier, likeness, saving } from "./words";

/** The server waits no longer than that, whatever this computer's clock says. */
const longestS = 60;

/** Whole seconds until a moment of the server's clock; null where it is not known. */
function useSecondsLeft(until: string | null): number | null {
  const [now, setNow] = useState(clock.now);
  useEffect(() => {
    const ticking = setInterval(() => setNow(clock.now()), 1000);
    return () => clearInterval(ticking);
  }, []);
  const end = until === null ? Number.NaN : Date.parse(until);
  if (Number.isNaN(end)) return null;
  return Math.min(longestS, Math.max(0, Math.ceil((end - now) / 1000)));
}

function titleOf({ own, exact }: Earlier): string {
  if (own) return exact ? t("You asked this before") : t("You asked much the same before");
  return exact ? t("This was asked before") : t("Much the same was asked before");
}

interface Props {
  runId: string;
  earlier: Earlier;
  until: string | null;
}

/** An earlier answer in the place of the new one, to be taken or not. The events of the run take it away. */
export function Offer({ runId, earlier, until }: Props) {
  const id = useId();
  const card = useRef<HTMLElement>(null);
  const left = useSecondsLeft(until);
  const [asked, setAsked] = useState<"no" | "take" | "refuse" | Problem>("no");
  const busy = asked === "take" || asked === "refuse";

  // Whoever pressed a button types next: it is gone with the card.
  useLayoutEffect(() => {
    const element = card.current;
    return () => {
      if (element?.contains(document.activeElement)) focusComposer();
    };
  }, []);

  // Whoever looks at it need not be told elsewhere that it waits.
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === "visible" && pushKey() !== null) void saw(runId);
    };
    look();
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, [runId]);

  const say = async (take: boolean) => {
    if (busy) return;
    setAsked(take ? "take" : "refuse");
    try {
      await decide(runId, take);
    } catch (error) {
      setAsked(asProblem(error));
    }
  };
  const facts = [
    answeredWhen(earlier.createdAt),
    likeness(earlier),
    saving(earlier, false),
    earlier.hits > 0 && t("used {{count, number}} times", { count: earlier.hits }),
  ].filter((fact) => typeof fact === "string");
  return (
    <section ref={card} className="earlier-offer" aria-labelledby={`${id}-title`}>
      <h3 id={`${id}-title`}>{titleOf(earlier)}</h3>
      {earlier.question !== null ? (
        !earlier.exact && (
          <Clamp label={t("The earlier question")} following={false}>
            <blockquote dir="auto" className="earlier-question">
              {earlier.question}
            </blockquote>
          </Clamp>
        )
      ) : (
        <p className="quiet">
          {t("By another person; their question and their name are not shown.")}
        </p>
      )}
      <ul className="facts" id={`${id}-facts`}>
        {facts.map((fact) => (
          <li key={fact}>{fact}</li>
        ))}
      </ul>
      <div className="earlier-actions">
        <button
          type="button"
          className="button button-main"
          aria-disabled={busy}
          aria-describedby={`${id}-facts`}
          onClick={() => say(true)}
        >
          {asked === "take" ? t("Taking it…") : t("Use that answer")}
        </button>
        <button type="button" className="button" aria-disabled={busy} onClick={() => say(false)}>
          {asked === "refuse" ? t("Asking…") : t("Ask anyway")}
        </button>
        {left !== null && !busy && (
          <span className="earlier-left" role="timer">
            {left > 0
              ? t("In {{seconds}} s the council is asked.", { seconds: left })
              : t("The council is asked any moment now.")}
          </span>
        )}
      </div>
      {typeof asked === "object" && (
        <Notice tone="bad" urgent>
          {asked.status === 409 || asked.status === 404
            ? t("It is no longer offered: somebody has decided, or the time is over.")
            : t("Not decided: {{reason}} Try again.", { reason: asked.message })}
        </Notice>
      )}
    </section>
  );
}
