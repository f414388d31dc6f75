/** The parts of a project's page by keyboard alone: what has the focus goes, and the focus stays in the page. */
import { act, type ReactNode, useState } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { ProjectFile } from "../../api/project-files";
import { type Listed, type Member, type Project, useProject } from "../../api/projects";
import { keys, queryClient } from "../../api/queries";
import { button, click, render, settled, type } from "../../test/render";
import { config } from "../../test/samples";
import { Toasts } from "../../ui/toast";
import { InProject } from "./conversations";
import { Ends } from "./ends";
import { Files } from "./files";
import { Members } from "./members";
import MoveDialog from "./move-dialog";
import NewProject from "./new-project";

const at = "2026-03-12T09:00:00.000000";
const member = (name: string, more: Partial<Member> = {}): Member => ({
  kind: "user",
  name,
  role: "viewer",
  is_me: false,
  added_at: at,
  ...more,
});
const listed = (id: string): Listed => ({
  id,
  title: `About ${id}`,
  title_is_default: false,
  author: "ben",
  is_mine: false,
  created_at: at,
  updated_at: at,
  message_count: 2,
});
const file = (id: string): ProjectFile => ({
  id,
  filename: `${id}.md`,
  file_type: "text",
  mime_type: "text/plain",
  size: 27,
  characters: 27,
  text_is_cut: false,
  created_at: at,
});

/** What the server has. */
let project: Project;
let conversations: Listed[];
let files: ProjectFile[];
let isRefused: boolean;
/** Where a conversation was moved to. */
let moves: (string | null)[];
/** The one that was moved out last. */
let movedOut: Listed | undefined;

function answer(
  path: string,
  method: string,
  body: Partial<Member> & { project_id?: string },
): Response {
  if (path === "/api/user") return Response.json({ id: "ann", is_admin: false });
  if (method !== "GET" && isRefused) {
    const headers = { "content-type": "application/problem+json" };
    const errors = [{ field: "name", message: "must be a user id" }];
    return Response.json({ status: 422, errors }, { headers, status: 422 });
  }
  const last = path.split("/").at(-1);
  if (method === "DELETE") {
    conversations = conversations.filter(({ id }) => id !== last);
    files = files.filter(({ id }) => id !== last);
    const members = project.members.filter(({ name }) => name !== body.name);
    project = { ...project, members };
    return Response.json({ status: "ok" });
  }
  if (method === "PATCH") {
    moves.push(body.project_id ?? null);
    const moved = conversations.find(({ id }) => id === last) ?? movedOut;
    conversations = conversations.filter((one) => one !== moved);
    if (body.project_id && moved) conversations = [moved, ...conversations];
    else movedOut = moved;
    return Response.json({ status: "ok" });
  }
  if (method === "PUT") {
    const put = member(String(body.name), { role: body.role ?? "viewer" });
    const others = project.members.filter(({ name }) => name !== put.name);
    project = { ...project, members: [...others, put] };
    return Response.json({ status: "ok" });
  }
  if (path.endsWith("/conversations")) {
    return Response.json({ conversations, total: conversations.length });
  }
  if (path.endsWith("/files")) return Response.json({ files });
  return Response.json(path === "/api/projects" ? { projects: [project] } : project);
}

beforeEach(() => {
  queryClient.clear();
  isRefused = false;
  moves = [];
  movedOut = undefined;
  project = {
    id: "p-1",
    name: "Herons",
    role: "owner",
    instructions: "",
    settings: {},
    options: {},
    members: [
      member("ann", { is_me: true, role: "owner" }),
      member("ben", { role: "writer" }),
      member("cat"),
    ],
    created_at: at,
    updated_at: at,
  } as unknown as Project;
  conversations = [listed("ants"), listed("bees")];
  files = [file("f1"), file("f2")];
  queryClient.setQueryData(keys.config, {
    ...config,
    attachments: { max_bytes: 100, max_per_project: 20, max_characters_read: 60_000 },
  });
  vi.spyOn(globalThis, "fetch").mockImplementation(async (path, init = {}) => {
    const body = typeof init.body === "string" ? JSON.parse(init.body) : {};
    return answer(String(path).replace(/\?.*/, ""), init.method ?? "GET", body);
  });
});
afterEach(() => vi.restoreAllMocks());

