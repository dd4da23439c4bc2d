import { useCallback, useEffect, useRef, useState } from "react";
import type { LiveCall } from "../../../src/domain/logs/live/call-feed.ts";
import { ApiError, followEvents } from "../../api/client.ts";
import { liveApi } from "../../api/groups.ts";
import { mergeCalls } from "./merge-calls.ts";

const AGAIN_MS = 3000;

export type LiveState = "connecting" | "open" | "lost";

/**
 * Follows calls as they happen while the page is open; a lost connection is tried again. While paused, what comes is
 * counted in `waiting` and shown when going on. `skipped`: how many were too many to be sent.
 */
export function useLiveCalls(isPaused: boolean) {
  const [calls, setCalls] = useState<readonly LiveCall[]>([]);
  const [waiting, setWaiting] = useState<readonly LiveCall[]>([]);
  const [skipped, setSkipped] = useState(0);
  const [state, setState] = useState<LiveState>("connecting");
  const [error, setError] = useState<unknown>(null);
  const paused = useRef(isPaused);
  paused.current = isPaused;

  useEffect(() => {
    const abort = new AbortController();
    const { signal } = abort;
    const follow = async () => {
      while (!signal.aborted) {
        try {
          await followEvents(liveApi.calls, {
            signal,
            onOpen: () => {
              setState("open");
              setError(null);
            },
            onEvent: (event) => {
              const add = paused.current ? setWaiting : setCalls;
              add((known) => mergeCalls(known, event.calls));
              if (event.skipped) setSkipped((sum) => sum + event.skipped);
            },
          });
        } catch (caught) {
          if (signal.aborted) return;
          setError(caught);
          if (caught instanceof ApiError && caught.status >= 400 && caught.status < 500) return;
        }
        if (signal.aborted) return;
        setState("lost");
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
    };
    void follow();
    return () => abort.abort();
  }, []);

  useEffect(() => {
    if (isPaused || waiting.length === 0) return;
    // Newest first, as they are shown; told ones come oldest first.
    setCalls((known) => mergeCalls(known, waiting.toReversed()));
    setWaiting([]);
  }, [isPaused, waiting]);

  const clear = useCallback(() => {
    setCalls([]);
    setWaiting([]);
    setSkipped(0);
  }, []);
  return { calls, waiting: waiting.length, skipped, state, error, clear };
}
