import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { publishedOn } from "./address";

// West of Greenwich it is still the day before when a day begins there.
beforeEach(() => {
  vi.stubEnv("TZ", "America/New_York");
});
afterEach(() => {
  vi.unstubAllEnvs();
});

it.each([
  ["2024-08-01", "Aug 1, 2024"],
  ["2024-08-01T00:00:00", "Aug 1, 2024"],
  ["2024-08-01T00:00:00Z", "Aug 1, 2024"],
  ["Thu, 01 Aug 2024 00:00:00 GMT", "Aug 1, 2024"],
  ["2 days ago", "2 days ago"],
  ["2024-13-01", "2024-13-01"],
])("a source of %s is of %s, wherever it is read", (published, day) => {
  expect(publishedOn({ published })).toBe(day);
});
