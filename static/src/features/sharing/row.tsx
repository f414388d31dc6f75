import { type ReactNode, useEffect, useRef } from "react";
import type { Share } from "../../api/shares";
import { t } from "../../i18n";
import { T } from "../../i18n/t";
import { CopyButton } from "../../ui/copy";
import { passFocusOn } from "../../ui/focus";
import { dateFormat, when } from "../../ui/format";
import { useProjectName } from "./project-name";
import { StopSharing } from "./stop";

const day = dateFormat({ dateStyle: "medium" });

/** The day on which it was made, which distinguishes links. */
export const madeOn = ({ created_at }: Share) =>
  t("created {{day}}", { day: day(when(created_at)) });

const addressOf = ({ path }: Share) => new URL(path, location.origin).href;

/** The address itself, to be taken by whatever way: it has the focus, and is all selected. */
function Address({ share }: { share: Share }) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <input
      ref={field}
      type="text"
      className="input share-address"
      readOnly
      aria-label={t("The new link")}
      value={addressOf(share)}
      onFocus={({ currentTarget: field }) => {
        // Backwards, or a long one would show its end.
        field.setSelectionRange(0, field.value.length, "backward");
        field.scrollLeft = 0;
      }}
    />
  );
}

/** For whom it is, where it is not for everybody. */
function Members({ project }: { project: string }) {
  const name = useProjectName(project);
  // Whoever has left it keeps the link.
  if (name === undefined) return t("only for members of a project");
  return <T text="only for members of {{project}}" parts={{ project: <bdi>{name}</bdi> }} />;
}

interface Props {
  share: Share;
  /** What its buttons call it. */
  name: string;
  title?: ReactNode;
  /** It was made a moment ago. */
  fresh?: boolean;
  /** What has the focus once the last link is gone. */
  otherwise: string;
  onStopped?: () => void;
}

/** One link, with what can be done about it. */
export function ShareRow({ share, name, title, fresh = false, otherwise, onStopped }: Props) {
  const place = useRef<HTMLLIElement>(null);
  return (
    <li ref={place} className="share">
      {title}
      {fresh && <Address share={share} />}
      <span className="share-facts">
        {madeOn(share)}
        {" · "}
        {t("works until {{day}}", { day: day(when(share.expires_at)) })}
        {share.project_id && (
          <>
            {" · "}
            <Members project={share.project_id} />
          </>
        )}
      </span>
      <div className="share-actions">
        <CopyButton
          label={t("Copy link")}
          name={t("Copy link: {{name}}", { name })}
          text={() => addressOf(share)}
        />
        <StopSharing
          id={share.id}
          className="quiet-button share-stop"
          label={t("Stop sharing: {{name}}", { name })}
          onStopped={() => {
            passFocusOn(place.current, ".share-stop", otherwise);
            onStopped?.();
          }}
        />
      </div>
    </li>
  );
}
