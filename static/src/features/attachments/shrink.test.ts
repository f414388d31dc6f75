import { afterEach, expect, it, vi } from "vitest";
import { prepared } from "./shrink";

const close = vi.fn<() => void>();
const photo = new Blob(["with its place"], { type: "image/jpeg" });

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  close.mockReset();
});

/** A browser that draws, and writes what it drew as this. */
function drawing(written: Blob | null) {
  vi.stubGlobal("createImageBitmap", async () => ({ width: 3_136, height: 1_000, close }));
  const context = { drawImage: vi.fn<() => void>() } as unknown as CanvasRenderingContext2D;
  vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockReturnValue(context as never);
  vi.spyOn(HTMLCanvasElement.prototype, "toDataURL").mockReturnValue("data:image/png;base64,");
  const sizes: number[][] = [];
  vi.spyOn(HTMLCanvasElement.prototype, "toBlob").mockImplementation(function (
    this: HTMLCanvasElement,
    done,
  ) {
    sizes.push([this.width, this.height]);
    done(written);
  });
  return sizes;
}

it("a photo is drawn anew in no more pixels than are of use", async () => {
  const small = new Blob(["pixels"], { type: "image/jpeg" });
  const sizes = drawing(small);
  expect((await prepared(photo)).blob).toBe(small);
  expect(sizes).toEqual([[1_568, 500]]);
  expect(close).toHaveBeenCalledOnce();
});

it("one that cannot be written anew is not sent as it was", async () => {
  drawing(null);
  await expect(prepared(photo)).rejects.toThrow("cannot make the picture smaller");
  expect(close).toHaveBeenCalledOnce();
});

it("what the browser cannot draw goes to the server as it is, which says why it is not taken", async () => {
  vi.stubGlobal("createImageBitmap", () => Promise.reject(new Error("no")));
  expect(await prepared(photo)).toEqual({ blob: photo, thumbnail: null });
});
