import { type Language, type WrittenLanguage, writtenLanguage } from "../../lib/messages.ts";
import { type Message, type Notice, sayNotice } from "../notifications/message.ts";

/** From what wakes somebody up to what is only good to know. */
export const SEVERITIES = ["critical", "error", "warning", "info"] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Something that began or ended, in both languages. */
export type Alert = Readonly<{
  /** Names the incident: its end carries the key of its beginning. */
  key: string;
  state: "firing" | "resolved";
  severity: Severity;
  notice: Notice;
  /** When it happened, in epoch seconds. */
  at: number;
}>;

/** An alert as a destination sends it, in one language. */
export type AlertMessage = Omit<Alert, "notice"> &
  Message &
  Readonly<{
    /** The site's name. */
    site: string;
    /** The address of the site's console. */
    address: string;
  }>;

/** The alert that a column keeps as JSON. */
export const storedAlert = (column: Readonly<Record<string, unknown>>): Alert => column as unknown as Alert;

const RESOLVED: Readonly<Record<WrittenLanguage, string>> = { en: "Resolved: ", zh: "已恢复：" };

/** Says an alert in a language; the title of one that ended says so. */
export function sayAlert(
  { notice, ...alert }: Alert,
  language: Language,
  { site, address }: Readonly<{ site: string; address: string }>,
): AlertMessage {
  const message = sayNotice(notice, language, address);
  const title = alert.state === "resolved" ? RESOLVED[writtenLanguage(language)] + message.title : message.title;
  return { ...message, ...alert, title, site, address };
}
