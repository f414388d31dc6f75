import { act, useState } from "react";
import { expect, it } from "vitest";
import { button, click, render } from "../test/render";
import { useKeptFocus } from "./kept-focus";

let remove: (name: string) => void;
let open: (name: string | null) => void;

function List() {
  const kept = useKeptFocus<HTMLElement>();
  const [names, setNames] = useState(["a", "b", "c"]);
  const [opened, setOpened] = useState<string | null>(null);
  remove = (name) => setNames((now) => now.filter((one) => one !== name));
  open = setOpened;
  return (
    <>
      <section {...kept}>
        <h2>Names</h2>
        <p>
          <button type="button">tools</button>
        </p>
        {names.length > 0 && (
          <ul>
            {names.map((name) => (
              <li key={name}>
                {opened === name ? <span>{name}</span> : <button type="button">{name}</button>}
              </li>
            ))}
          </ul>
        )}
      </section>
      <button type="button">elsewhere</button>
    </>
  );
}

const focused = () => document.activeElement?.textContent;
const lose = (name: string) => act(async () => remove(name));

it("goes on to the row that has moved up, to the last one, and to the heading", async () => {
  await render(<List />);
  button("b")?.focus();
  await lose("b");
  expect(focused()).toBe("c");
  await lose("c");
  expect(focused()).toBe("a");
  await lose("a");
  expect(focused()).toBe("Names");
});

it("stays in the row where that has nothing to press any more", async () => {
  await render(<List />);
  button("b")?.focus();
  await act(async () => open("b"));
  expect(document.activeElement?.tagName).toBe("LI");
  expect(focused()).toBe("b");
});

it("takes it from nothing that has it, and from nobody who has left", async () => {
  await render(<List />);
  button("elsewhere")?.focus();
  await lose("a");
  expect(focused()).toBe("elsewhere");
  button("b")?.focus();
  button("b")?.blur();
  await lose("b");
  expect(document.activeElement).toBe(document.body);
});

it("leaves it where it is while another row goes", async () => {
  await render(<List />);
  button("a")?.focus();
  await lose("c");
  expect(focused()).toBe("a");
  await click(button("a"));
  expect(focused()).toBe("a");
});
