/** What is known of it before a run has it: see `feature.ts`. */
import { msg, t } from "../../i18n";
import type { FeatureStart } from "../feature";

const wordsIn = (value: unknown) =>
  typeof value === "string" && value.trim() !== "" ? value : undefined;

export const start = {
  name: "rubric",
  title: msg("Rubric"),
  written: {
    field: "rubric",
    group: "reviews",
    everyFormat: true,
    read(kept) {
      if (typeof kept !== "object" || kept === null) return undefined;
      const { id, version, text, name } = kept as Record<string, unknown>;
      const called = wordsIn(name) === undefined ? {} : { name: wordsIn(name) };
      if (typeof id === "string") {
        return { id, ...called, ...(typeof version === "number" && { version }) };
      }
      return wordsIn(text) === undefined ? undefined : { text: wordsIn(text), ...called };
    },
    none: { text: "" },
    once: ({ id }) => !id,
    chip: ({ name }) => (name ? t("Rubric: {{name}}", { name }) : t("A rubric of its own")),
  },
} satisfies FeatureStart;
