import { boundRecord } from "../../bounds/record-bounds.ts";
import type { LogOther, UsageRecord } from "../../types.ts";

/** Between fields and between records; and what stands for a newline, which ends a line of the journal. */
export const FIELD = "\u001f";
export const RECORD = "\u001e";
const NEWLINE = "\u001d";

/** No id of a request begins so. */
const EARLIER = "{";

/** The text of a record whose fields are brought within their bounds. */
export const recordText = (record: UsageRecord): string => boundedText(boundRecord(record));

/**
 * The one text of a record that the journal keeps and the database reads: its fields in a fixed order, `other` as JSON; a
 * third of what JSON takes the database to read. The record is within its bounds (`boundRecord`): `content` is the only text that
 * may have line breaks, and none has one of the characters that separate fields and records.
 */
export function boundedText(record: UsageRecord): string {
  const { budgets, plan, included } = record;
  const paidBy =
    included !== undefined ? `${FIELD}${plan ?? ""}${FIELD}${included}` : plan === undefined ? "" : FIELD + plan;
  // One template: a list that is joined takes twice as long. Most charges count in no budget and end with the field before.
  return (
    `${record.requestId.startsWith(EARLIER) ? "_" : ""}${record.requestId}${FIELD}${record.createdAt}${FIELD}${record.userId}${FIELD}${record.username}` +
    `${FIELD}${record.tokenId}${FIELD}${record.tokenName}${FIELD}${record.tokenLimited}` +
    `${FIELD}${record.modelName}${FIELD}${record.channelId}${FIELD}${record.group}` +
    `${FIELD}${record.isStream}${FIELD}${record.failed}${FIELD}${record.elapsedMs}` +
    `${FIELD}${record.promptTokens}${FIELD}${record.completionTokens}` +
    `${FIELD}${record.quota}${FIELD}${record.ip}${FIELD}${record.content.replaceAll("\n", NEWLINE)}` +
    `${FIELD}${JSON.stringify(record.other)}${FIELD}${record.unlogged === true}${budgets?.length || paidBy ? FIELD + (budgets ?? []).join() + paidBy : ""}`
  );
}

/** The record of a text, also of one that an earlier version wrote: JSON. */
export function readRecord(text: string): UsageRecord {
  if (isEarlier(text)) return JSON.parse(text) as UsageRecord;
  const fields = text.split(FIELD);
  const string = (at: number) => (fields[at] ?? "").replaceAll(NEWLINE, "\n");
  const number = (at: number) => Number(fields[at]);
  const flag = (at: number) => fields[at] === "true";
  return {
    requestId: string(0),
    createdAt: number(1),
    userId: number(2),
    username: string(3),
    tokenId: number(4),
    tokenName: string(5),
    tokenLimited: flag(6),
    modelName: string(7),
    channelId: number(8),
    group: string(9),
    isStream: flag(10),
    failed: flag(11),
    elapsedMs: number(12),
    promptTokens: number(13),
    completionTokens: number(14),
    quota: number(15),
    ip: string(16),
    content: string(17),
    other: JSON.parse(fields[18] ?? "{}") as LogOther,
    ...(flag(19) && { unlogged: true }),
    ...(fields[20] && { budgets: fields[20].split(",").map(Number) }),
    ...(fields[21] && { plan: Number(fields[21]) }),
    ...(fields[22] && { included: Number(fields[22]) }),
  };
}

/** The same of a text that may be no record; null: it is none. */
export function tryReadRecord(text: string): UsageRecord | null {
  try {
    return readRecord(text);
  } catch {
    return null;
  }
}

/** Whether a record, as its text, counts in budgets or is paid by a plan. */
export const hasBudgets = (text: string): boolean =>
  isEarlier(text) ? text.includes('"budgets":[') : !text.endsWith("true") && !text.endsWith("false");

/** Whether a record, as its text, has tags or an end user: in `other`, where such a name in a text would be escaped. */
export const hasLabels = (text: string): boolean => text.includes('"tags":[') || text.includes('"end_user":');

/** Texts of records as the database reads them: U+001E between records, U+001F between fields. */
export function batchText(texts: readonly string[]): string {
  const current = texts.some(isEarlier)
    ? texts.map((text) => (isEarlier(text) ? recordText(readRecord(text)) : text))
    : texts;
  return current.join(RECORD).replaceAll(NEWLINE, "\n");
}

/** JSON, which an earlier version wrote. */
const isEarlier = (text: string): boolean => text.startsWith(EARLIER);

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
  plan: (value) => value === undefined || isCount(value),
  included: (value) => value === undefined || isCount(value),
  unlogged: (value) => value === undefined || value === true,
};

/** Whether a record has a field of this name. */
export const isField = (name: string): name is keyof UsageRecord => Object.hasOwn(FIELDS, name);

/** The field of a record, as somebody may have edited it, that is missing or wrong; null: none is. */
export function wrongField(value: unknown): string | null {
  if (!isObject(value)) return "record";
  for (const [name, holds] of Object.entries(FIELDS)) if (!holds(value[name])) return name;
  return null;
}
