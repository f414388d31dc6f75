import { useEffect, useRef } from "react";
import { t } from "../../i18n";
import { CopyButton } from "../../ui/copy";
import { Notice } from "../../ui/notice";

/** A secret that was just made, for the only time that it is shown. */
export function Secret({ secret, onClose }: { secret: string; onClose: () => void }) {
  const box = useRef<HTMLDivElement>(null);
  // The button that asked for it may be gone.
  useEffect(() => box.current?.focus(), []);
  return (
    <Notice urgent>
      <div ref={box} tabIndex={-1} className="secret-box">
        <p>
          <strong>{t("This is its secret.")}</strong> {t("Copy it now: it is not shown again.")}{" "}
          {t("The receiver checks with it that a delivery comes from here.")}
        </p>
        <div className="secret">
          <code>{secret}</code>
          <CopyButton label={t("Copy")} name={t("Copy the secret")} text={() => secret} />
          <button type="button" className="quiet-button" onClick={onClose}>
            {t("Done")}
          </button>
        </div>
      </div>
    </Notice>
  );
}
