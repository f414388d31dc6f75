import { useState } from "react";
import { Link, useLocation } from "wouter";
import { api } from "../../api/client";
import { asProblem } from "../../api/problem";
import { msg, t } from "../../i18n";
import { T } from "../../i18n/t";
import { complain } from "../../ui/complain";
import { sentence } from "../../ui/format";
import { Icon } from "../../ui/icon";
import { toast } from "../../ui/toast";
import { useAskAnew } from "../again/anew";
import { answeredWhen, type Earlier, keptPath, likeness, saving } from "./words";

/** Up to this length a question is shown in full. */
const shownChars = 160;

const shortened = (text: string) =>
  text.length > shownChars ? `${text.slice(0, shownChars).trimEnd()}…` : text;

/** The conversation is looked up when it is wanted: the run knows it, and few follow the link. */
function Origin({ runId }: { runId: string }) {
  const [, go] = useLocation();
  const [busy, setBusy] = useState(false);
  const open = async () => {
    if (busy) return;
    setBusy(true);
    const here = location.pathname;
    try {
      const { conversation_id } = await api.run(runId);
      // A reader who has gone to another page by then stays there.
      if (location.pathname === here) go(`/c/${conversation_id}`);
    } catch (error) {
      const isGone = asProblem(error).status === 404;
      if (isGone) toast(t("That conversation was deleted."), { tone: "bad" });
      else complain(msg("Not opened: {{message}}"))(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <button type="button" className="quiet-button" aria-disabled={busy} onClick={open}>
      {t("Open that conversation")}
    </button>
  );
}

/** That the answer below is an earlier one, to which question, and the way to a new one. */
export function Banner({ earlier }: { earlier: Earlier }) {
  const askAnew = useAskAnew();
  const { own, question, runId } = earlier;
  const when = answeredWhen(earlier.createdAt);
  const facts = [sentence(likeness(earlier)), saving(earlier, true)].filter(Boolean).join(" · ");
  return (
    <div className="earlier-banner">
      <Icon name="clock" />
      <div>
        <p>
          {question !== null ? (
            <T
              text="{{when}}, for “{{question}}”"
              parts={{
                when: <strong>{when}</strong>,
                question: <bdi>{shortened(question)}</bdi>,
              }}
            />
          ) : (
            <T
              text="{{when}}, for another person; their question and their name are not shown."
              parts={{ when: <strong>{when}</strong> }}
            />
          )}
        </p>
        <p className="quiet">{facts}</p>
      </div>
      <div className="earlier-actions">
        {runId && <Origin runId={runId} />}
        {own && (
          <Link href={keptPath} className="quiet-button">
            {t("Kept answers")}
          </Link>
        )}
        {askAnew && (
          <button
            type="button"
            className="quiet-button"
            title={t("Asks the same question as a new one, and pays for it")}
            onClick={() => askAnew({ use_cache: false })}
          >
            <Icon name="redo" />
            {t("Ask anyway")}
          </button>
        )}
      </div>
    </div>
  );
}
