import { defineConfig } from "vitest/config";
import { BaseSequencer, type Reporter, type TestCase, type TestSpecification } from "vitest/node";

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

/** Says of a test that passed only at its second attempt what the first one failed of. */
class FirstAttempts implements Reporter {
  onTestCaseResult(test: TestCase) {
    if (!test.diagnostic()?.flaky) return;
    for (const { message, diff = "", stacks = [] } of test.result().errors ?? []) {
      const where = stacks.map(({ file, line }) => `\n  ${file}:${line}`).join("");
      process.stdout.write(
        `The first attempt of "${test.fullName}" failed: ${message}${where}\n${diff}\n`,
      );
    }
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
    // A machine under load may starve a browser once. `make test` lists what needed its second attempt, and
    // the log says why.
    retry: 1,
    reporters: ["default", new FirstAttempts()],
    // A second is not enough on a machine that builds meanwhile.
    expect: { poll: { timeout: 15_000 } },
  },
});
