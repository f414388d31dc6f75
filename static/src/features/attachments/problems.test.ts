import { beforeEach, expect, it, vi } from "vitest";
import { problemOf } from "../../api/problem";
import { refusalOf } from "./problems";

const where = { most: 10 * 1024 ** 2, noPictures: null, noRoom: "No room." };

async function refused(
  status: number,
  body: object,
  file = new File(["x"], "notes.txt"),
  at: Partial<typeof where> | { noPictures: string } = {},
) {
  const response = new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/problem+json" },
  });
  return refusalOf(await problemOf(response), file, { ...where, ...at });
}

const type = (last: string) => `urn:llm-council:problem:${last}`;
const notTaken = (detail: string) => ({ type: type("file-not-taken"), detail });
const file = (bytes: readonly number[], name: string) => new File([new Uint8Array(bytes)], name);

/** The beginning of a PNG of this size. */
const png = (width: number, height: number) => {
  const sides = new DataView(new ArrayBuffer(8));
  sides.setUint32(0, width);
  sides.setUint32(4, height);
  const head = [0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52];
  return file([...head, ...new Uint8Array(sides.buffer), 8, 2, 0, 0, 0], "map.png");
};

beforeEach(() => {
  vi.stubGlobal("createImageBitmap", () => Promise.reject(new Error("not drawn")));
});

it("a file that is not taken is told by what is in it, and not in the server's words", async () => {
  const latin1 = file([0x48, 0xe9, 0x72, 0x6f, 0x6e], "latin1.txt");
  expect(
    await refused(415, notTaken("latin1.txt is text in another encoding than UTF-8: …"), latin1),
  ).toBe("It is text in another encoding than UTF-8. Save it as UTF-8, and add that.");
  const utf16 = file([0xff, 0xfe, 0x48, 0], "utf16.txt");
  expect(await refused(415, notTaken("…"), utf16)).toContain("another encoding than UTF-8");
  const program = file([0x7f, 0x45, 0x4c, 0x46, 0, 0xe9], "program");
  expect(await refused(415, notTaken("…"), program)).toContain("Files of this kind are not taken");
});

it("a picture that says it is larger than any can be is damaged", async () => {
  const size = "map.png is 1786080875 × 1786080875 pixels large";
  expect(await refused(415, notTaken(size), png(1_786_080_875, 1_786_080_875))).toBe(
    "It is damaged, or not a picture. Save it again, and add that.",
  );
  expect(await refused(415, notTaken("…"), png(30_000, 400))).toBe(
    "It is 30,000 × 400 pixels large. Make it smaller, and add that.",
  );
  expect(await refused(415, notTaken("…"), file([0xff, 0xd8, 0xff, 1], "a.jpg"))).toContain(
    "damaged",
  );
  const none = { noPictures: "No pictures." };
  expect(await refused(415, notTaken("…"), png(400, 300), none)).toBe("No pictures.");
});

it("a refusal for its size, its name or its content has words of the page's", async () => {
  const large = { type: type("file-too-large"), detail: "the file is larger than …" };
  expect(await refused(413, large)).toBe("It is larger than 10 MiB.");
  expect(await refused(413, { type: type("no-room"), detail: "your files …" })).toBe("No room.");
  const invalid = (field: string) => ({
    type: type("invalid"),
    errors: [{ field, message: "is longer than 255 bytes" }],
  });
  expect(await refused(422, invalid("filename"))).toContain("Its name cannot be used.");
  expect(await refused(422, invalid("file"))).toBe("It is empty.");
  expect(await refused(422, { ...invalid("file"), problem_kind: "no_text" })).toContain(
    "There is no text in it",
  );
  expect(await refused(503, { type: type("full"), detail: "too many files …" })).toContain(
    "Too many files are being read",
  );
});

it("a file that the proxy does not let through is too large for it", async () => {
  const page = new Response("<h1>413 Request Entity Too Large</h1>", {
    status: 413,
    headers: { "content-type": "text/html" },
  });
  const file = new File(["x"], "notes.txt");
  expect(await refusalOf(await problemOf(page), file, where)).toContain("The proxy in front of");
});

it("a name in the words of a refusal that is not known keeps its small letter", async () => {
  expect(await refused(418, { detail: "notes.txt is a teapot" })).toBe("notes.txt is a teapot");
  expect(await refused(418, { detail: "this is a teapot" })).toBe("This is a teapot");
});
