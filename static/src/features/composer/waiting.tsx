import { t } from "../../i18n";
import { Icon } from "../../ui/icon";
import { toast } from "../../ui/toast";
import { next, useNext } from "../asking/next";
import { askNext } from "../asking/session";
import { type Asked, files } from "../attachments/chosen";
import { drafts } from "./draft";
import { focusComposer } from "./focus";

const named = (asked: Asked) =>
  asked.map((file) => (typeof file === "string" ? file.slice(0, 12) : (file.filename ?? file.id)));

/** The question that waits for the answer of the one before, above the composer. */
export function WaitingQuestion({ id, running }: { id: string; running: boolean }) {
  const waiting = useNext(id);
  const edit = () => {
    const taken = next.take(id);
    if (!taken) return;
    const content = [taken.body.content, drafts.read(id).content].filter(Boolean).join("\n\n");
    drafts.write(id, { content });
    files.bringBack(id, taken.body.attachments);
    focusComposer();
  };
  const remove = () => {
    const taken = next.take(id);
    focusComposer();
    toast(t("The question was removed."), {
      action: { label: t("Undo"), run: () => next.write(id, taken) },
    });
  };
  const attached = named(waiting?.body.attachments ?? []);
  const state = running ? t("Asked as soon as this answer is there") : t("Not asked yet");
  return (
    <>
      <p className="visually-hidden" role="status">
        {waiting && state}
      </p>
      {waiting && (
        <section className="waiting-question" aria-label={t("Next question")}>
          <div>
            <p className="waiting-state">{state}</p>
            <p dir="auto" className="waiting-text">
              {waiting.body.content}
            </p>
            {attached.length > 0 && (
              <p dir="auto" className="waiting-state">
                {t("With {{files}}", { files: attached.join(", ") })}
              </p>
            )}
          </div>
          {!running && (
            <button type="button" className="quiet-button" onClick={() => askNext(id)}>
              {t("Ask now")}
            </button>
          )}
          <button type="button" className="quiet-button" onClick={edit}>
            {t("Edit")}
          </button>
          <button
            type="button"
            className="icon-button"
            aria-label={t("Remove the next question")}
            title={t("Remove the next question")}
            onClick={remove}
          >
            <Icon name="close" />
          </button>
        </section>
      )}
    </>
  );
}
