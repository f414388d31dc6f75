import "../../styles/confirm.css";
import "../../styles/sharing.css";
import { useEffect, useId, useState } from "react";
import { eachOnce } from "../../api/pages";
import { useProjects } from "../../api/projects";
import { type Share, useShares } from "../../api/shares";
import { msg, t } from "../../i18n";
import { Dialog } from "../../ui/dialog";
import { DialogHead } from "../../ui/dialog-head";
import { useModal } from "../../ui/modal";
import { ReadFailed } from "../../ui/read-failed";
import { Toasts } from "../../ui/toast";
import { type Shareable, ShareForm } from "./form";
import { ShowMore } from "./more";
import { ProjectLink } from "./project-link";
import { madeOn, ShareRow } from "./row";

function Links({ conversation }: { conversation: Shareable }) {
  const list = useShares(conversation.id);
  const projects = useProjects();
  const [fresh, setFresh] = useState<Share | null>(null);
  const title = useId();
  if (list.isPending || projects.isPending) return <p className="quiet">{t("Loading links…")}</p>;
  if (!list.data) {
    return <ReadFailed text={msg("Links could not be loaded: {{reason}}")} query={list} />;
  }
  const most = list.data.pages[0]?.max_days ?? 0;
  const read = eachOnce(list.data.pages, (page) => page.shares);
  // There before the list is read again, and also where it cannot be.
  const isRead = fresh === null || read.some(({ id }) => id === fresh.id);
  const shares = isRead ? read : [fresh, ...read];
  return (
    <>
      {most > 0 ? (
        <ShareForm
          conversation={conversation}
          most={most}
          projects={projects.data ?? []}
          onMade={setFresh}
        />
      ) : (
        <p>{t("Sharing is switched off on this server.")}</p>
      )}
      {shares.length > 0 && (
        <section className="share-links" aria-labelledby={title}>
          <h3 id={title}>{t("Links to this conversation")}</h3>
          <ul className="shares">
            {shares.map((share) => (
              <ShareRow
                key={share.id}
                share={share}
                name={madeOn(share)}
                fresh={share.id === fresh?.id}
                otherwise={most > 0 ? ".share-make" : ".share-close"}
                onStopped={() => setFresh((now) => (now?.id === share.id ? null : now))}
              />
            ))}
          </ul>
          <ShowMore list={list} />
        </section>
      )}
    </>
  );
}

/** What sharing means, a new link, and those that there are. */
export default function ShareDialog({
  conversation,
  onClose,
}: {
  conversation: Shareable;
  onClose: () => void;
}) {
  const dialog = useModal();
  const projects = useProjects().data ?? [];
  const id = useId();
  // Not the way out. The fields come later, once it is known which there are.
  useEffect(() => {
    const heading = document.getElementById(`${id}-title`);
    if (!heading) return;
    heading.tabIndex = -1;
    heading.focus();
  }, [id]);
  return (
    <Dialog
      dialog={dialog}
      className="confirm share-dialog"
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-text`}
      onClose={onClose}
    >
      <div className="confirm-body">
        <DialogHead dialog={dialog} id={`${id}-title`} title={t("Share this conversation")} />
        <p id={`${id}-text`}>
          {t(
            projects.length > 0
              ? "The link shows this branch as it is now. What you ask later, your files and your settings are not shared."
              : "Everybody who is signed in here and has the link can read this branch as it is now. What you ask later, your files and your settings are not shared.",
          )}
        </p>
        {conversation.project_id && (
          <ProjectLink project={conversation.project_id} conversation={conversation.id} />
        )}
        <Links conversation={conversation} />
      </div>
      <Toasts />
    </Dialog>
  );
}
