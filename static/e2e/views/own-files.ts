/** The files of somebody who has added some to questions. */
import type { Page } from "playwright-core";

const file = (name: string, more: object) => ({
  id: name,
  filename: name,
  stored_name: name,
  file_type: "text",
  mime_type: "text/plain",
  size: 4_812,
  state: "ready",
  characters: 4_700,
  text_is_cut: false,
  used: true,
  created_at: "2026-03-12T09:30:00.000000",
  ...more,
});

const list = [
  file("notes-on-the-four-day-week.md", { used: false }),
  file("A long name that does not fit into one line of any phone that there is.csv", {
    size: 9_412_000,
    text_is_cut: true,
  }),
  file("contract.pdf", {
    file_type: "pdf",
    state: "failed",
    problem: "it is protected by a password; save it without one, and upload that",
    problem_kind: "encrypted",
    used: false,
  }),
  file("chart.png", { file_type: "png", width: 1_200, height: 800, size: 312_000 }),
];

export async function withFiles(on: Page) {
  await on.route(/\/api\/attachments\?/, (route) =>
    route.fulfill({ json: { attachments: list, total: 61 } }),
  );
}
