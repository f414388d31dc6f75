import { lazy, Suspense } from "react";
import { t } from "../../i18n";
import { orMissing } from "../../ui/part";
import type { About, MoreProps } from "../feature";

const Choose = lazy(() => orMissing(import("./choose")));

export const about: About = {
  tell: () => ({
    what: t("Criteria by which the reviewers judge; the members do not see them."),
    cost: t("No extra calls; each review is that much longer to read."),
  }),
  More: (props: MoreProps) => (
    <Suspense fallback={<p className="quiet">{t("Loading…")}</p>}>
      <Choose {...props} />
    </Suspense>
  ),
};
