import "../../styles/sharing.css";
import { Link } from "wouter";
import { eachOnce } from "../../api/pages";
import { useShares } from "../../api/shares";
import { msg, t } from "../../i18n";
import { ReadFailed } from "../../ui/read-failed";
import { ShowMore } from "./more";
import { ShareRow } from "./row";

/** Everything that the reader shares. */
export default function MyShares() {
  const list = useShares(null);
  const shares = eachOnce(list.data?.pages, (page) => page.shares);
  const isOff = list.data?.pages[0]?.max_days === 0;
  return (
    <section className="panel" id="shared-links" aria-labelledby="shared-links-title">
      <h2 id="shared-links-title" tabIndex={-1}>
        {t("Shared links")}
      </h2>
      <p className="panel-lead">
        {t(
          "Everybody who is signed in here and has one of these links can read what it shows, unless it is only for members of a project.",
        )}
      </p>
      {list.isPending && <p className="quiet">{t("Loading links…")}</p>}
      {list.isError && !list.data && (
        <ReadFailed text={msg("Links could not be loaded: {{reason}}")} query={list} />
      )}
      {isOff && <p className="quiet">{t("Sharing is switched off on this server.")}</p>}
      {list.data && !isOff && shares.length === 0 && (
        <p className="quiet">{t("Nothing is shared.")}</p>
      )}
      {shares.length > 0 && (
        <ul className="shares">
          {shares.map((share) => (
            <ShareRow
              key={share.id}
              share={share}
              name={share.title}
              title={
                <Link href={`/c/${share.conversation_id}`} className="share-title">
                  <bdi>{share.title}</bdi>
                </Link>
              }
              otherwise="#shared-links-title"
            />
          ))}
        </ul>
      )}
      <ShowMore list={list} />
    </section>
  );
}
