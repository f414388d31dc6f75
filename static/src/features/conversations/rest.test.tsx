import { act } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import { api } from "../../api/client";
import { Problem } from "../../api/problem";
import { queryClient } from "../../api/queries";
import type { AssistantMessage } from "../../api/types";
import { button, click, render, settled } from "../../test/render";
import { newConversation, nextBranch, useConversation } from "../asking/conversation";
import { Rest } from "./rest";

const answer = (more: Partial<AssistantMessage>) =>
  ({ role: "assistant", id: "a1", parent_id: null, metadata: {}, ...more }) as AssistantMessage;

const read = vi.fn<typeof api.conversation>();
/** Whether the server hands out only what a page opens with. */
let refuses: boolean;

function Page() {
  const { data } = useConversation("c");
  if (!data) return null;
  const isBrief = data.messages.some(
    (message) => message.role === "assistant" && typeof message.brief === "string",
  );
  return isBrief ? (
    <>
      <p>Read briefly.</p>
      <Rest id="c" />
    </>
  ) : (
    <p>All is there.</p>
  );
}

beforeEach(() => {
  queryClient.clear();
  nextBranch.clear();
  history.replaceState(null, "");
  refuses = false;
  read.mockReset().mockImplementation(async (_, __, whole) => {
    if (refuses && whole === undefined) throw new Problem("refused", "Not now.", 500);
    const message = answer(whole === undefined ? {} : { brief: "So it is." });
    return { ...newConversation("c"), running: false, messages: [message] };
  });
  vi.spyOn(api, "conversation").mockImplementation(read);
  vi.stubGlobal("requestIdleCallback", (work: () => void) => setTimeout(work));
  vi.stubGlobal("cancelIdleCallback", clearTimeout);
});

it("a page opens with the newest answers, and reads all of them once it stands", async () => {
  await render(<Page />, queryClient);
  await settled("All is there.");
  expect(read.mock.calls).toEqual([
    ["c", undefined, 6],
    ["c", "a1"],
  ]);
});

it("what could not be read is said, and read on a press", async () => {
  refuses = true;
  const page = await render(<Page />, queryClient);
  await settled("What led to the earlier answers could not be loaded: Not now.");
  expect(page.textContent).toContain("Read briefly.");
  refuses = false;
  await click(button("Try again"));
  await settled("All is there.");
});

it("what a search has found may be anywhere: all is read at once", async () => {
  history.replaceState({ words: ["so"], snippet: "So it is." }, "");
  await render(<Page />, queryClient);
  await settled("All is there.");
  expect(read.mock.calls).toEqual([["c", undefined]]);
});

it("a branch that is asked on while the rest comes is still the next one to be read", async () => {
  let come = () => {};
  const held = new Promise<void>((done) => {
    come = done;
  });
  const brief = read.getMockImplementation();
  read.mockImplementation(async (id, branch, whole) => {
    if (whole === undefined) await held;
    if (!brief) throw new Error("nothing is read");
    return brief(id, branch, whole);
  });
  await render(<Page />, queryClient);
  await settled("Read briefly.");
  await vi.waitFor(async () => {
    await act(async () => undefined);
    expect(read).toHaveBeenCalledTimes(2);
  });
  nextBranch.set("c", "a2");
  come();
  await settled("All is there.");
  expect(nextBranch.get("c")).toBe("a2");
});
