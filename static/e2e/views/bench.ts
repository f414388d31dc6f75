/** A bench as the server tells it, for the pictures: no model is asked for them. */
const id = "019acfd0-5a4e-7c5e-9a51-3f0c3a1a2b3c";
const made = "2026-11-20T08:30:00.000000";

const spent = (usd: number, calls: number) => ({ usd, calls, unpriced_calls: 0 });
const score = (right: number, low: number, high: number) => ({
  counted: 40,
  right,
  unreadable: 0,
  undecided: 0,
  failed: 0,
  ungraded: 0,
  accuracy: { value: right / 40, low, high },
});
const member = (name: string, right: number, low: number, high: number, usd: number) => ({
  member: name,
  model: `acme/${name.toLowerCase()}`,
  ...score(right, low, high),
  spent: spent(usd, 40),
  right_per_usd: right / usd,
});

const report = {
  name: "arithmetic",
  status: "stopped",
  questions: 60,
  done: 40,
  spent: spent(1.66, 480),
  grading: spent(0, 0),
  max_cost_usd: 5,
  simulated: false,
  variants: [
    {
      name: "council",
      kind: "council",
      done: 40,
      ...score(34, 0.709, 0.929),
      failed: 1,
      spent: spent(1.42, 360),
      right_per_usd: 23.9,
      median_ms: 31_400,
      members: [
        member("Aurora", 31, 0.625, 0.877, 0.198),
        member("Basil", 28, 0.546, 0.819, 0.104),
        member("Cedar", 25, 0.47, 0.758, 0.061),
      ],
      against_best: {
        member: "Aurora",
        questions: 40,
        only_council: 5,
        only_member: 2,
        difference: { value: 0.075, low: -0.067, high: 0.21 },
      },
      all_missed: {
        questions: 4,
        of: 40,
        share: { value: 0.1, low: 0.04, high: 0.231 },
        council_right: 0,
      },
    },
    {
      name: "acme/aurora",
      kind: "model",
      done: 40,
      ...score(30, 0.598, 0.858),
      spent: spent(0.198, 40),
      right_per_usd: 151.5,
      median_ms: 9_800,
    },
  ],
};

export const bench = { id, created_at: made, report };

export const benches = {
  benches: [
    { id, ...report, variants: 2, done: 80, spent_usd: 1.66, created_at: made },
    {
      id: "019acfd0-5a4e-7c5e-9a51-3f0c3a1a2b3d",
      name: "house questions",
      status: "complete",
      questions: 25,
      variants: 3,
      done: 75,
      spent_usd: 0.84,
      max_cost_usd: 1,
      created_at: "2026-11-18T15:05:00.000000",
    },
  ],
};
