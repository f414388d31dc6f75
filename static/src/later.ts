/**
 * What the page can do without until it is shown: its keys, its other looks, and its service worker with what is told by
 * that.
 */
import { api } from "./api/client";
import { keys, queryClient } from "./api/queries";
import { renew } from "./features/ended/device";
import { watchBadge } from "./features/installed/badge";
import { listen } from "./features/shortcuts/keys";
import { whenIdle } from "./ui/idle";

listen();
watchBadge();
whenIdle(() => {
  // Without them it looks there as it does on the screen.
  import("./styles/other-looks").catch(() => undefined);
});
// What fails here is put right when a page is opened again, and shown in the settings until then.
queryClient
  .fetchQuery({ queryKey: keys.user, queryFn: api.user, staleTime: 300_000 })
  .then(renew)
  .catch(() => undefined);
