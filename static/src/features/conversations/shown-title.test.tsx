import { act } from "react";
import { afterEach, expect, it } from "vitest";
import { newRun } from "../../run/state";
import { render } from "../../test/render";
import { type LiveRun, useLiveRuns } from "../asking/runs";
import { useShownTitle } from "./title";

const follow = (title: string | null) =>
  useLiveRuns.setState({
    runs: { "c-1": { question: "What is a tide?", run: { ...newRun, title } } as LiveRun },
  });
afterEach(() => act(async () => useLiveRuns.setState({ runs: {} })));

function Shown({ title, isDefault }: { title: string; isDefault: boolean }) {
  return <p>{useShownTitle({ id: "c-1", title, title_is_default: isDefault })}</p>;
}

it("is the question until the run has one, and then what somebody has written", async () => {
  follow(null);
  const page = await render(<Shown title="" isDefault={true} />);
  expect(page.textContent).toBe("What is a tide?");
  await act(async () => follow("Tides"));
  expect(page.textContent).toBe("Tides");
  // Renamed while the council works.
  await render(<Shown title="For the harbour" isDefault={false} />);
  expect(page.textContent).toBe("For the harbour");
});
