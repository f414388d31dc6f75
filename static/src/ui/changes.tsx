import { lazy, Suspense } from "react";
import { Details } from "./disclosure";

/** Fetched when the first comparison is opened. */
const TextDiff = lazy(() => import("./text-diff"));

/** "What was changed", closed until somebody asks. */
export function Changes({ before, after }: { before: string; after: string }) {
  return (
    <Details title="What was changed">
      {() => (
        <Suspense fallback={<p className="quiet">Comparing…</p>}>
          <TextDiff before={before} after={after} />
        </Suspense>
      )}
    </Details>
  );
}
