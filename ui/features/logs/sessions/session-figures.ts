import type { SessionView } from "./session-calls.ts";

/** What two sessions are compared by. */
export const FIGURES = [
  "calls",
  "failed",
  "cost",
  "duration",
  "busy",
  "prompt",
  "cached",
  "completion",
  "tools",
] as const;
export type Figure = (typeof FIGURES)[number];

/** A figure of a session: milliseconds, quota units, tokens or a count. */
export function figureOf(session: SessionView, figure: Figure): number {
  switch (figure) {
    case "calls":
      return session.calls;
    case "failed":
      return session.failed;
    case "cost":
      return session.quota;
    case "duration":
      // Both are full seconds: a run within one second took as long as its calls.
      return Math.max((session.ended_at - session.started_at) * 1000, Math.min(session.elapsed_ms, 1000));
    case "busy":
      return session.elapsed_ms;
    case "prompt":
      return session.prompt_tokens;
    case "cached":
      return session.cached_tokens;
    case "completion":
      return session.completion_tokens;
    case "tools":
      return session.tool_calls;
  }
}

/** How much `other` differs from `one`, as a share of `one`; null: `one` is 0. */
export const differenceOf = (one: number, other: number): number | null => (one === 0 ? null : (other - one) / one);
