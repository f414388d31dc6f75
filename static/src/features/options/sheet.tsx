import { useId } from "react";
import { t } from "../../i18n";
import { Dialog } from "../../ui/dialog";
import { useModal } from "../../ui/modal";
import { keepFromAsking, type OptionBarProps } from "./option-bar";
import OptionList from "./option-list";

/** The list on a phone: a sheet from the foot of the screen. */
export default function Sheet({
  onClose,
  picker,
  ...props
}: OptionBarProps & { onClose: () => void }) {
  const dialog = useModal();
  const id = useId();
  return (
    <Dialog
      dialog={dialog}
      className="sheet"
      aria-labelledby={`${id}-title`}
      onClose={onClose}
      onKeyDown={keepFromAsking}
    >
      <div className="sheet-body">
        <header className="sheet-head">
          <h2 id={`${id}-title`}>{t("Options")}</h2>
          <button type="button" className="button" onClick={() => dialog.current?.close()}>
            {t("Done")}
          </button>
        </header>
        {picker && (
          <div className="sheet-picker">
            {/* The picker says it itself to those who hear. */}
            <span aria-hidden="true">{t("Council to ask")}</span>
            {picker}
          </div>
        )}
        <OptionList {...props} />
      </div>
    </Dialog>
  );
}
