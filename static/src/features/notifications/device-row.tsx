import { useRef, useState } from "react";
import { changeDevice, type Device, removeDevice, testDevice } from "../../api/push";
import { msg, t } from "../../i18n";
import { useAttempt } from "../../ui/attempt";
import { Confirm } from "../../ui/confirm";
import { passFocusOn } from "../../ui/focus";
import { dateFormat, sentence, when } from "../../ui/format";
import { toast } from "../../ui/toast";
import { leave } from "../ended/device";
import { wantNotifications } from "../ended/notify";

const day = dateFormat({ dateStyle: "medium" });
const minute = dateFormat({ dateStyle: "medium", timeStyle: "short" });

function factsOf({ created_at, told_at }: Device): string {
  const added = t("added {{day}}", { day: day(when(created_at)) });
  if (!told_at) return added;
  return `${added} · ${t("last notified {{time}}", { time: minute(when(told_at)) })}`;
}

interface Props {
  device: Device;
  isHere: boolean;
  /** A test is on its way. */
  onTest: () => void;
}

/** One device, with what can be done about it. */
export function DeviceRow({ device, isHere, onTest }: Props) {
  const { id, name, include_title, problem } = device;
  const place = useRef<HTMLLIElement>(null);
  const [asked, setAsked] = useState(false);
  const { busy, attempt } = useAttempt();

  /** Does something, and says what became of it. */
  const does = (act: () => Promise<unknown>) => attempt(act, msg("Not done: {{message}}"));
  const test = () =>
    does(async () => {
      await testDevice(id);
      onTest();
      toast(t("A test is on its way."));
    });
  const remove = () =>
    does(async () => {
      passFocusOn(place.current, ".device-remove", "#notifications-title");
      if (isHere) {
        await wantNotifications(false);
        await leave();
      } else await removeDevice(id);
      toast(t("It gets no more notifications."));
    });

  return (
    <li ref={place} className="device">
      <div className="device-head">
        <strong>
          <bdi>{name}</bdi>
        </strong>
        {isHere && <span className="badge">{t("this browser")}</span>}
      </div>
      <span className="device-facts">{factsOf(device)}</span>
      {problem && (
        <span className="device-problem" lang="en">
          {sentence(problem)}
        </span>
      )}
      <label className="device-title">
        <input
          type="checkbox"
          checked={include_title}
          aria-label={t("With the conversation’s title: {{name}}", { name })}
          onChange={(event) => does(() => changeDevice(id, event.target.checked))}
        />
        {t("With the conversation’s title")}
      </label>
      <div className="device-actions">
        <button
          type="button"
          className="quiet-button"
          aria-disabled={busy}
          aria-label={t("Send a test: {{name}}", { name })}
          onClick={test}
        >
          {t("Send a test")}
        </button>
        <button
          type="button"
          className="quiet-button device-remove"
          aria-disabled={busy}
          aria-label={t("Remove: {{name}}", { name })}
          onClick={() => (isHere ? remove() : setAsked(true))}
        >
          {t("Remove")}
        </button>
      </div>
      {asked && (
        <Confirm
          title={t("Remove {{name}}?", { name })}
          actions={[
            {
              label: t("Remove"),
              tone: "danger",
              run: () => {
                setAsked(false);
                remove();
              },
            },
          ]}
          cancel={t("Keep it")}
          onCancel={() => setAsked(false)}
        >
          <p>{t("It gets no more notifications until they are switched on there again.")}</p>
        </Confirm>
      )}
    </li>
  );
}
