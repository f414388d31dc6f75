import { act } from "react";
import { expect, it } from "vitest";
import { render, settled } from "../../test/render";
import QuestionFiles from "./question-files";

it("a picture that cannot be shown is a file to be saved", async () => {
  const file = { id: "f1", filename: "hills.png", size: 2048, width: 640, height: 480 };
  const page = await render(<QuestionFiles files={[file]} ofProject={[]} />);
  expect(page.querySelector("a")).toBeNull();
  await act(async () => page.querySelector("img")?.dispatchEvent(new Event("error")));
  await settled("hills.png");
  expect(page.querySelector("img")).toBeNull();
  expect(page.querySelector("a")?.getAttribute("download")).toBe("hills.png");
});
