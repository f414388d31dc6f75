import { lazy, Suspense } from "react";
import { t } from "../i18n";
import { Details } from "./disclosure";
import { orMissing } from "./part";

/** Fetched when the first comparison is opened. */
const TextDiff = lazy(() => orMissing(import("./text-diff")));

/** "What was changed", closed at first. */
export function Changes({ before, after }: { before: string; after: string }) {
  return (
    <Details title={t("What was changed")}>
      {() => (
        <Suspense fallback={<p className="quiet">{t("Comparing…")}</p>}>
          <TextDiff before={before} after={after} />
        </Suspense>
      )}
    </Details>
  );
}
