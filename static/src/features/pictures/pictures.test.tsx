import { describe, expect, it } from "vitest";
import { newRun } from "../../run/state";
import { render } from "../../test/render";
import { answer, review, seats, storedRun, synthesis, wholeRun } from "../../test/samples";
import { fromStored, reduceAll } from "../reducer";
import { Around, NotSeen, NotSeenByMember, NotSeenByWriter } from "./card";
import { picturesOf } from "./state";

const answers = seats.map((seat) => answer(seat));
const reviews = seats.map((seat) => review(seat));
const [first = { model: "", member: "" }, second = { model: "", member: "" }] = seats;
const pictures = { names: ["photo.png", "map.webp"], seen_by: [first.model] };
const events = wholeRun(answers, reviews, synthesis()).map((event) =>
  event.type === "run_started" ? { ...event, pictures } : event,
);
const message = storedRun(answers, reviews, synthesis());
const stored = { ...message, metadata: { ...message.metadata, pictures } };

const said = (seat: typeof first) =>
  ({ seat, status: "done", text: "It is a cat.", result: null }) as const;

describe("a question with pictures", () => {
  it("is the same once it is stored", () => {
    expect(fromStored(stored, "c1")).toEqual(reduceAll(newRun, events));
    expect(picturesOf(fromStored(stored, "c1"))).toEqual(pictures);
    expect(picturesOf(fromStored(message, "c1"))).toBeNull();
  });

  it("says on a card that its member did not see them", async () => {
    const card = (run: typeof newRun, seat: typeof first) =>
      render(
        <Around run={run}>
          <NotSeenByMember said={said(seat)} round={null} />
        </Around>,
      );
    const blind = await card(fromStored(stored, "c1"), second);
    expect(blind.textContent).toBe("Did not see photo.png, map.webp");
    expect((await card(fromStored(stored, "c1"), first)).textContent).toBe("");
    expect((await card(fromStored(message, "c1"), second)).textContent).toBe("");
  });

  it("says it of a reviewer and of whoever writes the final answer", async () => {
    const run = fromStored(stored, "c1");
    const reviewer = await render(
      <Around run={run}>
        <NotSeen seat={second} />
      </Around>,
    );
    expect(reviewer.textContent).toBe("Did not see photo.png, map.webp");
    const written = (model: string) =>
      render(<NotSeenByWriter run={{ ...run, synthesis: { ...run.synthesis, model } }} />);
    expect((await written(first.model)).textContent).toBe("");
    expect((await written("x/blind")).textContent).toBe("blind did not see photo.png, map.webp");
  });
});
