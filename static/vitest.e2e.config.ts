import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["e2e/**/*.test.ts"],
    environment: "node",
    // Each file has a browser and a server of its own. They mostly wait for models, so two share
    // the machine.
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 60_000,
    // A machine under load may starve a browser once. `make test` lists what needed its second attempt.
    retry: 1,
    // A second is not enough on a machine that builds meanwhile.
    expect: { poll: { timeout: 15_000 } },
  },
});
