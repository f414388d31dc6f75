import { useEffect, useState } from "react";

/** A value once it has not changed for `ms`; until then the one before, and at first null or `first`. */
export function useSettled<T>(value: T, ms: number): T | null;
export function useSettled<T>(value: T, ms: number, first: T): T;
export function useSettled<T>(value: T, ms: number, first: T | null = null): T | null {
  const [settled, setSettled] = useState(first);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
