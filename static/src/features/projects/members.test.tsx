/** What the people in a project are called. */
import { expect, it, vi } from "vitest";
import type { Member, Project } from "../../api/projects";
import { button, click, render, settled, type } from "../../test/render";
import { Members } from "./members";

const member = (name: string, more: Partial<Member> = {}): Member => ({
  kind: "user",
  name,
  role: "viewer",
  is_me: false,
  added_at: "2026-03-12T09:00:00.000000",
  ...more,
});

it("people have the names that the sign-in gives them, with their user names beside", async () => {
  const members = [
    member("ann", { is_me: true, role: "owner", display_name: "ann" }),
    member("0f3c-77", { display_name: "Ben Heron" }),
    member("cat"),
    member("staff", { kind: "group" }),
  ];
  const page = await render(<Members project={{ role: "owner", members } as Project} />);
  const rows = [...page.querySelectorAll(".project-member-name")];
  expect(rows.map((row) => [...row.children].map((part) => part.textContent))).toEqual([
    ["ann", "you"],
    ["Ben Heron", "0f3c-77"],
    ["cat"],
    ["staff", "group"],
  ]);
  expect(button("Remove Ben Heron")).toBeTruthy();
});

it("a member is not added once more, with another role", async () => {
  const members = [
    member("ann", { is_me: true, role: "owner" }),
    member("ben", { role: "owner", display_name: "Benjamin Heron" }),
  ];
  const asked = vi.fn();
  vi.stubGlobal("fetch", asked);
  const page = await render(<Members project={{ id: "p-1", role: "owner", members } as Project} />);
  await type(page.querySelector<HTMLInputElement>("form input"), " Ben ");
  await click(page.querySelector("form [type=submit]"));
  await settled("This is a member already.");
  expect(asked).not.toHaveBeenCalled();
});
