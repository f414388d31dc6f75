import { afterEach, expect, it, vi } from "vitest";
import { api } from "../../api/client";
import { remove } from "./changes";

afterEach(() => history.replaceState(null, "", "/"));

it.each([
  ["leads away from where it was", "/c/c-1", [["/"]]],
  ["leaves alone whoever has gone on to another one", "/c/c-2", []],
])("deleting a conversation %s", async (_, path, gone) => {
  let done = () => {};
  vi.spyOn(api, "remove").mockReturnValue(
    new Promise((resolve) => {
      done = () => resolve({});
    }),
  );
  history.replaceState(null, "", "/c/c-1");
  const go = vi.fn<(path: string) => void>();
  const item = { id: "c-1", title: "Tides", title_is_default: false, pinned: false };
  const removed = remove(item, { is: true, go });
  history.replaceState(null, "", path);
  done();
  await removed;
  expect(go.mock.calls).toEqual(gone);
});
