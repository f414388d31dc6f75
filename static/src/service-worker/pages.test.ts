import { expect, it } from "vitest";
import { pageFor } from "./pages";

const open = (...paths: string[]) =>
  paths.map((path) => ({ url: `https://council.example.com${path}` }));

it.each([
  ["in the page that was opened with it", ["/", "/c/1"], "/c/1"],
  ["else in any other", ["/docs/", "/settings", "/"], "/settings"],
  ["in none that is not of the app", ["/docs/", "/openapi.json", "/api/me/export"], null],
  ["in none where none is open", [], null],
])("a notification is opened %s", (_, paths, chosen) => {
  const page = pageFor(open(...paths), "/c/1");
  expect(page ? new URL(page.url).pathname : null).toBe(chosen);
});
