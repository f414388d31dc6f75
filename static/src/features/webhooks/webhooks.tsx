import "../../styles/webhooks.css";
import { useRef, useState } from "react";
import { makeWebhook, useWebhooks, type WebhookChange } from "../../api/webhooks";
import { msg, t } from "../../i18n";
import { ReadFailed } from "../../ui/read-failed";
import { toast } from "../../ui/toast";
import { WebhookForm } from "./form";
import { WebhookRow } from "./row";

/** The webhooks of one kind: the reader's own, or the instance's. */
export function Webhooks({ instance, lead }: { instance: boolean; lead: string }) {
  const list = useWebhooks();
  const [adding, setAdding] = useState(false);
  const [fresh, setFresh] = useState<{ id: string; secret: string } | null>(null);
  const panel = useRef<HTMLElement>(null);
  const webhooks = list.data?.webhooks.filter((one) => one.instance === instance) ?? [];
  const most = list.data?.most ?? 0;
  const id = instance ? "instance-webhooks" : "webhooks";

  /** What has the focus goes; the way to another one comes back, or stays. */
  const toTheWayIn = () =>
    requestAnimationFrame(() => {
      const way = [".webhook-add", "h2"].map((one) =>
        panel.current?.querySelector<HTMLElement>(one),
      );
      way.find(Boolean)?.focus();
    });
  const open = () => {
    setAdding(true);
    requestAnimationFrame(() => panel.current?.querySelector<HTMLElement>("form input")?.focus());
  };
  const add = async (wanted: WebhookChange) => {
    const made = await makeWebhook(wanted);
    setAdding(false);
    setFresh({ id: made.id, secret: made.secret });
    toast(t("The webhook was created."));
  };
  return (
    <section ref={panel} className="panel" id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`} tabIndex={-1}>
        {t("Webhooks")}
      </h2>
      <p className="panel-lead">{lead}</p>
      {list.isPending && <p className="quiet">{t("Loading webhooks…")}</p>}
      {list.isError && !list.data && (
        <ReadFailed text={msg("Webhooks could not be loaded: {{reason}}")} query={list} />
      )}
      {webhooks.length > 0 && (
        <ul className="webhooks">
          {webhooks.map((webhook) => (
            <WebhookRow
              key={webhook.id}
              webhook={webhook}
              secret={fresh?.id === webhook.id ? fresh.secret : null}
              onSecret={(secret) => setFresh(secret === null ? null : { id: webhook.id, secret })}
              onRemoved={toTheWayIn}
            />
          ))}
        </ul>
      )}
      {list.data && most === 0 && (
        <p className="quiet">{t("Webhooks are switched off on this server.")}</p>
      )}
      {list.data && most > 0 && webhooks.length === 0 && !adding && (
        <p className="quiet">{t("There are no webhooks yet.")}</p>
      )}
      {most > 0 && webhooks.length >= most && (
        <p className="quiet">
          {t("There can be {{count, number}} webhooks at most; remove one to add another.", {
            count: most,
          })}
        </p>
      )}
      {list.data && webhooks.length < most && !adding && (
        <button type="button" className="button webhook-add" onClick={open}>
          {t("Add a webhook")}
        </button>
      )}
      {adding && (
        <WebhookForm
          instance={instance}
          label={t("New webhook")}
          action={t("Create webhook")}
          onSave={add}
          onCancel={() => {
            setAdding(false);
            toTheWayIn();
          }}
        />
      )}
    </section>
  );
}
