import { useId } from "react";
import { msg, t } from "../../i18n";
import { count } from "../../ui/format";
import { Icon } from "../../ui/icon";
import { bytes } from "./size";
import type { Limits } from "./upload";

interface Props {
  limits: Limits;
  onChoose: (chosen: readonly File[]) => void;
}

/** What opens the list of the machine's files. It is the browser's own control: it needs no script that comes late. */
export function AttachButton({ limits, onChoose }: Props) {
  const id = useId();
  const rule = t(
    limits.max_image_bytes > 0
      ? msg("Text, code, PDF, DOCX or pictures; up to {{size}} each, {{most}} at most")
      : msg("Text, code, PDF or DOCX; up to {{size}} each, {{most}} at most"),
    { size: bytes(limits.max_bytes), most: count(limits.max_per_question) },
  );
  return (
    <label className="chip attach-button" title={rule}>
      <input
        type="file"
        multiple
        className="visually-hidden"
        aria-label={t("Add files")}
        aria-describedby={id}
        onChange={(event) => {
          const chosen = [...(event.target.files ?? [])];
          // The same file may be chosen again after it was taken out.
          event.target.value = "";
          onChoose(chosen);
        }}
      />
      <Icon name="clip" />
      <span aria-hidden="true">{t("Files")}</span>
      <span id={id} hidden>
        {rule}
      </span>
    </label>
  );
}
