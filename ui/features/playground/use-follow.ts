import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

/** Nearer to the end than this, the reader is there. */
const NEAR_PX = 120;

const distanceToEnd = (): number => {
  const { scrollHeight } = document.documentElement;
  return scrollHeight - window.innerHeight - window.scrollY;
};

/**
 * Scrolls to the end of the window whenever `content` changes, until the reader scrolls up, and again once they are back at the
 * end. `follow` goes there.
 */
export function useFollow(content: unknown): Readonly<{ isAtEnd: boolean; follow: () => void }> {
  const [isAtEnd, setAtEnd] = useState(true);
  const isFollowing = useRef(true);
  const lastTop = useRef(0);
  useEffect(() => {
    const onScroll = () => {
      const isNear = distanceToEnd() < NEAR_PX;
      // Text that grows moves the end away; only the reader moves up.
      if (window.scrollY < lastTop.current - 1 && !isNear) isFollowing.current = false;
      if (isNear) isFollowing.current = true;
      lastTop.current = window.scrollY;
      setAtEnd(isNear);
    };
    window.addEventListener("scroll", onScroll, { passive: true });
    return () => window.removeEventListener("scroll", onScroll);
  }, []);
  const goToEnd = useCallback(() => window.scrollTo({ top: document.documentElement.scrollHeight }), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is what changes the height
  useLayoutEffect(() => {
    if (isFollowing.current) goToEnd();
    else setAtEnd(distanceToEnd() < NEAR_PX);
  }, [content, goToEnd]);
  const follow = useCallback(() => {
    isFollowing.current = true;
    goToEnd();
  }, [goToEnd]);
  return { isAtEnd, follow };
}
