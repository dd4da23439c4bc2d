export type ChatRow = Readonly<{ name: string; link: string }>;

/** The chat links of the option's text; null when it is no such list. */
export function readChats(text: string): ChatRow[] | null {
  try {
    const value: unknown = JSON.parse(text);
    if (!Array.isArray(value)) return null;
    const rows = value.map((entry: unknown) => {
      const [pair, ...others] = entry && typeof entry === "object" ? Object.entries(entry) : [];
      return pair && others.length === 0 && typeof pair[1] === "string" ? { name: pair[0], link: pair[1] } : null;
    });
    return rows.some((row) => row === null) ? null : (rows as ChatRow[]);
  } catch {
    return null;
  }
}

export const chatsText = (rows: readonly ChatRow[]): string =>
  JSON.stringify(
    rows.map(({ name, link }) => ({ [name]: link })),
    null,
    2,
  );
