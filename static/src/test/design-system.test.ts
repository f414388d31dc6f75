import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const src = join(import.meta.dirname, "..");
const text = readFileSync(join(src, "../../docs/design-system.md"), "utf8");
const styles = readdirSync(join(src, "styles"))
  .filter((name) => name.endsWith(".css"))
  .map((name) => ({ name, css: readFileSync(join(src, "styles", name), "utf8") }));

it("the page about the design system names what the code has", () => {
  const tokens = [...text.matchAll(/`(--[a-z-]+)`/g)].map(([, name]) => name ?? "");
  expect(tokens.length).toBeGreaterThan(25);
  const base = styles.find(({ name }) => name === "base.css")?.css ?? "";
  expect(tokens.filter((name) => !base.includes(`${name}:`))).toEqual([]);
  const told = [...base.matchAll(/^ {2}(--[a-z-]+):/gm)].map(([, name]) => name ?? "");
  expect(told.filter((name) => !tokens.includes(name))).toEqual([]);

  const parts = [...text.matchAll(/^\| `(\.[a-z-]+)`[^|]*\| `([a-z-]+\.css)`/gm)];
  expect(parts.length).toBeGreaterThan(5);
  for (const [, name, file] of parts) {
    const css = styles.find((one) => one.name === file)?.css ?? "";
    expect(css, `${String(name)} in ${String(file)}`).toMatch(new RegExp(`\\${String(name)}\\b`));
  }
  const modules = [...text.matchAll(/`(ui\/[a-z-]+\.tsx)`/g)].map(([, path]) => path ?? "");
  expect(modules.filter((path) => !existsSync(join(src, path)))).toEqual([]);
});
