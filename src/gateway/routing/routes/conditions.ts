import type { Hours, RouteConditions } from "../../../settings/option/model-routes.ts";

/** What the conditions of a route's candidates look at. */
export type CallFacts = Readonly<{
  /** Estimated. */
  promptTokens: number;
  image: boolean;
  audio: boolean;
  file: boolean;
  tools: boolean;
  tags: ReadonlySet<string>;
  group: string;
  /** Unix time in milliseconds. */
  nowMs: number;
}>;

export type UnmetCondition =
  | ("prompt_too_short" | "prompt_too_long")
  | ("needs_image" | "needs_audio" | "needs_file" | "needs_tools")
  | ("no_image_allowed" | "no_audio_allowed" | "no_file_allowed" | "no_tools_allowed")
  | ("tags" | "group" | "hours");

const MEMBERS = ["image", "audio", "file", "tools"] as const;

/** The first condition that a call does not meet; null: the candidate may serve it. */
export function unmetCondition(conditions: RouteConditions, facts: CallFacts): UnmetCondition | null {
  const { minPromptTokens, maxPromptTokens, groups, tags, hours } = conditions;
  if (groups && !groups.has(facts.group)) return "group";
  if (minPromptTokens !== undefined && facts.promptTokens < minPromptTokens) return "prompt_too_short";
  if (maxPromptTokens !== undefined && facts.promptTokens > maxPromptTokens) return "prompt_too_long";
  for (const member of MEMBERS) {
    const required = conditions[member];
    if (required !== undefined && required !== facts[member])
      return required ? `needs_${member}` : `no_${member}_allowed`;
  }
  if (tags?.isDisjointFrom(facts.tags)) return "tags";
  return hours && !isWithin(hours, facts.nowMs) ? "hours" : null;
}

const clocks = new Map<string, Intl.DateTimeFormat>();

/** Whether a moment lies in a daily period; its end is not part of it. */
export function isWithin({ from, to, zone }: Hours, nowMs: number): boolean {
  let clock = clocks.get(zone);
  if (!clock) {
    clock = new Intl.DateTimeFormat("en", { timeZone: zone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
    clocks.set(zone, clock);
  }
  const [hour = 0, minute = 0] = clock.format(nowMs).split(":").map(Number);
  const now = hour * 60 + minute;
  return from < to ? from <= now && now < to : now >= from || now < to;
}
