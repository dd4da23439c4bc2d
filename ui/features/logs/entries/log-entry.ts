import type { TFunction } from "i18next";
import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import type { LogOther } from "../../../../src/billing/types.ts";
import type { LogView } from "../../../../src/domain/logs/log-view.ts";
import { moneyText } from "../../../lib/format/money.ts";
import { exactTime } from "../../../lib/format/time.ts";
import { isRecord, readRecord } from "../../../lib/json.ts";
import { readOther } from "./log-other.ts";

/** A row of the usage log as returned by `GET /api/log/`; `other` is JSON text of `LogOther`. */
export type LogEntry = LogView;

/** The log's row types; 0 stands for all in filters and is shown as consumption in rows. */
export const LOG_TYPES = { topUp: 1, consume: 2, manage: 3, system: 4, checkIn: 5 } as const;

/** Whether the row is a relayed call. */
export const isCall = (entry: LogEntry): boolean => entry.type === LOG_TYPES.consume || entry.type === 0;

/** The row's `other`, without members that are not as the server writes them; empty if invalid. */
export const otherOf = ({ other }: Pick<LogEntry, "other">): Partial<LogOther> => readOther(other ?? "");

/** The row's group; imported rows may store it in `other`. */
export const groupOf = (entry: LogEntry): string => entry.group || (otherOf(entry).group ?? "");

/** Milliseconds the call took, exact where known. */
export const elapsedMsOf = (entry: LogEntry): number => entry.elapsed_ms || entry.use_time * 1000;

/** Milliseconds to the first token; null when none was recorded. */
export const firstTokenMsOf = (other: Partial<LogOther>): number | null =>
  other.frt !== undefined && other.frt > 0 ? other.frt : null;

/** Names of the channels that the call tried, in order; administrators only. */
export function routeOf(entry: LogEntry): string[] {
  const info = otherOf(entry).admin_info;
  if (!info) return [];
  const named = info.attempts?.map(({ channelId, channelName }) => channelName || `#${channelId}`) ?? [];
  return named.length > 0 ? named : info.use_channel;
}

/** A row with a note: English text, and a code in `other` if it can be translated. */
type NoteSource = Readonly<{ content: string; other: string }>;

/** The note of a row, translated if the console knows its code. */
export function noteText({ content, other }: NoteSource, t: TFunction, language: string): string {
  return sayNote(noteOf(other), content, t, language);
}

/** Translates a note; returns `content` if the console doesn't know its code. */
export function sayNote(note: unknown, content: string, t: TFunction, language: string): string {
  if (!isRecord(note) || typeof note.code !== "string") return content;
  const key = `logNotes.texts.${note.code}`;
  const params = shown(isRecord(note.params) ? note.params : {}, note.code, t, language);
  const text: unknown = t(`logNotes.texts.${note.code}`, params);
  return typeof text === "string" && text !== key ? text : content;
}

function noteOf(other: string): unknown {
  // Most rows are calls without a note: skip parsing them.
  if (!other.includes('"note":')) return null;
  return readRecord(other)?.note ?? null;
}

/** The note's parameters, formatted; those that are codes by their names. */
function shown(params: Record<string, unknown>, code: string, t: TFunction, language: string): Record<string, unknown> {
  const { money, currency, time, role, event } = params;
  const nameOf = (texts: string, value: string) => t(`${texts}.${value}`, { defaultValue: value });
  const isMoney = typeof money === "string" && typeof currency === "string";
  return {
    ...params,
    ...(isMoney && { money: moneyText(money, currency, language) }),
    ...(typeof time === "number" && { time: exactTime(time, language) }),
    // Administrators name their roles themselves.
    ...(typeof role === "string" && code.startsWith("organization_") && { role: nameOf("accountSwitch.roles", role) }),
    ...(typeof event === "string" && { event: nameOf("alertEvents.names", event) }),
  };
}

/** Returns the name of a row: its model, or its note. */
export function useEntryName(): (entry: LogEntry) => string {
  const { t, i18n } = useTranslation();
  return useCallback((entry) => entry.model_name || noteText(entry, t, i18n.language), [t, i18n.language]);
}

/**
 * What the call cost the operator, in quota units, responses that nobody got included; null: its channels do not say, or the reader
 * is no administrator.
 */
export function costOf(entry: Pick<LogEntry, "other">): number | null {
  const { upstream_cost: cost, attempts = [] } = otherOf(entry).admin_info ?? {};
  const failed = attempts.reduce((sum, attempt) => sum + (attempt.channel_cost ?? 0), 0);
  return cost === undefined && failed === 0 ? null : (cost ?? 0) + failed;
}

/** What is left of the call's charge after its cost; null as there. */
export function marginOf(entry: Pick<LogEntry, "other" | "quota">): number | null {
  const cost = costOf(entry);
  return cost === null ? null : entry.quota - cost;
}
