import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Longest first. Before any run has told how long files take, that is by their size, and those of the
 * views are the smallest: they would come last and keep one worker busy when the others are done.
 */
class ViewsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const sorted = await super.sort(files);
    const isOfViews = ({ moduleId }: TestSpecification) => /\/views-\w+\.test\.ts$/.test(moduleId);
    return [...sorted.filter(isOfViews), ...sorted.filter((file) => !isOfViews(file))];
  }
}

export default defineConfig({
  test: {
    include: ["e2e/**/*.test.ts"],
    environment: "node",
    // Each file has a browser and a server of its own, and waits for models half of its time: three
    // keep two cores busy, and more would take the time from what is measured.
    maxWorkers: 3,
    sequence: { sequencer: ViewsFirst },
    testTimeout: 120_000,
    hookTimeout: 60_000,
    // A machine under load may starve a browser once. `make test` lists what needed its second attempt.
    retry: 1,
    // A second is not enough on a machine that builds meanwhile.
    expect: { poll: { timeout: 15_000 } },
  },
});
