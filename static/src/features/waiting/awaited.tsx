import "../../styles/waiting.css";
import { useEffect, useState } from "react";
import { api } from "../../api/client";
import { clock } from "../../api/clock";
import { asProblem, type Problem } from "../../api/problem";
import { t } from "../../i18n";
import { duration, shortName } from "../../ui/format";
import { Notice } from "../../ui/notice";
import { useUnderWay } from "./context";

/** In seconds; before that nobody has waited long enough to think of it. */
const OFFERED_AFTER = 5;

/**
 * Whole seconds since a moment of the server's clock, counted while the page looks. One that is yet to come
 * is not believed.
 */
export function useSeconds(since: string | null): number {
  const [first] = useState(clock.now);
  const [now, setNow] = useState(first);
  useEffect(() => {
    const ticking = setInterval(() => setNow(clock.now()), 1000);
    return () => clearInterval(ticking);
  }, []);
  const begun = since === null ? Number.NaN : Date.parse(since);
  const from = Number.isNaN(begun) ? first : Math.min(begun, first);
  return Math.max(0, Math.floor((now - from) / 1000));
}

const passed = (seconds: number) => (seconds < 60 ? `${seconds} s` : duration(seconds * 1000));

interface Props {
  /** The seat's name; of a chairman the model. */
  member: string;
  /** What it is asked for, where it may be asked for more than one thing at once. */
  stage?: string;
  since: string | null;
}

/** How long a member has been waited for, and the way on without it. */
export function Awaited({ member, stage, since }: Props) {
  const runId = useUnderWay();
  const seconds = useSeconds(since);
  const [asked, setAsked] = useState<"no" | "asking" | "asked" | Problem>("no");
  if (runId === null) return null;
  const skip = async () => {
    setAsked("asking");
    try {
      await api.skip(runId, member, stage);
      setAsked("asked");
    } catch (error) {
      setAsked(asProblem(error));
    }
  };
  const name = shortName(member);
  const under = asked === "asking" || asked === "asked";
  return (
    <div className="awaited">
      <span className="awaited-for" role="timer">
        {passed(seconds)}
      </span>
      {(seconds >= OFFERED_AFTER || asked !== "no") && (
        <button
          type="button"
          className="quiet-button"
          aria-label={under ? undefined : t("Go on without it: {{member}}", { member: name })}
          title={t(
            "It counts as failed and is not asked again in this run. What has arrived is kept.",
          )}
          aria-disabled={under}
          onClick={under ? undefined : skip}
        >
          {under ? t("Going on…") : t("Go on without it")}
        </button>
      )}
      {typeof asked === "object" && (
        <Notice tone="bad" urgent>
          {asked.type !== "not-awaited" && <strong>{t("It is still waited for.")}</strong>}{" "}
          {asked.message}
        </Notice>
      )}
    </div>
  );
}
