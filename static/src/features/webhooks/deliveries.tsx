import { eachOnce } from "../../api/pages";
import { type Delivery, sendAgain, useDeliveries } from "../../api/webhooks";
import { msg, t } from "../../i18n";
import { useAttempt } from "../../ui/attempt";
import { dateFormat, sentence, when } from "../../ui/format";
import { MoreButton } from "../../ui/more-button";
import { ReadFailed } from "../../ui/read-failed";
import { toast } from "../../ui/toast";
import { nameOf } from "./events";

const clock = dateFormat({ dateStyle: "medium", timeStyle: "medium" });
const timeOf = (text: string) => clock(when(text));

const states: Record<Delivery["status"], string> = {
  pending: msg("waiting"),
  delivered: msg("delivered"),
  failed: msg("given up"),
};

/** How it went so far, in facts. */
function factsOf({ status, attempts, last_status, next_attempt_at }: Delivery): string {
  const facts = [];
  if (typeof last_status === "number") facts.push(t("HTTP {{status}}", { status: last_status }));
  if (attempts > 0) facts.push(t("{{count, number}} attempts", { count: attempts }));
  if (status === "pending" && next_attempt_at) {
    const due = when(next_attempt_at) <= new Date();
    facts.push(
      due ? t("under way") : t("next attempt {{time}}", { time: timeOf(next_attempt_at) }),
    );
  }
  return facts.join(" · ");
}

function Row({ webhook, delivery }: { webhook: string; delivery: Delivery }) {
  const { busy, attempt } = useAttempt();
  const time = timeOf(delivery.created_at);
  const again = () =>
    attempt(async () => {
      await sendAgain(webhook, delivery.id);
      toast(t("It is sent again."));
    }, msg("Not sent: {{message}}"));
  const facts = factsOf(delivery);
  return (
    <li className="delivery">
      <div className="delivery-what">
        <span className="delivery-head">
          <span className={`badge delivery-${delivery.status}`}>{t(states[delivery.status])}</span>
          <strong>{nameOf(delivery.event)}</strong>
          <time dateTime={`${delivery.created_at}Z`}>{time}</time>
        </span>
        {facts && <span className="delivery-facts">{facts}</span>}
        {delivery.last_error && (
          <span className="delivery-error" lang="en">
            {sentence(delivery.last_error)}
          </span>
        )}
      </div>
      <button
        type="button"
        className="quiet-button"
        aria-disabled={busy}
        aria-label={t("Send again: {{event}}, {{time}}", {
          event: nameOf(delivery.event),
          time,
        })}
        onClick={again}
      >
        {t("Send again")}
      </button>
    </li>
  );
}

/** A webhook's deliveries, made and pending. */
export function Deliveries({ webhook }: { webhook: string }) {
  const list = useDeliveries(webhook);
  const deliveries = eachOnce(list.data?.pages, (page) => page.deliveries);
  if (list.isPending) return <p className="quiet">{t("Loading deliveries…")}</p>;
  if (list.isError && !list.data) {
    return <ReadFailed text={msg("Deliveries could not be loaded: {{reason}}")} query={list} />;
  }
  if (deliveries.length === 0) {
    return (
      <p className="quiet">
        {t("Nothing was sent yet. A test shows whether the address takes deliveries.")}
      </p>
    );
  }
  return (
    <>
      <ul className="deliveries">
        {deliveries.map((delivery) => (
          <Row key={delivery.id} webhook={webhook} delivery={delivery} />
        ))}
      </ul>
      <MoreButton list={list} label={t("Show more")} />
      {!list.hasNextPage && <p className="field-hint">{t("Deliveries are kept for 30 days.")}</p>}
    </>
  );
}
