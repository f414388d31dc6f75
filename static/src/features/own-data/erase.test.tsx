import { act } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { identity, watchIdentity } from "../../api/identity";
import { keys, queryClient } from "../../api/queries";
import { button, click, render, settled, type } from "../../test/render";
import { keeper, kept, keptInTab } from "../../ui/kept";
import { useSlots } from "../../ui/slots";
import MyData from "./my-data";

const carol = { id: "carol-7", username: "carol-7", display_name: "Carol", is_admin: false };

/** What was confirmed by, and what the server takes for it. */
let confirmed: string[];
let taken: readonly string[];
let erased: boolean;

beforeEach(async () => {
  queryClient.clear();
  queryClient.setQueryData(keys.user, carol);
  useSlots.setState({ page: null, notice: null });
  confirmed = [];
  taken = ["carol-7", "Carol"];
  erased = true;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (path, init = {}) => {
    if (path === "/api/user") return Response.json(carol);
    if (init.method !== "DELETE") return Response.json({ access: [], retention_days: null });
    const { confirm } = JSON.parse(String(init.body));
    confirmed.push(confirm);
    if (taken.includes(confirm)) return Response.json({ status: "ok", erased });
    const errors = [{ field: "confirm", type: "value", message: "must be your user id, carol-7" }];
    const headers = { "content-type": "application/problem+json" };
    return Response.json({ status: 422, errors }, { headers, status: 422 });
  });
  await identity.note(carol.id);
});

let page: HTMLElement;
const open = async () => {
  page = await render(
    <>
      <MyData />
      <Slot />
    </>,
    queryClient,
  );
  await settled("Nobody. Administrators");
  button("Delete everything…")?.focus();
  await click(button("Delete everything…"));
};
const Slot = () => <>{useSlots((slots) => slots.page)}</>;
const box = () => page.querySelector<HTMLInputElement>(".erase-form input");
const press = (key: string) =>
  act(async () =>
    document.activeElement?.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true })),
  );

describe("deleting everything", () => {
  it("says what goes, what becomes of projects, and what stays", async () => {
    await open();
    const said = page.querySelector(".erase-form")?.textContent ?? "";
    for (const part of ["files", "links", "scheduled", "library", "folders", "tokens", "project"]) {
      expect(said, part).toContain(part);
    }
  });

  it.each(["Carol", "carol-7", " Carol "])("is confirmed by %s", async (name) => {
    await open();
    await settled("To confirm, type your user name: Carol");
    await type(box(), name);
    await click(button("Delete everything"));
    await settled("Everything was deleted");
    expect(confirmed).toEqual([name.trim()]);
    expect(document.activeElement?.id).toBe("main");
    expect([identity.user(), keeper.owner()]).toEqual([null, null]);
  });

  it("says that it goes on", async () => {
    erased = false;
    await open();
    await type(box(), "Carol");
    await click(button("Delete everything"));
    await settled("the server goes on by itself");
  });

  it("is not confirmed by anything else, which is said at the box", async () => {
    await open();
    await click(button("Delete everything"));
    expect(confirmed).toEqual([]);
    await type(box(), "Caroline");
    await click(button("Delete everything"));
    await settled("That is not your name here.");
    expect(document.activeElement).toBe(box());
    const id = box()?.getAttribute("aria-describedby") ?? "";
    expect(document.getElementById(id)?.textContent).toBe("That is not your name here.");
    expect(useSlots.getState().page).toBeNull();
  });

  it("is begun and put away by keys, with the focus", async () => {
    await open();
    expect(document.activeElement).toBe(box());
    await press("Escape");
    expect(box()).toBeNull();
    expect(document.activeElement).toBe(button("Delete everything…"));
    await click(button("Delete everything…"));
    await click(button("Keep it"));
    expect(document.activeElement).toBe(button("Delete everything…"));
  });
});

it("in another tab takes what this one shows and keeps", async () => {
  const whoami = vi.fn(async () => undefined);
  let done: Promise<unknown> = Promise.resolve();
  watchIdentity(whoami, () => {
    done = import("./erased-elsewhere");
  });
  kept.write("draft", "of the other tab");
  keptInTab.write("asking:c1", "typed here");
  await render(<Slot />, queryClient);
  await act(async () => {
    dispatchEvent(new StorageEvent("storage", { key: keeper.key, newValue: null }));
    await done;
  });
  await settled("Everything was deleted in another tab");
  expect(JSON.stringify({ ...sessionStorage })).not.toContain("typed here");
  expect([identity.user(), queryClient.getQueryData(keys.user)]).toEqual([null, undefined]);
  expect(whoami).not.toHaveBeenCalled();
  // The other tab sees to what the tabs share, which may be somebody's again by now.
  expect(JSON.stringify({ ...localStorage })).toContain("of the other tab");
});
