import { useId, useState } from "react";
import { t } from "../../i18n";
import { Dialog } from "../../ui/dialog";
import { DialogHead } from "../../ui/dialog-head";
import { Icon } from "../../ui/icon";
import { useModal } from "../../ui/modal";
import { contentOf } from "./chosen";
import type { AttachedFile } from "./question-files";
import { bytes } from "./size";

/** A picture, as large as the page, closed by its button, by Escape, and by a press outside it. */
export default function PictureView({
  file,
  onClose,
}: {
  file: AttachedFile;
  onClose: () => void;
}) {
  const dialog = useModal();
  const [broken, setBroken] = useState(false);
  const id = useId();
  const { filename, size, width, height } = file;
  const pixels = width && height ? `${width} × ${height}` : null;
  const facts = [pixels, size === undefined ? null : bytes(size)].filter((fact) => fact !== null);
  return (
    <Dialog dialog={dialog} className="picture-view" aria-labelledby={id} onClose={onClose}>
      <DialogHead dialog={dialog} id={id} title={<bdi>{filename}</bdi>}>
        {facts.length > 0 && <span className="file-more">{facts.join(" · ")}</span>}
        <a
          className="icon-button"
          href={contentOf(file.id)}
          download={filename}
          aria-label={t("Save {{name}}", { name: filename })}
          title={t("Save {{name}}", { name: filename })}
        >
          <Icon name="download" />
        </a>
      </DialogHead>
      {broken ? (
        <p className="picture-broken">{t("This picture cannot be read.")}</p>
      ) : (
        <img
          src={contentOf(file.id)}
          alt={t("Picture: {{name}}", { name: filename })}
          onError={() => setBroken(true)}
        />
      )}
    </Dialog>
  );
}
