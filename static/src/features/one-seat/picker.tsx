import { t } from "../../i18n";
import { shortName } from "../../ui/format";
import { chairman } from "./ask";

interface Props {
  /** The seats that have answered in the conversation, by their names. */
  seats: readonly string[];
  /** Whom the next question is for; null: the whole council. */
  chosen: string | null;
  onChange: (to: string | null) => void;
}

/** Asks one seat alone: a member what it meant, or the chairman without the council. */
export function DirectPicker({ seats, chosen, onChange }: Props) {
  // The one that is chosen in any case: that it has answered may stand further up, where nothing is read yet.
  const known = chosen === null ? seats : new Set([...seats, chosen]);
  const others = [...known].filter((seat) => seat !== chairman);
  return (
    <select
      className={chosen === null ? "chip" : "chip chip-chosen"}
      aria-label={t("Who is asked")}
      value={chosen ?? ""}
      onChange={(event) => onChange(event.target.value || null)}
    >
      <option value="">{t("To the council")}</option>
      {others.map((seat) => (
        <option key={seat} value={seat}>
          {t("Only to {{member}}", { member: shortName(seat) })}
        </option>
      ))}
      <option value={chairman}>{t("Only to the chairman")}</option>
    </select>
  );
}
