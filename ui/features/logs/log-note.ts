import type { TFunction } from "i18next";
import { exactTime } from "../../components/TimeAgo.tsx";
import { moneyText } from "../wallet/money-text.ts";

/** A row of the log that says something: in English, and where `other` has a note in any language. */
type Noted = Readonly<{ content: string; other: string }>;

/** What a row of the log says, in the reader's language where the row has a note that the console knows. */
export function noteText({ content, other }: Noted, t: TFunction, language: string): string {
  return sayNote(noteOf(other), content, t, language);
}

/** A note in the reader's language; `content` where there is none that the console knows. */
export function sayNote(note: unknown, content: string, t: TFunction, language: string): string {
  if (!isRecord(note) || typeof note.code !== "string") return content;
  const key = `logNotes.texts.${note.code}`;
  const text: unknown = t(`logNotes.texts.${note.code}`, shown(isRecord(note.params) ? note.params : {}, language));
  return typeof text === "string" && text !== key ? text : content;
}

function noteOf(other: string): unknown {
  // Most rows are calls and have none: they need not be read.
  if (!other.includes('"note":')) return null;
  try {
    const parsed: unknown = JSON.parse(other);
    return isRecord(parsed) ? parsed.note : null;
  } catch {
    return null;
  }
}

/** What is filled in, as people read it. */
function shown(params: Record<string, unknown>, language: string): Record<string, unknown> {
  const { money, currency, time } = params;
  const isMoney = typeof money === "string" && typeof currency === "string";
  return {
    ...params,
    ...(isMoney && { money: moneyText(money, currency, language) }),
    ...(typeof time === "number" && { time: exactTime(time, language) }),
  };
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
