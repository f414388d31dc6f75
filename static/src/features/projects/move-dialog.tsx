import { useId, useState } from "react";
import { moveToProject, useProjects } from "../../api/projects";
import type { ConversationSummary } from "../../api/types";
import { msg, t } from "../../i18n";
import { useAttempt } from "../../ui/attempt";
import { complain } from "../../ui/complain";
import { FormDialog } from "../../ui/form-dialog";
import { Notice } from "../../ui/notice";
import { ReadFailed } from "../../ui/read-failed";
import { toast } from "../../ui/toast";
import { titleOf } from "../conversations/title";

type Item = Pick<ConversationSummary, "id" | "title" | "title_is_default" | "project_id">;

function MoveForm({
  item,
  at,
  projects,
  onDone,
}: {
  item: Item;
  at: string | null;
  projects: readonly { id: string; name: string }[];
  onDone: () => void;
}) {
  const name = useId();
  const before = item.project_id ?? null;
  const [to, setTo] = useState(at);
  const { busy, problem, attempt } = useAttempt();
  const move = async () => {
    if (to === before) return;
    await attempt(async () => {
      await moveToProject(item.id, to);
      const project = projects.find(({ id }) => id === to)?.name;
      const title = titleOf(item);
      const undo = () =>
        moveToProject(item.id, before).catch(complain(msg("Not moved: {{message}}")));
      toast(
        project
          ? t("“{{title}}” is in the project {{project}} now.", { title, project })
          : t("“{{title}}” is in no project any more.", { title }),
        { action: { label: t("Undo"), run: undo } },
      );
      onDone();
    });
  };
  const choices = [{ id: null, name: t("No project") }, ...projects];
  return (
    <form
      className="short-form"
      aria-label={t("Move to project")}
      onSubmit={(event) => {
        event.preventDefault();
        move();
      }}
    >
      <fieldset className="choices">
        <legend className="visually-hidden">{t("Project")}</legend>
        {choices.map((choice) => (
          <label key={choice.id}>
            <input
              type="radio"
              name={name}
              checked={choice.id === to}
              onChange={() => setTo(choice.id)}
            />
            <span dir="auto">{choice.name}</span>
          </label>
        ))}
      </fieldset>
      <p className="field-hint">
        {t("Everybody in the project can read the conversation. Only you can ask in it.")}
      </p>
      {problem && (
        <Notice tone="bad" urgent>
          {t("Not moved: {{reason}}", { reason: problem.message })}
        </Notice>
      )}
      <button type="submit" className="button button-main" aria-disabled={busy || to === before}>
        {busy ? t("Moving…") : t("Move")}
      </button>
    </form>
  );
}

/** Puts a conversation into a project in which its author may write, or takes it out of one. */
export default function MoveDialog({
  item,
  to,
  onClose,
}: {
  item: Item;
  /** The project that is chosen at first: the one that it was dropped on. */
  to?: string;
  onClose: () => void;
}) {
  const list = useProjects();
  const open = list.data?.filter(({ role }) => role !== "viewer") ?? [];
  return (
    <FormDialog title={t("Move to project")} onClose={onClose}>
      {list.isPending && <p className="quiet">{t("Loading projects…")}</p>}
      {list.isError && !list.data && (
        <ReadFailed text={msg("Projects could not be loaded: {{reason}}")} query={list} />
      )}
      {list.data && open.length === 0 && !item.project_id && (
        <p>
          {t(
            "You are in no project in which you may write. Create one in the sidebar, or ask the owner of one.",
          )}
        </p>
      )}
      {list.data && (open.length > 0 || item.project_id) && (
        <MoveForm item={item} at={to ?? item.project_id ?? null} projects={open} onDone={onClose} />
      )}
    </FormDialog>
  );
}
