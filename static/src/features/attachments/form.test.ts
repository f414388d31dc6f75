import { expect, it } from "vitest";
import { formWith } from "./form";

const notes = new File(["Herons"], "x");

it("an ordinary name goes as the browser writes it", () => {
  const form = formWith(notes, "Über Öl.md");
  if (!(form instanceof FormData)) throw new Error("it is no form");
  expect((form.get("file") as File).name).toBe("Über Öl.md");
});

it("one with a quotation mark goes as it is, which no form of the browser's does", async () => {
  const body = formWith(notes, 'Ann\'s “best” "herons" (1).txt');
  if (body instanceof FormData) throw new Error("it is the browser's");
  const [, boundary = ""] = body.type.split("boundary=");
  const text = await body.text();
  const [, name = ""] = /filename\*=UTF-8''(\S+)\r\n/.exec(text) ?? [];
  expect(name).toMatch(/^[\w.%-]+$/);
  expect(decodeURIComponent(name)).toBe('Ann\'s “best” "herons" (1).txt');
  expect(text.split(`--${boundary}`)).toHaveLength(3);
  expect(text).toContain(`\r\n\r\nHerons\r\n--${boundary}--\r\n`);
  // The type of a blob is in lower case.
  expect(boundary).toBe(boundary.toLowerCase());
});
