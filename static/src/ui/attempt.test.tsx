import { act } from "react";
import { describe, expect, it } from "vitest";
import { Problem } from "../api/problem";
import { msg } from "../i18n";
import { button, click, render, settled } from "../test/render";
import { useAttempt } from "./attempt";
import { Toasts } from "./toast";

/** What is sent waits until it is told how it ends. */
function held() {
  const ends: { well: () => void; badly: (error: unknown) => void }[] = [];
  const send = () =>
    new Promise<void>((resolve, reject) => ends.push({ well: resolve, badly: reject }));
  return { ends, send };
}

function Form({ send, failed }: { send: () => Promise<void>; failed?: string }) {
  const { busy, problem, attempt } = useAttempt();
  return (
    <>
      <button type="button" onClick={() => attempt(send, failed)}>
        Send
      </button>
      <p>{busy ? "on its way" : "at rest"}</p>
      <p>{problem?.message ?? "no problem"}</p>
      <Toasts />
    </>
  );
}

function Fields({ send }: { send: () => Promise<void> }) {
  const { busy, problem, attempt, form } = useAttempt();
  const isWrong = (name: string) => problem?.fields.some(({ field }) => field === name);
  return (
    <form
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        attempt(send);
      }}
    >
      {["a", "b", "c"].map((name) => (
        <input key={name} id={name} aria-invalid={isWrong(name)} />
      ))}
      <button type="submit" aria-disabled={busy}>
        Send
      </button>
    </form>
  );
}

const views = import.meta.glob<string>(["../**/*.tsx", "!../**/*.test.tsx"], {
  eager: true,
  query: "?raw",
  import: "default",
});

it("no button is disabled for as long as something is on its way: it would lose the focus", () => {
  const disabled = /\sdisabled=\{[^}]*\b(busy|running|isFetching\w*|isPending)\b/;
  const faults = Object.entries(views).filter(([, text]) => disabled.test(text));
  expect(faults.map(([file]) => file)).toEqual([]);
  expect(Object.keys(views).length).toBeGreaterThan(100);
  expect(disabled.test('<button type="submit" disabled={busy || name === ""}>')).toBe(true);
});

describe("what is sent", () => {
  it("goes once, however often it is asked for", async () => {
    const { ends, send } = held();
    await render(<Form send={send} />);
    await click(button("Send"));
    await settled("on its way");
    await click(button("Send"));
    expect(ends).toHaveLength(1);
    await act(async () => ends[0]?.well());
    await settled("at rest");
    await click(button("Send"));
    expect(ends).toHaveLength(2);
    await act(async () => ends[1]?.well());
  });

  it("says why it was refused until it is sent again", async () => {
    const { ends, send } = held();
    await render(<Form send={send} failed={msg("Not done: {{message}}")} />);
    await click(button("Send"));
    await act(async () => ends[0]?.badly(new Problem("refused", "There is no room.", 413)));
    await settled("There is no room.");
    await settled("Not done: There is no room.");
    await click(button("Send"));
    await settled("no problem");
    await act(async () => ends[1]?.well());
    await settled("at rest");
  });

  it("leaves the focus at its button, and after a refusal at the first wrong field", async () => {
    const { ends, send } = held();
    await render(<Fields send={send} />);
    button("Send")?.focus();
    await click(button("Send"));
    expect(document.activeElement).toBe(button("Send"));
    const fields = [
      { field: "b", message: "is wrong" },
      { field: "c", message: "is wrong" },
    ];
    await act(async () => ends[0]?.badly(new Problem("refused", "No.", 422, fields)));
    expect(document.activeElement?.id).toBe("b");
  });
});
