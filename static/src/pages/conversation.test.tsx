import { act } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { queryClient } from "../api/queries";
import { button, click, render, settled } from "../test/render";
import { ConversationPage } from "./conversation";

/** The project that has the conversation, and in which the reader has a role. */
let place: string | null;
let refuses: boolean;

const refusal = (status: number) =>
  Response.json(
    { status, detail: status === 404 ? "This is not there." : "Not now." },
    { status, headers: { "content-type": "application/problem+json" } },
  );

beforeEach(() => {
  queryClient.clear();
  place = null;
  refuses = false;
  history.replaceState(null, "", "/c/c-1");
  vi.spyOn(globalThis, "fetch").mockImplementation(async (path) => {
    const url = String(path);
    if (url === "/api/user") return Response.json({ id: "ada", is_admin: false });
    if (url !== "/api/conversations/c-1/project") return refusal(404);
    if (refuses) return refusal(409);
    return place === null ? refusal(404) : Response.json({ project_id: place });
  });
});

const show = () => render(<ConversationPage id="c-1" />, queryClient);

/** Waits until the page is at this address. */
async function at(path: string) {
  for (let tries = 0; tries < 200 && location.pathname !== path; tries += 1) {
    await act(() => new Promise((done) => setTimeout(done, 10)));
  }
  expect(location.pathname).toBe(path);
}

describe("a conversation that is not the reader's", () => {
  it("is read in the project that they share with its author", async () => {
    place = "p-2";
    await show();
    await at("/p/p-2/c/c-1");
  });

  it("is not here where it is in none of their projects", async () => {
    await show();
    await settled("This conversation is not here");
    expect(location.pathname).toBe("/c/c-1");
  });

  it("is looked for again where that failed", async () => {
    refuses = true;
    await show();
    await settled("It could not be loaded: Not now.");
    [refuses, place] = [false, "p-3"];
    await click(button("Try again"));
    await at("/p/p-3/c/c-1");
  });
});
