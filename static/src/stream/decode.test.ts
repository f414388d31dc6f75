import { describe, expect, it } from "vitest";
import { createDecoder, type Frame, readEvent } from "./decode";

const bytes = (text: string) => new TextEncoder().encode(text);

function decodeAll(pieces: Uint8Array[]) {
  const frames: Frame[] = [];
  const skipped: number[] = [];
  const decoder = createDecoder(
    (frame) => frames.push(frame),
    (seq) => skipped.push(seq),
  );
  for (const piece of pieces) decoder.push(piece);
  return { frames, skipped };
}

const token = (content: string) =>
  `data: {"type":"stage3_token","model":"m","content":${JSON.stringify(content)}}\n\n`;

describe("the decoder", () => {
  it("gives each frame with its number, wherever the network cut the bytes", () => {
    const whole = bytes(`id: 1\n${token("grün 🌲")}id: 2\n${token("b")}`);
    for (let cut = 1; cut < whole.length; cut += 1) {
      const { frames } = decodeAll([whole.slice(0, cut), whole.slice(cut)]);
      expect(frames).toEqual([
        { seq: 1, event: { type: "stage3_token", model: "m", content: "grün 🌲" } },
        { seq: 2, event: { type: "stage3_token", model: "m", content: "b" } },
      ]);
    }
  });

  it("ignores heartbeats and carriage returns", () => {
    const { frames } = decodeAll([
      bytes(`: ping\r\n\r\nid: 7\r\ndata: {"type":"complete"}\r\n\r\n`),
    ]);
    expect(frames).toEqual([{ seq: 7, event: { type: "complete" } }]);
  });

  it("gives no number to a frame without an id, even after one that had it", () => {
    const { frames } = decodeAll([
      bytes(`id: 4\n${token("a")}data: {"type":"server_shutdown","message":"bye"}\n\n`),
    ]);
    expect(frames.map((frame) => frame.seq)).toEqual([4, null]);
  });

  it("passes events of a newer server on, with their number", () => {
    const { frames } = decodeAll([bytes(`id: 5\ndata: {"type":"hologram","data":{}}\n\n`)]);
    expect(frames).toEqual([{ seq: 5, event: { type: "hologram", data: {} } }]);
  });

  it("skips frames that are no events but counts them", () => {
    const { frames, skipped } = decodeAll([
      bytes(`id: 5\ndata: {"type":5}\n\nid: 6\ndata: {"type":"complete"}\n\n`),
    ]);
    expect(frames.map((frame) => frame.event.type)).toEqual(["complete"]);
    expect(skipped).toEqual([5]);
  });

  it("reads junk as nothing", () => {
    for (const junk of ["", "null", "[]", "{", '{"type":5}']) {
      expect(readEvent(junk)).toBeNull();
    }
  });
});
