import { t } from "../../i18n";

/** How much of a list is shown, and the way to the rest. */
export function More({
  shown,
  hasMore,
  busy,
  label,
  onMore,
}: {
  /** How much that is, and whether it is all there is. */
  shown: string;
  hasMore: boolean;
  busy: boolean;
  label: string;
  onMore: () => void;
}) {
  return (
    <p className="more">
      <span className="quiet" role="status">
        {shown}
      </span>
      {hasMore && (
        <button type="button" className="button" disabled={busy} onClick={onMore}>
          {busy ? t("Loading…") : label}
        </button>
      )}
    </p>
  );
}
