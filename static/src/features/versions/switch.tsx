import "../../styles/versions.css";
import { t } from "../../i18n";
import { Icon } from "../../ui/icon";

interface Props {
  /** The one that is shown, 1 is the oldest. */
  at: number;
  count: number;
  onChange: (at: number) => void;
}

/** Goes through the answers a question has had. */
export default function VersionSwitch({ at, count, onChange }: Props) {
  const isLatest = at === count;
  return (
    <div className="versions">
      <nav className="versions-row" aria-label={t("Versions of this answer")}>
        <button
          type="button"
          className="icon-button versions-back"
          aria-label={t("Previous answer")}
          aria-disabled={at === 1}
          onClick={() => at > 1 && onChange(at - 1)}
        >
          <Icon name="chevron" />
        </button>
        <span role="status">{t("Answer {{at}} of {{all}}", { at, all: count })}</span>
        <button
          type="button"
          className="icon-button"
          aria-label={t("Next answer")}
          aria-disabled={isLatest}
          onClick={() => !isLatest && onChange(at + 1)}
        >
          <Icon name="chevron" />
        </button>
      </nav>
      {!isLatest && (
        <p className="versions-note">
          {t(
            "This is an earlier answer. You can read and copy it; your next question continues from the latest one.",
          )}{" "}
          <button type="button" className="quiet-button" onClick={() => onChange(count)}>
            {t("Show the latest")}
          </button>
        </p>
      )}
    </div>
  );
}
