import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

/** Where `npm run dev` finds the API; the built app is served by that server itself. */
const apiServer = process.env.LLM_COUNCIL_URL ?? "http://localhost:8001";

export default defineConfig({
  plugins: [react()],
  resolve: {
    // The parser's browser version sets innerHTML to decode `&amp;`; the page's policy forbids that
    // for every string, so the table of names is taken instead.
    alias: {
      "decode-named-character-reference": fileURLToPath(
        new URL("node_modules/decode-named-character-reference/index.js", import.meta.url),
      ),
    },
  },
  build: {
    // The first releases that know light-dark() and Array.prototype.with.
    target: ["chrome123", "firefox121", "safari17.5"],
    // The page's CSP allows no inline script and no data: fonts, so nothing is inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    // scripts/compress.mjs holds the first load to its budget.
    chunkSizeWarningLimit: 700,
  },
  server: { proxy: { "/api": { target: apiServer, changeOrigin: true } } },
  test: {
    include: ["src/**/*.test.{ts,tsx}"],
    environment: "happy-dom",
    setupFiles: ["src/test/standards.ts"],
    restoreMocks: true,
    unstubGlobals: true,
  },
});
