import { type Language, type WrittenLanguage, writtenLanguage } from "../../lib/messages.ts";
import { type Reason, sayReason } from "../../lib/reason.ts";

/** A notice, in English and Chinese. `{{value}}` in a text stands for the next of `values`. */
export type Notice = Readonly<{
  /** The kind, for programs: `quota_exceed`, `channel_update_7_3`, … */
  type: string;
  title: Readonly<Record<WrittenLanguage, string>>;
  content: Readonly<Record<WrittenLanguage, string>>;
  values: readonly (Reason | number)[];
  /** Where in the console to go on, as a path. */
  path?: string;
  /** The broadcast that it belongs to; its history says who was reached. */
  broadcastId?: number;
}>;

/** A notice in one language, its values filled in. */
export type Message = Readonly<{
  type: string;
  title: string;
  content: string;
  values: readonly (string | number)[];
  link: Readonly<{ label: string; address: string }> | null;
}>;

/** Says a notice in a language; `site` is the address of the console. */
export function sayNotice(notice: Notice, language: Language, site: string): Message {
  const values = notice.values.map((value) => (typeof value === "number" ? value : sayReason(value, language)));
  const left = [...values];
  const written = writtenLanguage(language);
  return {
    type: notice.type,
    title: notice.title[written],
    content: notice.content[written].replace(/\{\{value\}\}/g, () => String(left.shift() ?? "")),
    values,
    link:
      notice.path === undefined
        ? null
        : { label: written === "zh" ? "打开控制台" : "Open the console", address: site + notice.path },
  };
}
