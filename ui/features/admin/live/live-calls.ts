import { useCallback, useEffect, useRef, useState } from "react";
import type { LiveCall } from "../../../../src/domain/logs/live/call-feed.ts";
import { ApiError, followEvents } from "../../../api/client.ts";
import { liveApi } from "../../../api/groups.ts";
import { failureText } from "../../../state/failure-text.ts";

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

/** Rows that are kept: more than anybody scrolls back to while new ones come. */
export const MOST_CALLS = 300;

/** The calls with the new ones on top, newest first; what is told again takes the place of what was told before. */
export function mergeCalls(shown: readonly LiveCall[], told: readonly LiveCall[]): readonly LiveCall[] {
  const latest = new Map(told.map((call) => [call.request_id, call]));
  const kept = shown.map((call) => {
    const news = latest.get(call.request_id);
    if (!news) return call;
    latest.delete(call.request_id);
    // An end may overtake its beginning on the way.
    return call.is_over ? call : news;
  });
  return [...[...latest.values()].reverse(), ...kept].slice(0, MOST_CALLS);
}

/** Whether a call has the text anywhere in what names it. */
export function namesText(call: LiveCall, text: string): boolean {
  const sought = text.trim().toLowerCase();
  if (sought === "") return true;
  const names = [
    call.username,
    call.token_name,
    call.model_name,
    call.channel_name,
    call.group,
    call.ip,
    call.request_id,
    failureText(call),
  ];
  return names.some((name) => name.toLowerCase().includes(sought));
}
