import type { Usage } from "../../../formats/conversation/reply.ts";
import { type JsonObject, parseJson, recordOf } from "../../../formats/json.ts";
import type { CachedResponse } from "./cached-responses.ts";

/** Part of every entry's key: a release that reads entries differently has another one. */
export const ENTRY_FORMAT = 2;

/** A response as replicas share it. */
export const entryText = (response: CachedResponse): string => JSON.stringify(response);

const COUNTS = [
  ...["promptTokens", "completionTokens", "cachedTokens", "cacheCreationTokens"],
  ...["reasoningTokens", "audioInputTokens", "audioOutputTokens"],
];

/** The response of such a text; null: it is none. */
export function readEntry(text: string): CachedResponse | null {
  const entry = recordOf(parseJson(text));
  const usage = recordOf(entry?.usage);
  if (!entry || !usage || !isUsage(usage)) return null;
  const { text: answer, contentType, isStream, withUsage, storedAt, expiresAt, tiers, upstreamCost, dropped } = entry;
  if (typeof answer !== "string" || typeof contentType !== "string") return null;
  if (typeof isStream !== "boolean" || typeof withUsage !== "boolean") return null;
  if (!isCount(storedAt) || !isCount(expiresAt) || !(upstreamCost === null || isCount(upstreamCost))) return null;
  if (!isTexts(tiers) || !isTexts(dropped)) return null;
  return { text: answer, contentType, isStream, withUsage, storedAt, expiresAt, usage, tiers, upstreamCost, dropped };
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((text) => typeof text === "string");

const isCount = (value: unknown): value is number => typeof value === "number" && value >= 0;

/** Whether it counts what every usage does; its other members are a number or an object of numbers. */
const isUsage = (value: JsonObject): value is JsonObject & Usage =>
  COUNTS.every((name) => isCount(value[name])) &&
  Object.values(value).every(
    (member) => isCount(member) || Object.values(recordOf(member) ?? { none: null }).every(isCount),
  );
