/** Tells people, wherever they are on the page and once each time, that administrators were let in to read their conversations. */
import { Link } from "wouter";
import { identity } from "../../api/identity";
import { type Access, ownDataQuery } from "../../api/own-data";
import { queryClient } from "../../api/queries";
import { t } from "../../i18n";
import { kept } from "../../ui/kept";
import { Notice } from "../../ui/notice";
import { useSlots } from "../../ui/slots";

/** When the last access that was seen was approved; kept in this browser. */
const key = "access-seen";

/** A page may stay open for days. */
const againMs = 3_600_000;

type Approved = Access & { approved_at: string };

function Told({ access }: { access: Approved }) {
  const seen = () => {
    kept.write(key, access.approved_at);
    useSlots.setState({ notice: null });
  };
  return (
    <Notice>
      {t("The administrators {{one}} and {{other}} have been allowed to read your conversations.", {
        one: access.requested_by,
        other: access.approved_by ?? "",
      })}{" "}
      <Link href="/settings#own-data" onClick={seen}>
        {t("See why, and what they read")}
      </Link>{" "}
      <button
        type="button"
        className="quiet-button"
        onClick={() => {
          seen();
          // The button goes, and keys go on in the page.
          document.getElementById("main")?.focus({ preventScroll: true });
        }}
      >
        {t("Dismiss")}
      </button>
    </Notice>
  );
}

/** Asks who was let in, and tells of the last one unless that was seen. */
async function look() {
  await identity.known();
  const { access } = await queryClient.fetchQuery(ownDataQuery);
  const last = access
    .filter((one): one is Approved => Boolean(one.approved_at))
    .toSorted((one, other) => (one.approved_at < other.approved_at ? 1 : -1))[0];
  if (last && last.approved_at > (kept.read(key) ?? "")) {
    useSlots.setState({ notice: <Told access={last} /> });
  }
}

/** Looks now, and whenever the page comes back after a while. Whoever calls tries again where the first look fails. */
export async function watch(): Promise<void> {
  await look();
  let looked = Date.now();
  const later = async () => {
    await look();
    looked = Date.now();
  };
  addEventListener("focus", () => {
    // One that fails is tried again when the page comes back the next time.
    if (Date.now() - looked >= againMs) later().catch(() => undefined);
  });
}
