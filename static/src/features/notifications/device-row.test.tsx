import { beforeEach, expect, it, vi } from "vitest";
import { type Device, removeDevice } from "../../api/push";
import { button, click, render, settled } from "../../test/render";
import { leave } from "../ended/device";
import { wantNotifications } from "../ended/notify";
import { DeviceRow } from "./device-row";

vi.mock(import("../../api/push"), async (original) => ({
  ...(await original()),
  removeDevice: vi.fn(),
}));
vi.mock(import("../ended/device"), async (original) => ({ ...(await original()), leave: vi.fn() }));
vi.mock(import("../ended/notify"), async (original) => ({
  ...(await original()),
  wantNotifications: vi.fn(),
}));

const device: Device = {
  id: "d-1",
  name: "Firefox on a phone",
  include_title: false,
  created_at: "2026-03-12T09:30:00.000000",
};

beforeEach(() => {
  vi.mocked(removeDevice).mockResolvedValue(undefined);
});

const show = (isHere: boolean) =>
  render(
    <ul>
      <DeviceRow device={device} isHere={isHere} onTest={() => undefined} />
    </ul>,
  );

it("another device is removed after a question: it can be added again only there", async () => {
  await show(false);
  await click(button("Remove: Firefox on a phone"));
  await settled("until they are switched on there again");
  expect(removeDevice).not.toHaveBeenCalled();
  await click([...document.querySelectorAll("dialog button")].at(-1));
  expect(removeDevice).toHaveBeenCalledExactlyOnceWith("d-1");
});

it("this one is switched off at once: the switch stands above", async () => {
  const page = await show(true);
  await click(button("Remove: Firefox on a phone"));
  expect(page.querySelector("dialog")).toBeNull();
  expect(wantNotifications).toHaveBeenCalledExactlyOnceWith(false);
  expect(leave).toHaveBeenCalledOnce();
});
