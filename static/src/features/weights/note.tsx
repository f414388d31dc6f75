import { lazy, Suspense } from "react";
import { t } from "../../i18n";
import type { RunState } from "../../run/state";
import { Details } from "../../ui/disclosure";
import { orMissing } from "../../ui/part";
import { type WeightsInfo, weightsOf } from "./state";

const Table = lazy(() => orMissing(import("./table")));

function summary(weights: WeightsInfo, { aggregate }: RunState): string {
  if (aggregate.some((row) => row.weights_applied)) return t("What each ballot weighed");
  if (!weights.has_historical_data) return t("Weights: all the same, no model has a record yet");
  return t("Weights: they made no difference");
}

/** Whether the weights made a difference, and what each ballot weighed. */
export function WeightsNote({ run }: { run: RunState }) {
  const weights = weightsOf(run);
  if (!weights) return null;
  return (
    <Details title={summary(weights, run)}>
      {() => (
        <Suspense fallback={<p className="quiet">{t("Loading…")}</p>}>
          <Table weights={weights} />
        </Suspense>
      )}
    </Details>
  );
}
