import { act } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { api } from "../../api/client";
import { keys, queryClient } from "../../api/queries";
import type { ModelList } from "../../api/types";
import { click, render, type } from "../../test/render";
import { ModelPicker } from "./model-picker";

const model = (id: string, provider = "router") => ({
  id,
  name: id,
  provider,
  family: id.split("/")[0] ?? "",
});
const list: ModelList = {
  models: [model("acme/aurora"), model("acme/basil"), model("birch/cedar")],
  errors: [],
};

const added = vi.fn<(model: string) => void>();
let page: HTMLElement;

async function show(data: ModelList = list, more: { full?: boolean; taken?: string[] } = {}) {
  queryClient.setQueryData(keys.models, data);
  page = await render(
    <ModelPicker
      taken={more.taken ?? []}
      takenText="on the list"
      again={false}
      full={more.full ?? false}
      fullText="The list is full."
      onAdd={added}
    />,
    queryClient,
  );
}

const box = () => {
  const found = page.querySelector<HTMLInputElement>('[role="combobox"]');
  if (!found) throw new Error("there is no box");
  return found;
};
const options = () => [...page.querySelectorAll('[role="option"]')];
const said = () => page.querySelector('[role="status"]')?.textContent;
/** The id of the option that the box says it is at. */
const at = () => {
  const id = box().getAttribute("aria-activedescendant");
  const option = id ? document.getElementById(id) : null;
  expect(option?.getAttribute("aria-selected") ?? "true").toBe("true");
  return option?.querySelector(".offer-name")?.textContent ?? option?.textContent ?? null;
};

const search = (text: string) => type(box(), text);
const press = (key: string) =>
  act(async () => {
    box().dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  });

beforeEach(() => {
  queryClient.clear();
  added.mockReset();
  vi.spyOn(api, "user").mockResolvedValue({ id: "ann", is_admin: false } as never);
});

describe("the keys of the picker", () => {
  it("go through all groups and round, and add where they are", async () => {
    await show();
    expect(at()).toBeNull();
    await press("Enter");
    expect(added).not.toHaveBeenCalled();
    await press("ArrowDown");
    expect(at()).toBe("acme/aurora");
    await press("ArrowUp");
    expect(at()).toBe("birch/cedar");
    await press("Enter");
    expect(added).toHaveBeenLastCalledWith("birch/cedar");
    expect(said()).toBe("birch/cedar was added.");
    await press("ArrowDown");
    await press("PageDown");
    expect(at()).toBe("birch/cedar");
    await press("Escape");
    expect(at()).toBeNull();
  });

  it("take the first that is found, and what is typed where nothing is", async () => {
    await show();
    await search("basil acme");
    expect(said()).toBe("1 model found");
    expect(at()).toBe("acme/basil");
    await press("Enter");
    expect(added).toHaveBeenLastCalledWith("acme/basil");
    await search("mine:llama3:8b");
    expect(at()).toBe("Add “mine:llama3:8b” as it is typed; no provider here lists it");
    await press("Enter");
    expect(added).toHaveBeenLastCalledWith("mine:llama3:8b");
    expect(said()).toBe("mine:llama3:8b was added as it is typed. No provider here lists it.");
    expect(box().value).toBe("");
    await search("two words");
    expect(options()).toEqual([]);
    expect(box().getAttribute("aria-expanded")).toBe("false");
    await press("Escape");
    expect(box().value).toBe("");
    expect(options()).toHaveLength(3);
  });
});

it("ArrowUp goes round the hits, and never to what is none", async () => {
  await show();
  await search("basil");
  for (const key of ["ArrowUp", "ArrowDown", "ArrowUp", "ArrowUp"]) await press(key);
  expect(at()).toBe("acme/basil");
  await search("acme");
  for (const key of ["ArrowDown", "ArrowUp"]) await press(key);
  expect(at()).toBe("acme/aurora");
  await press("ArrowUp");
  expect(at()).toBe("acme/basil");
});

it.each(["ArrowDown", "PageDown"])(
  "%s leads from the one hit to what is no hit only at the second press",
  async (key) => {
    await show();
    await search("basil");
    expect(at()).toBe("acme/basil");
    await press(key);
    expect(at()).toBe("acme/basil");
    await press("Enter");
    expect(added).toHaveBeenLastCalledWith("acme/basil");
    await press(key);
    expect(at()).toContain("as it is typed");
  },
);

it("adds what is pressed, and nothing that is taken or does not fit", async () => {
  await show(list, { taken: ["acme/basil"] });
  await click(options()[0]);
  expect(added).toHaveBeenLastCalledWith("acme/aurora");
  await click(options()[1]);
  expect(added).toHaveBeenCalledOnce();
  expect(options()[1]?.getAttribute("aria-disabled")).toBe("true");
  expect(said()).toBe("acme/basil: on the list");
  await show(list, { full: true });
  await click(options()[0]);
  expect(added).toHaveBeenCalledOnce();
  expect(said()).toBe("The list is full.");
});

it("says at a provider that its list failed, and to whom that is a matter", async () => {
  const failing = {
    models: list.models,
    errors: [{ provider: "attic", message: "the key is missing" }],
  };
  await show(failing);
  const described = box().getAttribute("aria-describedby") ?? "";
  expect(document.getElementById(described)?.textContent).toBe(
    "The list of models of attic could not be loaded: the key is missing",
  );
  expect(page.querySelector("a")).toBeNull();
  expect(page.textContent).toContain("Whoever runs this server can check");
  await act(async () => queryClient.setQueryData(keys.user, { id: "ann", is_admin: true }));
  // The cache tells its readers a moment later.
  await vi.waitFor(() =>
    expect(page.querySelector("a")?.getAttribute("href")).toBe("/admin/providers"),
  );
});

it("brings the box back into sight when what was added has moved it, where somebody types there", async () => {
  await show();
  const seen = vi.fn();
  box().scrollIntoView = seen;
  await show(list, { taken: ["acme/basil"] });
  expect(seen).not.toHaveBeenCalled();
  box().focus();
  await show(list, { taken: ["acme/basil", "acme/aurora"] });
  expect(seen).toHaveBeenCalledExactlyOnceWith({ block: "nearest", behavior: "instant" });
});