type Part = (props: { project: Project }) => ReactNode;

let page: HTMLElement;
/** As the page of the project draws it, from what is read of it. */
function Page({ part: Part }: { part: Part }) {
  const read = useProject("p-1").data;
  return (
    <>
      {read && <Part project={read} />}
      <Toasts />
    </>
  );
}
async function show(part: Part, text: string) {
  page = await render(<Page part={part} />, queryClient);
  await settled(text);
}
/** Presses the button that it is, as Enter does where it has the focus. */
async function press(name: string) {
  const found = button(name);
  found?.focus();
  expect(document.activeElement, name).toBe(found);
  await click(found);
}
const focused = () => {
  const { activeElement } = document;
  return activeElement?.getAttribute("aria-label") ?? activeElement?.textContent;
};
/** What the browser does with a modal dialog where Escape is pressed. */
const pressEscape = () =>
  act(async () => {
    const event = new KeyboardEvent("keydown", { key: "Escape", bubbles: true });
    document.activeElement?.dispatchEvent(event);
    page.querySelector("dialog")?.close();
  });
/** The way on in the dialog, which stands last. */
const confirm = () => click([...page.querySelectorAll("dialog button")].at(-1));

it("a member is removed with a way back, and another press removes nobody else", async () => {
  await show(Members, "cat");
  await press("Remove ben");
  await settled("ben is no longer in the project.");
  expect(button("Remove ben")).toBeUndefined();
  expect(document.activeElement).toBe(page.querySelector(".project-members"));
  await click(button("Undo"));
  await settled("ben is in the project now.");
  expect(button("Remove ben")).toBeDefined();
  expect(page.querySelector<HTMLSelectElement>("[aria-label='Role of ben']")?.value).toBe("writer");
});

it("an owner is asked before they give up that role themselves", async () => {
  await show(Members, "cat");
  const change = async (name: string, role: string) => {
    const select = page.querySelector<HTMLSelectElement>(`[aria-label='Role of ${name}']`);
    await act(async () => {
      if (select) select.value = role;
      select?.dispatchEvent(new Event("change", { bubbles: true }));
    });
  };
  // Of anybody else it can be changed back.
  await change("ben", "viewer");
  await settled("The role of ben was changed.");
  await change("ann", "writer");
  await settled("Give up owning this project?");
  await pressEscape();
  expect(page.querySelector("dialog")).toBeNull();
  await change("ann", "writer");
  // Whoever is no owner chooses no roles.
  project = { ...project, role: "writer" };
  await confirm();
  await settled("The role of ann was changed.");
  expect(page.querySelector("select")).toBeNull();
  expect(document.activeElement).toBe(page.querySelector(".project-members"));
});

it("a member's name that is refused has the focus, and says why", async () => {
  await show(Members, "Whether somebody has this name is not checked.");
  const box = page.querySelector<HTMLInputElement>(".project-member-add input");
  await type(box, "a b");
  isRefused = true;
  await press("Add");
  await settled("This cannot be a user’s name.");
  expect(document.activeElement).toBe(box);
  const notes = (box?.getAttribute("aria-describedby") ?? "").split(" ");
  expect(notes.map((id) => document.getElementById(id)?.textContent)).toEqual([
    "Exactly as they sign in here. Whether somebody has this name is not checked.",
    "This cannot be a user’s name.",
  ]);
});

