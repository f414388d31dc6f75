/** What this browser is subscribed to, if it is: told of a person's runs with the page closed. */
export async function subscription(): Promise<PushSubscription | null> {
  if (!("serviceWorker" in navigator) || !("PushManager" in window)) return null;
  const registration = await navigator.serviceWorker.getRegistration();
  return (await registration?.pushManager.getSubscription()) ?? null;
}

/** How long to wait for a push service that does not answer. */
const patienceMs = 2_000;

/**
 * From here on nothing reaches this browser. Its push service says so to whoever sends to it. Where it cannot be told, the
 * next user who is told of runs in this browser takes the subscription over.
 */
export async function unsubscribe(): Promise<void> {
  const leave = async () => {
    const registration = await navigator.serviceWorker?.getRegistration();
    for (const shown of (await registration?.getNotifications()) ?? []) shown.close();
    await (await subscription())?.unsubscribe();
  };
  const patience = new Promise<void>((over) => setTimeout(over, patienceMs));
  await Promise.race([leave(), patience]).catch(() => undefined);
}
