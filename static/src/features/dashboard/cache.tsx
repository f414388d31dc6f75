import { t } from "../../i18n";
import { money } from "../../ui/format";
import { Figure } from "./figure";
import { compact } from "./figures";

interface Cached {
  cached_tokens: number;
  /** Below 0 where keeping cost more than it saved. */
  cache_saved_usd?: number | null;
}

function saved(usd: number | null | undefined) {
  if (usd === null || usd === undefined) return <span className="unknown">{t("unknown")}</span>;
  return usd < 0 ? `−${money(-usd)}` : money(usd);
}

/** What providers did not charge for prompts that they had kept, less what keeping cost; nothing where they kept none. */
export function CacheFigure({ of }: { of: Cached }) {
  if (!of.cached_tokens && !of.cache_saved_usd) return null;
  return (
    <Figure
      name={t("Saved by caches")}
      note={t("{{tokens}} tokens read from them", { tokens: compact(of.cached_tokens) })}
    >
      {saved(of.cache_saved_usd)}
    </Figure>
  );
}
