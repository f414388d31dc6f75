import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["e2e/views/screenshots.ts"],
    environment: "node",
    // Each view in four shapes.
    testTimeout: 180_000,
    hookTimeout: 120_000,
  },
});
