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
  /** Somebody watches; otherwise nothing needs to be published. */
  readonly isWatched: boolean;
  /** Hands a call on to those who watch. */
  publish(call: LiveCall): void;
  /** Calls of this process from now on, until the returned function is called. Calls `onEnd` when the feed is closed, also when it was already. */
  watch(listener: Listener, onEnd: () => void): () => void;
  /** Sends everybody away, for good. */
  close(): void;
}>;

/** The feeds of the other workers of this host. */
export type OtherFeeds = Readonly<{
  /** `receive` gets calls of the others; `onWatched` whether somebody watches anywhere. */
  joinFeed(parts: Readonly<{ receive(calls: readonly LiveCall[]): void; onWatched(isWatched: boolean): void }>): void;
  /** Sends the others whether somebody watches here. */
  sendWatched(isWatched: boolean): void;
  /** Hands calls on to where somebody watches. */
  sendCalls(calls: readonly LiveCall[]): void;
}>;

/** Calls of a moment go to other workers in one message. */
const PASS_ON_MS = 100;

/** Joins the relay, which publishes calls, with the console, which shows them; `others`: in a worker. */
export function createCallFeed(others: OtherFeeds | null = null): CallFeed {
  const watchers = new Map<Listener, () => void>();
  let isClosed = false;
  let isWatchedAnywhere = false;
  let leaving: LiveCall[] = [];
  const show = (call: LiveCall) => {
    for (const listener of watchers.keys()) listener(call);
  };
  const passOn = (call: LiveCall) => {
    if (leaving.push(call) > 1) return;
    setTimeout(() => {
      others?.sendCalls(leaving);
      leaving = [];
    }, PASS_ON_MS);
  };
  const updateWatched = () => {
    feed.isWatched = watchers.size > 0 || isWatchedAnywhere;
  };
  const feed: CallFeed & { isWatched: boolean } = {
    isWatched: false,
    publish(call) {
      show(call);
      if (isWatchedAnywhere) passOn(call);
    },
    watch(listener, onEnd) {
      if (isClosed) queueMicrotask(onEnd);
      else if (watchers.set(listener, onEnd).size === 1) others?.sendWatched(true);
      updateWatched();
      return () => {
        if (watchers.delete(listener) && watchers.size === 0) others?.sendWatched(false);
        updateWatched();
      };
    },
    close() {
      isClosed = true;
      for (const onEnd of [...watchers.values()]) onEnd();
      watchers.clear();
      updateWatched();
    },
  };
  others?.joinFeed({
    receive: (calls) => calls.forEach(show),
    onWatched(isWatched) {
      isWatchedAnywhere = isWatched;
      updateWatched();
    },
  });
  return feed;
}
