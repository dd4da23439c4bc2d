/**
 * The notes of the log in whose texts, as the reader has them, what was typed occurs: by code, without the endings of their
 * plural forms. None for nothing.
 */
export function noteCodesWith(typed: string, texts: Readonly<Record<string, string>>): readonly string[] {
  const wanted = typed.trim().toLowerCase();
  if (wanted === "") return [];
  const fitting = Object.entries(texts).filter(([, text]) => withoutValues(text).toLowerCase().includes(wanted));
  return [...new Set(fitting.map(([code]) => code.replace(/_(one|other)$/, "")))];
}

const withoutValues = (text: string): string => text.replaceAll(/\{\{\w+\}\}/g, "\n");
