import "../../styles/cache.css";
import { t } from "../../i18n";
import { isLive, type RunState } from "../../run/state";
import { Banner } from "./banner";
import { Offer } from "./offer";
import type { CacheState } from "./state";
import { earlierFrom } from "./words";

/** What there is of an earlier answer: it is looked for, it is offered, or it is what is shown. */
export default function EarlierAnswer({
  run,
  state,
}: {
  run: RunState;
  state: Exclude<CacheState, { status: "miss" }>;
}) {
  switch (state.status) {
    case "looking":
      return isLive(run) ? (
        <p className="final-now">
          <span className="link-dot" aria-hidden="true" />
          {t("Looking for an earlier answer…")}
        </p>
      ) : null;
    case "offered":
      return isLive(run) && run.runId ? (
        <Offer
          key={run.runId}
          runId={run.runId}
          earlier={earlierFrom(state.told)}
          until={state.told.expires_at ?? null}
        />
      ) : null;
    case "hit":
      return <Banner earlier={earlierFrom(state.told)} />;
  }
}
