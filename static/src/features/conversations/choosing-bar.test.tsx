import { expect, it } from "vitest";
import type { ConversationSummary } from "../../api/types";
import { button, click, render } from "../../test/render";
import ChoosingBar from "./choosing-bar";

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
