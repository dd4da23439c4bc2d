import { useCallback, useEffect, useRef, useState } from "react";
import type { LiveCall } from "../../../../src/domain/logs/live/call-feed.ts";
import { ApiError, followEvents } from "../../../api/client.ts";
import { liveApi } from "../../../api/groups.ts";
import { failureText } from "../../../state/failure-text.ts";

const AGAIN_MS = 3000;

export type LiveState = "connecting" | "open" | "lost";

/**
 * Follows calls live while the page is open and reconnects when the connection is lost. While paused, new calls are
 * counted in `waiting` and shown on resume. `skipped`: how many calls the server left out because there were too many.
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
    // Displayed newest first; events arrive oldest first.
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

/** Maximum number of rows: more than anybody scrolls back through. */
export const MOST_CALLS = 300;

/** Prepends new calls, newest first; an update replaces the earlier row of the same call. */
export function mergeCalls(shown: readonly LiveCall[], updates: readonly LiveCall[]): readonly LiveCall[] {
  const latest = new Map(updates.map((call) => [call.request_id, call]));
  const previous = shown.map((call) => {
    const news = latest.get(call.request_id);
    if (!news) return call;
    latest.delete(call.request_id);
    // The end event of a call may arrive before its start event.
    return call.is_over ? call : news;
  });
  return [...[...latest.values()].reverse(), ...previous].slice(0, MOST_CALLS);
}

/** Whether any of a call's names contains the text. */
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
