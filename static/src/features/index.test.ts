/** What keeps an option of the council in one folder and one line of the list. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { features } from ".";

const src = join(import.meta.dirname, "..");

const files = readdirSync(src, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.(tsx?|css)$/.test(entry.name))
  .map((entry) => relative(src, join(entry.parentPath, entry.name)))
  .map((path) => ({ path, text: readFileSync(join(src, path), "utf8") }));

/** What it imports, as paths from `src`. */
const importsOf = ({ path, text }: (typeof files)[number]) =>
  [...text.matchAll(/(?:from|import|import\() ?"(\.[^"]*)"/g)].map(([, to = ""]) =>
    join(path, "..", to),
  );

it.each(["api", "i18n", "markdown", "run", "stream", "ui"])("%s/ imports no feature", (room) => {
  const own = files.filter(({ path }) => path.startsWith(`${room}/`));
  expect(own.length).toBeGreaterThan(0);
  const upwards = own.flatMap((file) =>
    importsOf(file)
      .filter((to) => /^(features|pages)\b/.test(to))
      .map((to) => `${file.path} → ${to}`),
  );
  expect(upwards).toEqual([]);
});

/** How the code refers to features whose names are everyday words. */
const calledOtherwise: Record<string, RegExp> = {
  // Browsers, providers and this page have caches of their own.
  cache: /use_cache|\bcache_(?:mode|offer|hit|miss)\b/,
  chairmen: /multi_?chairm|multi_synthesis|several chairmen/i,
  // "Debate" is an everyday word; the names of its formats are not.
  debate: /arena|all_to_all|\brotation\b/i,
  consensus: /(?<!weighted_)consensus/i,
  // Files of questions may be pictures whether or not a run says who saw them.
  pictures: /\bpicturesOf\b|\bPicturesInfo\b|\bseen_by\b/,
  // The library that the page is built with has that name, too.
  react: /\bReAct\b/,
  // Shapes of the server, and the page on how to set searches up, are not the option.
  research: /use_research|research_model/,
  // The library has such texts whether or not a question is asked with one.
  rubric: /\brubricOf\b|\bmetadata\.rubric\b|\bChosenRubric\b/,
  sources: /sourcesOf|citedIn/,
  tools: /use_tools|tools_max_rounds/,
  "step-by-step": /step.?by.?step/i,
  // What the server says of a run without reviews has that name, too.
  unreviewed: /use_reviews/,
  weights: /weights_info|weighted votes/i,
};

describe.each(features.map((feature) => [feature.name, feature] as const))(
  "%s",
  (name, feature) => {
    const isOwn = (path: string) =>
      path.startsWith(`features/${name}/`) || path === `styles/${name}.css`;

    it("is named in its folder, in the list, and in one more file at most", () => {
      const names = [
        calledOtherwise[name] ?? new RegExp(name, "i"),
        ...(feature.option ? [new RegExp(`\\b${feature.option.field}\\b`)] : []),
      ];
      const elsewhere = files
        .filter(({ path }) => !/\.test\.tsx?$|\.d\.ts$|^test\//.test(path) && !isOwn(path))
        .filter(
          (file) =>
            names.some((one) => one.test(file.text)) ||
            importsOf(file).some((to) => to.startsWith(`features/${name}/`)),
        )
        .map(({ path }) => path)
        .filter((path) => path !== "features/list.ts");
      expect(elsewhere.length, `named in ${elsewhere.join(", ")}`).toBeLessThanOrEqual(1);
    });

    it("imports no other option", () => {
      const others = files
        .filter(({ path }) => isOwn(path))
        .flatMap(importsOf)
        .filter((to) =>
          features.some((other) => other !== feature && to.startsWith(`features/${other.name}/`)),
        );
      expect(others).toEqual([]);
    });

    it("says what its option does", () => {
      const about = files.some(({ path }) => path === `features/${name}/about.tsx`);
      expect(about).toBe(Boolean(feature.option ?? feature.way ?? feature.written));
    });
  },
);

it("what is found by its name belongs to a feature of the list", () => {
  const folders = files.flatMap(
    ({ path }) =>
      /^features\/([^/]+)\/(?:start|feature|about|settings|admin)\.tsx?$/.exec(path)?.[1] ?? [],
  );
  const names = features.map(({ name }) => name);
  expect(folders.filter((folder) => !names.includes(folder))).toEqual([]);
});