it("an own conversation is taken out at once, with a way back", async () => {
  conversations = [{ ...listed("ants"), author: "ann", is_mine: true }, listed("bees")];
  await show(InProject, "About ants");
  await press("Take out: About ants");
  await settled("“About ants” is in no project any more.");
  expect(page.querySelector("dialog")).toBeNull();
  expect(button("Take out: About ants")).toBeUndefined();
  expect(focused()).toBe("Take out: About bees");
  await click(button("Undo"));
  await vi.waitFor(() => expect(moves).toEqual([null, "p-1"]));
  await vi.waitFor(async () => {
    await act(async () => undefined);
    expect(button("Take out: About ants")).toBeDefined();
  });
});

it("those of others are taken out after a question, since their authors alone can put them back", async () => {
  await show(InProject, "About bees");
  await press("Take out: About ants");
  await settled("stays with ben, who alone can put it back");
  await pressEscape();
  expect(focused()).toBe("Take out: About ants");
  await press("Take out: About ants");
  await confirm();
  await settled("“About ants” is in no project any more.");
  expect(button("Undo")).toBeUndefined();
  expect(focused()).toBe("Take out: About bees");
  await press("Take out: About bees");
  await confirm();
  await settled("Nothing is in this project yet.");
  expect(focused()).toBe("Conversations");
});

it("files are removed after a question, which Escape takes away", async () => {
  await show(Files, "f2.md");
  await press("Remove f1.md");
  await pressEscape();
  expect(page.querySelector("dialog")).toBeNull();
  expect(focused()).toBe("Remove f1.md");
  await press("Remove f1.md");
  await confirm();
  await settled("f1.md was removed from the project.");
  expect(focused()).toBe("Remove f2.md");
  await press("Remove f2.md");
  await confirm();
  await settled("f2.md was removed from the project.");
  expect(document.activeElement).toBe(page.querySelector("input[type=file]"));
});

it.each(["Leave the project", "Delete the project"])(
  "“%s” asks, and Escape stays",
  async (name) => {
    await show((props) => <Ends {...props} onEnding={() => undefined} />, name);
    await press(name);
    expect(page.querySelector("dialog")).not.toBeNull();
    await pressEscape();
    expect(page.querySelector("dialog")).toBeNull();
    expect(focused()).toBe(name);
  },
);

type Dialog = (props: { onClose: () => void }) => ReactNode;
const moving: Dialog = ({ onClose }) => (
  <MoveDialog item={{ id: "c-1", title: "Tides", title_is_default: false }} onClose={onClose} />
);
const making: Dialog = ({ onClose }) => <NewProject onClose={onClose} onMade={onClose} />;

it("a conversation that was moved into a project is moved back", async () => {
  page = await render(
    <>
      <MoveDialog
        item={{ id: "c-1", title: "Tides", title_is_default: false }}
        onClose={() => undefined}
      />
      <Toasts />
    </>,
    queryClient,
  );
  await settled("Herons");
  await click([...page.querySelectorAll("input[type=radio]")].at(-1));
  await click([...page.querySelectorAll("dialog button")].at(-1));
  await settled("“Tides” is in the project Herons now.");
  expect(moves).toEqual(["p-1"]);
  await click(button("Undo"));
  await vi.waitFor(() => expect(moves).toEqual(["p-1", null]));
});

it.each([
  ["moves a conversation", moving, "No project"],
  ["makes a project", making, "Create project"],
])("the dialog that %s takes the focus, and Escape gives it back", async (_, Shown, text) => {
  function Opener() {
    const [open, setOpen] = useState(false);
    return (
      <>
        <button type="button" onClick={() => setOpen(true)}>
          Open
        </button>
        {open && <Shown onClose={() => setOpen(false)} />}
      </>
    );
  }
  page = await render(<Opener />, queryClient);
  await press("Open");
  await settled(text);
  const fields = [...page.querySelectorAll("dialog input")];
  expect(fields).toContain(document.activeElement);
  await pressEscape();
  expect(page.querySelector("dialog")).toBeNull();
  expect(focused()).toBe("Open");
});
