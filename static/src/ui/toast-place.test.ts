import { describe, expect, it } from "vitest";
import { lowest } from "./toast-place";

/** As wide as the page of a phone, 60 pixels high. */
const own = { left: 16, right: 374, height: 60 };
const screen = [0, 800] as const;
const box = (top: number, bottom: number, left = 0, right = 390) => ({ top, bottom, left, right });

describe("the lowest place", () => {
  it("is the foot of the screen where nothing is in the way", () => {
    expect(lowest(own, screen, [])).toBe(728);
    expect(lowest(own, screen, [box(100, 140), box(400, 500)])).toBe(728);
  });

  it("is above the composer, and above what stands on that", () => {
    const composer = box(700, 800);
    expect(lowest(own, screen, [composer])).toBe(628);
    // What has the focus right above it, in whatever order they are found.
    const button = box(640, 676);
    expect(lowest(own, screen, [composer, button])).toBe(568);
    expect(lowest(own, screen, [button, composer])).toBe(568);
  });

  it("is between two of them where it fits", () => {
    expect(lowest(own, screen, [box(700, 800), box(540, 590)])).toBe(628);
    expect(lowest(own, screen, [box(700, 800), box(590, 640)])).toBe(518);
  });

  it("is not changed by what stands beside it", () => {
    expect(lowest({ ...own, left: 400, right: 840 }, screen, [box(700, 800, 0, 288)])).toBe(728);
  });

  it("is what a keyboard on glass leaves to be seen", () => {
    expect(lowest(own, [0, 464], [box(300, 420)])).toBe(228);
    expect(lowest(own, [100, 564], [])).toBe(492);
  });

  it("is the foot again where there is no other", () => {
    expect(lowest(own, [0, 120], [box(20, 120)])).toBe(48);
  });
});
