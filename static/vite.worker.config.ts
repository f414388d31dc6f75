import { defineConfig } from "vite";

/** The service worker, after the page: one file that imports nothing, under a name that stays. */
export default defineConfig({
  build: {
    target: ["chrome123", "firefox121", "safari17.5"],
    emptyOutDir: false,
    copyPublicDir: false,
    rollupOptions: {
      input: "src/service-worker/main.ts",
      output: { format: "iife", entryFileNames: "service-worker.js" },
    },
  },
});
