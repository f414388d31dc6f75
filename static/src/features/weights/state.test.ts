import { expect, it } from "vitest";
import { newRun } from "../../run/state";
import { answer, review, seats, storedRun, synthesis } from "../../test/samples";
import { fromStored, reduce } from "../reducer";
import { type WeightsInfo, weightsOf } from "./state";

const info: WeightsInfo = {
  weights: {},
  has_historical_data: false,
  models_with_history: 0,
  total_models_tracked: 2,
  weight_range: { min: 1, max: 1 },
  explanation: "No model has a record yet.",
};

it("what the ballots weighed is read with the reviews, and goes when others begin", () => {
  const message = storedRun(
    seats.map((seat) => answer(seat)),
    seats.map((seat) => review(seat)),
    synthesis(),
  );
  message.metadata.weights_info = info;
  const run = fromStored(message, "c1");
  expect(weightsOf(run)).toEqual(info);
  expect(weightsOf(reduce(run, { type: "stage2_start", members: seats }))).toBeNull();
  expect(weightsOf(newRun)).toBeNull();
});
