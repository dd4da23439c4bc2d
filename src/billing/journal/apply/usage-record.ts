import type { UsageRecord } from "../../types.ts";

const isText = (value: unknown): boolean => typeof value === "string";
const isFlag = (value: unknown): boolean => typeof value === "boolean";
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const FIELDS: Readonly<Record<keyof UsageRecord, (value: unknown) => boolean>> = {
  requestId: (value) => isText(value) && value !== "",
  createdAt: (value) => isCount(value) && value !== 0,
  userId: isCount,
  username: isText,
  tokenId: isCount,
  tokenName: isText,
  tokenLimited: isFlag,
  modelName: isText,
  channelId: isCount,
  group: isText,
  isStream: isFlag,
  failed: isFlag,
  elapsedMs: isCount,
  promptTokens: isCount,
  completionTokens: isCount,
  quota: isCount,
  ip: isText,
  content: isText,
  other: isObject,
  budgets: (value) => value === undefined || (Array.isArray(value) && value.every(isCount)),
  unlogged: (value) => value === undefined || value === true,
};

/** The field of a record, as somebody may have edited it, that is missing or wrong; null: none is. */
export function wrongField(value: unknown): string | null {
  if (!isObject(value)) return "record";
  for (const [name, holds] of Object.entries(FIELDS)) if (!holds(value[name])) return name;
  return null;
}
