import { afterEach, expect, it, vi } from "vitest";
import { api } from "../../api/client";
import type { ConversationSummary } from "../../api/types";
import { button, click, render, settled, type } from "../../test/render";
import ChoosingBar from "./choosing-bar";

afterEach(() => vi.restoreAllMocks());

const item = (id: string) =>
  ({ id, title: `About ${id}`, tags: [] }) as unknown as ConversationSummary;

const asked = async (count: number, archived: boolean, action: string) => {
  HTMLDialogElement.prototype.showModal = () => undefined;
  const items = [item("ants"), item("bees")];
  const choosing = { chosen: items.slice(0, count), set: () => undefined, leave: () => undefined };
  await render(
    <ChoosingBar
      key={`${count} ${action} ${archived}`}
      items={items}
      choosing={choosing as never}
      archived={archived}
    />,
  );
  await click(button(action));
  return document.querySelector("dialog")?.textContent ?? "";
};

it.each([
  [1, false, "Delete", "Delete 1 conversation?"],
  [2, false, "Delete", "Delete 2 conversations?"],
  [1, false, "Archive", "Archive 1 conversation?"],
  [1, true, "Restore", "Restore 1 conversation?"],
])("what is asked of %i (archived: %s, %s) reads well", async (count, archived, action, title) => {
  const said = await asked(count, archived, action);
  expect(said).toContain(title);
  // The same words for one as for many.
  expect(said).not.toMatch(/\bThey\b/);
  expect(said).toMatch(/conversations .*(restored|the list)/i);
});

it("a tag that was refused is still in the box, with those that have not got it", async () => {
  vi.spyOn(api, "tags").mockResolvedValue({ tags: [], suggestions: [] } as never);
  vi.spyOn(api, "setTags").mockRejectedValue(new TypeError("Failed to fetch"));
  const choosing = { chosen: [item("ants")], set: () => undefined, leave: () => undefined };
  const page = await render(
    <ChoosingBar items={[item("ants")]} choosing={choosing as never} archived={false} />,
  );
  await click(button("Tag"));
  await type(page.querySelector<HTMLInputElement>("input.rename"), "sea");
  await click(button("Add"));
  await settled("It failed for 1 of them");
  const box = page.querySelector<HTMLInputElement>("input.rename");
  expect(box?.value).toBe("sea");
  expect(document.activeElement).toBe(box);
});
