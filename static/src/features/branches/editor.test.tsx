import { expect, it, vi } from "vitest";
import { identity } from "../../api/identity";
import { keys, queryClient } from "../../api/queries";
import { button, click, render, settled, type } from "../../test/render";
import { config } from "../../test/samples";
import { Toasts } from "../../ui/toast";
import { start } from "../asking/session";
import Editor from "./editor";

vi.mock(import("../asking/session"), async (original) => ({
  ...(await original()),
  start: vi.fn(),
}));

it("a question that was put away is no longer offered once another was asked in its place", async () => {
  await identity.note("ann");
  queryClient.setQueryDefaults(keys.config, { enabled: false });
  queryClient.setQueryDefaults(keys.presets, { enabled: false });
  queryClient.setQueryData(keys.config, config);
  const at = { conversationId: "c1", questionId: "q1", parentId: null, siblings: [], turn: 0 };
  const place = await render(
    <>
      <Editor place={at} question="What is a tide?" files={[]} />
      <Toasts />
    </>,
    queryClient,
  );
  const box = () => place.querySelector("textarea");
  await type(box(), "What is a wave?");
  await click(button("Cancel"));
  await settled("The changed question was put away.");
  // Opened again, and asked.
  await type(box(), "What is a current?");
  await click(button("Ask"));
  expect(start).toHaveBeenCalledExactlyOnceWith(
    "c1",
    expect.objectContaining({ content: "What is a current?" }),
    "q1",
  );
  expect(place.textContent).not.toContain("put away");
});
