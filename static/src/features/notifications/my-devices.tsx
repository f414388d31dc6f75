import "../../styles/notifications.css";
import { useEffect, useState } from "react";
import { useDevices } from "../../api/push";
import { useUser } from "../../api/queries";
import { msg, t } from "../../i18n";
import { ReadFailed } from "../../ui/read-failed";
import { forgetHere } from "../ended/device";
import { useHere, wantNotifications } from "../ended/notify";
import { NotifySwitch } from "../ended/switch";
import { DeviceRow } from "./device-row";

/** For how long to look whether a test has gone out. */
const awaitedMs = 20_000;

function Devices() {
  const [testing, setTesting] = useState(false);
  const list = useDevices(testing);
  const here = useHere((state) => state.device);
  const devices = list.data?.devices;
  useEffect(() => {
    if (!testing) return;
    const over = setTimeout(() => setTesting(false), awaitedMs);
    return () => clearTimeout(over);
  }, [testing]);
  // This device was removed from another one: it is off here, too, from now on.
  const isGone = here !== null && devices !== undefined && !devices.some(({ id }) => id === here);
  const isFresh = !list.isFetching;
  useEffect(() => {
    if (!isGone || !isFresh) return;
    void wantNotifications(false).then(forgetHere);
  }, [isGone, isFresh]);
  return (
    <>
      {list.isPending && <p className="quiet">{t("Loading devices…")}</p>}
      {list.isError && !devices && (
        <ReadFailed text={msg("Devices could not be loaded: {{reason}}")} query={list} />
      )}
      {devices && devices.length > 0 && (
        <ul className="devices" aria-label={t("Devices that are notified")}>
          {devices.map((device) => (
            <DeviceRow
              key={device.id}
              device={device}
              isHere={device.id === here}
              onTest={() => setTesting(true)}
            />
          ))}
        </ul>
      )}
      <p className="quiet">
        {t(
          "A notification says that an answer is ready, that there is none, or that a question waits for you, and leads there. Nothing of what you asked is in it; its conversation’s title only where you say so, since it may be read on a locked screen. It comes through the service of the browser’s maker, which cannot read it.",
        )}
      </p>
    </>
  );
}

/** The devices that are notified when an answer is there. */
export default function MyDevices() {
  const user = useUser();
  return (
    <section className="panel" id="notifications" aria-labelledby="notifications-title">
      <h2 id="notifications-title" tabIndex={-1}>
        {t("Notifications")}
      </h2>
      <p className="panel-lead">
        {t(
          "For questions that you ask here and that end, or wait for you, while you are elsewhere.",
        )}
      </p>
      {user.data && <NotifySwitch />}
      {user.data?.push_key && <Devices />}
    </section>
  );
}
