import { act, useState } from "react";
import { expect, it, vi } from "vitest";
import { button, click, render } from "../test/render";
import { MoreButton } from "./more-button";

let show: (list: { hasNextPage: boolean; isFetchingNextPage: boolean }) => void;
const fetchNextPage = vi.fn();

function List() {
  const [list, setList] = useState({ hasNextPage: true, isFetchingNextPage: false });
  show = setList;
  return (
    <>
      <MoreButton list={{ ...list, fetchNextPage }} label="Show more" />
      <p>the end</p>
    </>
  );
}

it("keeps the focus while more is fetched, asks once, and leaves it in its place at the end", async () => {
  const page = await render(<List />);
  button("Show more")?.focus();
  await click(button("Show more"));
  await act(async () => show({ hasNextPage: true, isFetchingNextPage: true }));
  expect(document.activeElement).toBe(button("Loading…"));
  await click(button("Loading…"));
  expect(fetchNextPage).toHaveBeenCalledOnce();
  await act(async () => show({ hasNextPage: false, isFetchingNextPage: false }));
  expect(document.activeElement?.nextElementSibling?.textContent).toBe("the end");
  expect(page.querySelector("button")).toBeNull();
});
