import "../../styles/versions.css";
import { t } from "../../i18n";
import { Icon } from "../../ui/icon";

interface Props {
  /** The one that is shown, 1 is the oldest. */
  at: number;
  count: number;
  onChange: (at: number) => void;
}

/** Goes through the questions that were asked in one place. */
export default function Siblings({ at, count, onChange }: Props) {
  return (
    <nav className="versions versions-row" aria-label={t("Versions of this question")}>
      <button
        type="button"
        className="icon-button versions-back"
        aria-label={t("Previous version of the question")}
        aria-disabled={at === 1}
        onClick={() => at > 1 && onChange(at - 1)}
      >
        <Icon name="chevron" />
      </button>
      <span role="status">{t("Question {{at}} of {{all}}", { at, all: count })}</span>
      <button
        type="button"
        className="icon-button"
        aria-label={t("Next version of the question")}
        aria-disabled={at === count}
        onClick={() => at < count && onChange(at + 1)}
      >
        <Icon name="chevron" />
      </button>
    </nav>
  );
}
