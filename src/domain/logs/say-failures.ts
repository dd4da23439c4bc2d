import type { LogOther } from "../../billing/types.ts";
import type { Language } from "../../lib/messages.ts";
import { sayFailure } from "../../lib/recognise.ts";
import type { LogView } from "./log-view.ts";

/** The rows with why calls failed in `language`, as far as the gateway itself said why. */
export const sayFailures = (rows: readonly LogView[], language: Language): readonly LogView[] =>
  language === "en" ? rows : rows.map((row) => (row.failed ? { ...row, other: sayWithin(row.other, language) } : row));

function sayWithin(text: string, language: Language): string {
  if (!text.includes('"error":')) return text;
  try {
    const other = JSON.parse(text) as LogOther;
    const told = <Part extends Readonly<{ error?: string }>>(part: Part): Part =>
      typeof part.error === "string" ? { ...part, error: sayFailure(part.error, language) } : part;
    const info = other.admin_info;
    return JSON.stringify({
      ...told(other),
      ...(info?.attempts && { admin_info: { ...info, attempts: info.attempts.map(told) } }),
    });
  } catch {
    return text;
  }
}
