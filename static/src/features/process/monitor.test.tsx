import { QueryClient } from "@tanstack/react-query";
import { describe, expect, it, vi } from "vitest";
import { newRun, type RunState } from "../../run/state";
import { button, click, render } from "../../test/render";
import Monitor from "./monitor";

describe("the process log", () => {
  const notes = (["stage", "model", "error"] as const).map((category, at) => ({
    message: `${category} entry`,
    fact: at === 0 ? { code: "no_ranking" as const } : null,
    category,
    level: at + 1,
    timestamp: "2026-01-01T10:00:00.000Z",
    details: null,
  }));

  it("is filtered by kind and by detail", async () => {
    const page = await render(
      <Monitor run={{ ...newRun, hasLog: true, notes }} onClose={vi.fn()} />,
    );
    const entries = () => [...page.querySelectorAll(".note:not(.chip)")].length;
    expect(entries()).toBe(3);
    expect(page.textContent).toContain("Stage 2: no ranking");
    const english = [...page.querySelectorAll(".note [lang=en]")].map((one) => one.textContent);
    expect(english).toEqual(["model entry", "error entry"]);
    await click(button("Models"));
    expect(button("Models")?.getAttribute("aria-pressed")).toBe("false");
    expect(entries()).toBe(2);
  });

  it("stays when the stored run takes the place of the one that was followed", async () => {
    const fetched = vi.spyOn(globalThis, "fetch");
    const client = new QueryClient();
    const ended = { ...newRun, hasLog: true, phase: "ended", runId: "r1" } as const;
    const shown = (run: RunState) => render(<Monitor run={run} onClose={vi.fn()} />, client);
    await shown({ ...ended, notes });
    const page = await shown(ended);
    expect(page.querySelectorAll(".note:not(.chip)")).toHaveLength(3);
    expect(fetched).not.toHaveBeenCalled();
    fetched.mockRestore();
  });
});
