import { Fragment, useId } from "react";
import type { Ask } from "../../api/types";
import { t } from "../../i18n";
import { T } from "../../i18n/t";
import { shortName } from "../../ui/format";
import { Icon } from "../../ui/icon";
import { toast } from "../../ui/toast";
import { next, useNext } from "../asking/next";
import type { Waiting } from "../asking/pending";
import { askNext } from "../asking/session";
import { type Asked, files } from "../attachments/chosen";
import { chairman } from "../one-seat/ask";
import { writtenIn } from "../options/choices";
import { drafts } from "./draft";
import { focusComposer } from "./focus";

const named = (asked: Asked) =>
  asked.map((file) => (typeof file === "string" ? file.slice(0, 12) : (file.filename ?? file.id)));

/** Who will be asked. */
function whom({ direct_to }: Ask): string {
  if (!direct_to) return t("To the council");
  return direct_to === chairman
    ? t("Only to the chairman")
    : t("Only to {{member}}", { member: shortName(direct_to) });
}

function when(at: number, running: boolean): string {
  if (!running) return t("Not asked yet");
  return at === 0
    ? t("Asked as soon as this answer is ready")
    : t("Asked after the question before it");
}

interface Props {
  id: string;
  waiting: Waiting;
  /** Its place among those that wait. */
  at: number;
  running: boolean;
}

function WaitingOne({ id, waiting, at, running }: Props) {
  const text = useId();
  const { body, idempotencyKey } = waiting;
  const edit = () => {
    const taken = next.take(id, idempotencyKey);
    if (!taken) return;
    const { content, direct_to: to = null, attachments } = taken.body;
    drafts.giveBack(id, { content, to, choices: writtenIn(taken.body) });
    files.bringBack(id, attachments);
    focusComposer();
  };
  const remove = () => {
    const taken = next.take(id, idempotencyKey);
    focusComposer();
    if (!taken) return;
    toast(t("The question was removed."), {
      action: { label: t("Undo"), run: () => next.putBack(id, at, taken) },
    });
  };
  const attached = named(body.attachments ?? []);
  return (
    <li className="waiting-question">
      <div>
        <p className="waiting-state">
          <span>{whom(body)}</span> · <span>{when(at, running)}</span>
        </p>
        <p id={text} dir="auto" className="waiting-text">
          {body.content}
        </p>
        {attached.length > 0 && (
          <p dir="auto" className="waiting-state">
            <T
              text="With {{files}}"
              parts={{
                files: attached.map((name, place) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: two may have one name, and none moves
                  <Fragment key={place}>
                    {place > 0 && ", "}
                    <span className="waiting-file" title={name}>
                      {name}
                    </span>
                  </Fragment>
                )),
              }}
            />
          </p>
        )}
      </div>
      {!running && at === 0 && (
        <button type="button" className="quiet-button" onClick={() => askNext(id)}>
          {t("Ask now")}
        </button>
      )}
      <button type="button" className="quiet-button" aria-describedby={text} onClick={edit}>
        {t("Edit")}
      </button>
      <button
        type="button"
        className="icon-button"
        aria-label={t("Remove the next question")}
        aria-describedby={text}
        title={t("Remove the next question")}
        onClick={remove}
      >
        <Icon name="close" />
      </button>
    </li>
  );
}

/** The questions that wait for the answer of the one before, above the composer. */
export function WaitingQuestions({ id, running }: { id: string; running: boolean }) {
  const waiting = useNext(id);
  const last = waiting.at(-1);
  return (
    <>
      <p className="visually-hidden" role="status">
        {last && `${whom(last.body)} · ${when(waiting.length - 1, running)}`}
      </p>
      {last && (
        <section
          className="waiting-questions"
          aria-label={waiting.length > 1 ? t("Next questions") : t("Next question")}
        >
          <ol>
            {waiting.map((one, at) => (
              <WaitingOne
                key={one.idempotencyKey}
                id={id}
                waiting={one}
                at={at}
                running={running}
              />
            ))}
          </ol>
        </section>
      )}
    </>
  );
}
