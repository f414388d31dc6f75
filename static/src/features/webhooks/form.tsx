import { useId, useState } from "react";
import type { Webhook, WebhookChange } from "../../api/webhooks";
import { t } from "../../i18n";
import { useAttempt } from "../../ui/attempt";
import { Notice } from "../../ui/notice";
import { CheckField, Errors, messagesAt, TextField } from "../settings/fields";
import { choices } from "./events";

const example = "https://hooks.example.com/council";

interface Props {
  /** The one that is changed; none where one is made. */
  webhook?: Webhook;
  instance: boolean;
  label: string;
  action: string;
  onSave: (wanted: WebhookChange) => Promise<void>;
  onCancel: () => void;
}

/** Where deliveries go, what of, and how much they say. */
export function WebhookForm({ webhook, instance, label, action, onSave, onCancel }: Props) {
  const id = useId();
  const [url, setUrl] = useState(webhook?.url ?? "");
  const [events, setEvents] = useState<readonly string[]>(
    webhook?.events ?? choices.map(([event]) => event),
  );
  const [content, setContent] = useState(webhook?.include_content ?? false);
  const { busy, problem, attempt } = useAttempt();
  const errors = problem?.fields ?? [];
  const ofEvents = errors.filter(({ field }) => field === "events" || field.startsWith("events."));
  const save = () =>
    attempt(() =>
      onSave({
        url: url.trim(),
        events,
        ...(instance ? {} : { include_content: content }),
        ...(instance && !webhook ? { instance: true } : {}),
      }),
    );
  return (
    <form
      className="webhook-form"
      aria-label={label}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
      onKeyDown={(event) => event.key === "Escape" && onCancel()}
    >
      <TextField
        label={t("Address")}
        hint={t("Where deliveries are sent, by POST.")}
        value={url}
        placeholder={example}
        errors={messagesAt(errors, "url")}
        onChange={setUrl}
      />
      <fieldset
        className="webhook-events"
        aria-describedby={ofEvents.length > 0 ? `${id}-events` : undefined}
      >
        <legend>{t("It is told when")}</legend>
        {choices.map(([event, title]) => (
          <CheckField
            key={event}
            label={t(title)}
            hint={event}
            checked={events.includes(event)}
            onChange={(on) =>
              setEvents(on ? [...events, event] : events.filter((one) => one !== event))
            }
          />
        ))}
        <Errors id={`${id}-events`} messages={ofEvents.map(({ message }) => message)} />
      </fieldset>
      {instance ? (
        <p className="field-hint">
          {t(
            "It is told whose run it was, how it ended and what it cost. Questions and answers are never sent: they are their people’s.",
          )}
        </p>
      ) : (
        <CheckField
          label={t("Send title, question and answer too")}
          hint={t(
            "Whoever runs this address can then read them. Without them a delivery says which run ended, how, what it cost, and where you read it.",
          )}
          checked={content}
          onChange={setContent}
        />
      )}
      {problem && errors.length === 0 && (
        <Notice tone="bad" urgent>
          {t("Not saved: {{message}}", { message: problem.message })}
        </Notice>
      )}
      <div className="webhook-actions">
        <button type="submit" className="button button-main" disabled={busy || url.trim() === ""}>
          {busy ? t("Saving…") : action}
        </button>
        <button type="button" className="button" onClick={onCancel}>
          {t("Cancel")}
        </button>
      </div>
    </form>
  );
}
