import type { Attempt } from "../../billing/types.ts";
import type { Choice } from "../routing/scheduler/choose.ts";
import type { Route } from "./bind-channel.ts";

/** The attempts of one call, in order, as its log row lists them. */
export class AttemptLog {
  readonly entries: Attempt[] = [];
  /** The channel of the latest attempt, by which the call is charged and logged; null before the first one. */
  route: Route | null = null;

  /** The same attempts, charged by another route. */
  withRoute(route: Route): AttemptLog {
    const log = new AttemptLog();
    log.entries.push(...this.entries);
    log.route = route;
    return log;
  }

  get isEmpty(): boolean {
    return this.entries.length === 0;
  }

  /** The latest attempt served a stream that has ended: `elapsedMs` since the call arrived. */
  endStream(elapsedMs: number): void {
    const last = this.entries.at(-1);
    if (last) last.endMs = Math.round(elapsedMs);
  }

  /** Begins the entry of an attempt; `startMs`: milliseconds since the call arrived. */
  begin({ channel }: Choice, startMs: number): Attempt {
    const entry: Attempt = {
      channelId: channel.id,
      channelName: channel.name,
      status: 0,
      startMs: Math.round(startMs),
      firstByteMs: null,
      endMs: 0,
    };
    this.entries.push(entry);
    return entry;
  }
}
