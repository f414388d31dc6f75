/**
 * What the page can do without until it is shown: its keys, how it looks on paper and in the system's own colours, and its
 * service worker with what is told by that.
 */
import "./styles/forced-colors.css";
import "./styles/print.css";
import { api } from "./api/client";
import { keys, queryClient } from "./api/queries";
import { renew } from "./features/ended/device";
import { watchBadge } from "./features/installed/badge";
import { listen } from "./features/shortcuts/keys";

listen();
watchBadge();
// What fails here is put right when a page is opened again, and shown in the settings until then.
queryClient
  .fetchQuery({ queryKey: keys.user, queryFn: api.user, staleTime: 300_000 })
  .then(renew)
  .catch(() => undefined);
