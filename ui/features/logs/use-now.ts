import { useCallback, useEffect, useState } from "react";

const FOLLOW_MS = 5000;

const nowSeconds = (): number => Math.floor(Date.now() / 1000);

/**
 * The moment that open ranges end at, in epoch seconds: it stands still, so that pages do not shift while they are read,
 * until it is renewed, or moves by itself while following.
 */
export function useNow(isFollowing: boolean): [number, () => void] {
  const [now, setNow] = useState(nowSeconds);
  const renew = useCallback(() => setNow(nowSeconds()), []);
  useEffect(() => {
    if (!isFollowing) return;
    renew();
    const timer = setInterval(() => document.visibilityState === "visible" && renew(), FOLLOW_MS);
    return () => clearInterval(timer);
  }, [isFollowing, renew]);
  return [now, renew];
}
