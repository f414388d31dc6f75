import { useId, useRef, useState } from "react";
import {
  changeWebhook,
  removeWebhook,
  replaceSecret,
  testWebhook,
  type Webhook,
} from "../../api/webhooks";
import { msg, t } from "../../i18n";
import { T } from "../../i18n/t";
import { useAttempt } from "../../ui/attempt";
import { Confirm } from "../../ui/confirm";
import { dateFormat, listText, when } from "../../ui/format";
import { Icon } from "../../ui/icon";
import { MenuButton } from "../../ui/menu";
import { Notice } from "../../ui/notice";
import { toast } from "../../ui/toast";
import { Deliveries } from "./deliveries";
import { choices, nameOf } from "./events";
import { WebhookForm } from "./form";
import { Secret } from "./secret";

const day = dateFormat({ dateStyle: "medium" });

function factsOf({ events, include_content, instance, created_at }: Webhook): string {
  const all = choices.every(([event]) => events.includes(event));
  const facts = [all ? t("Every end of a run") : listText(events.map(nameOf))];
  if (!instance) facts.push(include_content ? t("with content") : t("without content"));
  facts.push(t("created {{day}}", { day: day(when(created_at)) }));
  return facts.join(" · ");
}

type Asked = "secret" | "remove" | null;

function Ask({
  asked,
  url,
  onCancel,
  onYes,
}: {
  asked: Asked;
  url: string;
  onCancel: () => void;
  onYes: () => void;
}) {
  if (asked === null) return null;
  const removing = asked === "remove";
  return (
    <Confirm
      title={removing ? t("Remove this webhook?") : t("Make another secret?")}
      cancel={t("Cancel")}
      onCancel={onCancel}
      actions={[
        {
          label: removing ? t("Remove") : t("Make another secret"),
          tone: "danger",
          run: onYes,
        },
      ]}
    >
      <p className="webhook-url">{url}</p>
      <p>
        {removing
          ? t(
              "Nothing more is sent to it, not even what is still waiting. The list of its deliveries is deleted, too.",
            )
          : t(
              "The old secret stops working at once: until the receiver has the new one, it rejects what is sent.",
            )}
      </p>
    </Confirm>
  );
}

/** One webhook, with what can be done about it. */
export function WebhookRow({
  webhook,
  secret,
  onSecret,
  onRemoved,
}: {
  webhook: Webhook;
  /** What was made a moment ago, to be copied. */
  secret: string | null;
  onSecret: (secret: string | null) => void;
  onRemoved: () => void;
}) {
  const { id, url, enabled, disabled_reason: reason } = webhook;
  const [asked, setAsked] = useState<Asked>(null);
  const [changing, setChanging] = useState(false);
  const [listing, setListing] = useState(false);
  const { busy, attempt } = useAttempt();
  const change = useRef<HTMLButtonElement>(null);
  const title = useId();

  /** Does something, and says what became of it. */
  const does = (act: () => Promise<void>) => attempt(act, msg("Not done: {{message}}"));
  const test = () =>
    does(async () => {
      await testWebhook(id);
      setListing(true);
      toast(t("A test is on its way."));
    });
  const turn = () =>
    does(async () => {
      await changeWebhook(id, { enabled: !enabled });
      toast(enabled ? t("The webhook is off.") : t("The webhook is on."));
    });
  const goOn = () =>
    does(async () => {
      if (asked === "remove") {
        setChanging(false);
        // Nobody is to ask for its deliveries when it is gone.
        setListing(false);
        await removeWebhook(id);
        toast(t("The webhook was removed."));
        onRemoved();
      } else {
        onSecret((await replaceSecret(id)).secret);
      }
    });
  const closeForm = () => {
    setChanging(false);
    change.current?.focus();
  };

  return (
    <li className="webhook" aria-labelledby={title}>
      <div className="webhook-head">
        <span id={title} className="webhook-url">
          {url}
        </span>
        <span className={enabled ? "badge" : "badge badge-none"}>
          {enabled ? t("on") : t("off")}
        </span>
      </div>
      <span className="webhook-facts">{factsOf(webhook)}</span>
      {reason && (
        <Notice tone="warn">
          <T
            text="The server switched it off: {{reason}}. Switch it on when the receiver is back."
            parts={{ reason: <span lang="en">{reason}</span> }}
          />
        </Notice>
      )}
      {secret && (
        <Secret
          secret={secret}
          onClose={() => {
            onSecret(null);
            change.current?.focus();
          }}
        />
      )}
      <div className="webhook-actions">
        <button
          type="button"
          className="quiet-button"
          aria-expanded={listing}
          onClick={() => setListing(!listing)}
        >
          <Icon name="chevron" />
          {t("Deliveries")}
        </button>
        {enabled && (
          <button type="button" className="quiet-button" aria-disabled={busy} onClick={test}>
            {t("Send a test")}
          </button>
        )}
        <button
          ref={change}
          type="button"
          className="quiet-button"
          aria-expanded={changing}
          onClick={() => setChanging(!changing)}
        >
          {t("Change")}
        </button>
        {!enabled && (
          <button type="button" className="quiet-button" aria-disabled={busy} onClick={turn}>
            {t("Switch on")}
          </button>
        )}
        <MenuButton
          className="icon-button"
          label={t("More for {{url}}", { url })}
          align="end"
          items={[
            ...(enabled ? [{ label: t("Switch off"), icon: "stop" as const, run: turn }] : []),
            { label: t("Another secret…"), icon: "redo", run: () => setAsked("secret") },
            { label: t("Remove…"), icon: "trash", tone: "bad", run: () => setAsked("remove") },
          ]}
        >
          <Icon name="more" />
        </MenuButton>
      </div>
      {changing && (
        <WebhookForm
          webhook={webhook}
          instance={webhook.instance}
          label={t("Change {{url}}", { url })}
          action={t("Save")}
          onCancel={closeForm}
          onSave={async (wanted) => {
            await changeWebhook(id, wanted);
            toast(t("The webhook was changed."));
            closeForm();
          }}
        />
      )}
      {listing && <Deliveries webhook={id} />}
      <Ask
        asked={asked}
        url={url}
        onCancel={() => setAsked(null)}
        onYes={() => {
          setAsked(null);
          goOn();
        }}
      />
    </li>
  );
}
