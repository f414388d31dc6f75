import { expect, it } from "vitest";
import { render } from "../test/render";
import { passFocusOn } from "./focus";

const list = (
  <>
    <ul>
      <li>
        <button type="button">a</button>
      </li>
      <li>
        <button type="button">b</button>
      </li>
      <li>nothing</li>
    </ul>
    <button type="button" className="other">
      other
    </button>
  </>
);

it.each([
  ["the one after", 0, "b"],
  ["else the one before", 2, "b"],
  ["a place without one is passed over", 1, "a"],
])("the focus goes on to %s", async (_, at, to) => {
  const place = await render(list);
  passFocusOn(place.querySelectorAll("li")[at] ?? null, "button", ".other");
  expect(document.activeElement?.textContent).toBe(to);
});

it("goes on to another place where the list is empty", async () => {
  const place = await render(list);
  passFocusOn(place.querySelector("ul"), "a", ".other");
  expect(document.activeElement?.textContent).toBe("other");
});

it("goes on to a button beside the places", async () => {
  const place = await render(list);
  passFocusOn(place.querySelector("ul"), "button");
  expect(document.activeElement?.textContent).toBe("other");
});
