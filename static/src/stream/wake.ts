/** What brings a waiting page back: the network returns, or the person does. */

export type Wake = "online" | "visible";

/** Calls back on every wake until the returned function is called. */
export function onWake(listener: (wake: Wake) => void): () => void {
  const online = () => listener("online");
  const visible = () => {
    if (document.visibilityState === "visible") listener("visible");
  };
  addEventListener("online", online);
  // A page taken out of the back-forward cache need not change its visibility.
  addEventListener("pageshow", visible);
  document.addEventListener("visibilitychange", visible);
  return () => {
    removeEventListener("online", online);
    removeEventListener("pageshow", visible);
    document.removeEventListener("visibilitychange", visible);
  };
}

/** Waits `ms`; shorter when something wakes the page, or when the signal aborts ("left"). */
export function pause(ms: number, signal: AbortSignal): Promise<"over" | "woken" | "left"> {
  return new Promise((resolve) => {
    const settle = (how: "over" | "woken" | "left") => {
      clearTimeout(timer);
      stopListening();
      signal.removeEventListener("abort", leave);
      resolve(how);
    };
    const leave = () => settle("left");
    const timer = setTimeout(() => settle("over"), ms);
    const stopListening = onWake(() => settle("woken"));
    signal.addEventListener("abort", leave);
    if (signal.aborted) leave();
  });
}
