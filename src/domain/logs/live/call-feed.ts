import type { Sentence } from "../../../lib/messages.ts";

/** A relayed call as it happens, without its contents and without secrets; names as in the log. */
export type LiveCall = Readonly<{
  /** The id of its log row. */
  request_id: string;
  /** False while it runs. */
  is_over: boolean;
  /** Epoch seconds at which it arrived. */
  created_at: number;
  user_id: number;
  username: string;
  token_name: string;
  model_name: string;
  /** 0 before a channel was chosen. */
  channel: number;
  channel_name: string;
  group: string;
  is_stream: boolean;
  failed: boolean;
  /** Answered to the client; 0 while it runs. */
  status: number;
  /** In English, or in an upstream's own words; empty: none. */
  error: string;
  /** The same as a code with parameters, where the gateway itself says why. */
  error_reason: Sentence | null;
  elapsed_ms: number;
  prompt_tokens: number;
  completion_tokens: number;
  quota: number;
  ip: string;
}>;

type Listener = (call: LiveCall) => void;

export type CallFeed = Readonly<{
  /** Somebody watches: else nothing needs to be told. */
  readonly isWatched: boolean;
  /** Hands a call on to those who watch. */
  tell(call: LiveCall): void;
  /** Calls of this process from now on, until the returned function is called. `onEnd` hears that the feed is closed, also when it was already. */
  watch(listener: Listener, onEnd: () => void): () => void;
  /** Sends everybody away, for good. */
  close(): void;
}>;

/** Joins the relay, which tells of calls, with the console, which shows them. */
export function createCallFeed(): CallFeed {
  const watchers = new Map<Listener, () => void>();
  let isClosed = false;
  return {
    get isWatched() {
      return watchers.size > 0;
    },
    tell(call) {
      for (const listener of watchers.keys()) listener(call);
    },
    watch(listener, onEnd) {
      if (isClosed) queueMicrotask(onEnd);
      else watchers.set(listener, onEnd);
      return () => watchers.delete(listener);
    },
    close() {
      isClosed = true;
      for (const onEnd of [...watchers.values()]) onEnd();
      watchers.clear();
    },
  };
}
