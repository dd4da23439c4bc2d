import { chmod } from "node:fs/promises";
import { parseJson } from "../../formats/json.ts";

/** Reads lines such as `NAME="value"` or `NAME=value`; `#` begins a comment. Rejects when the file can't be read. */
export async function readSecretsFile(file: string): Promise<Record<string, string>> {
  const values: Record<string, string> = {};
  for (const line of (await Bun.file(file).text()).split(/\r?\n/)) {
    const [, name, text = ""] = /^\s*(?:export\s+)?([A-Za-z_]\w*)=(.*)$/.exec(line) ?? [];
    if (name === undefined) continue;
    const quoted = text.startsWith('"') ? parseJson(text.trim()) : undefined;
    values[name] = typeof quoted === "string" ? quoted : text.trim();
  }
  return values;
}

/** Writes such a file, which its owner alone may read. */
export async function writeSecretsFile(file: string, values: Readonly<Record<string, string>>): Promise<void> {
  const lines = Object.entries(values).map(([name, value]) => `${name}=${JSON.stringify(value)}\n`);
  await Bun.write(file, "", { mode: 0o600 });
  await chmod(file, 0o600);
  await Bun.write(file, lines.join(""));
}
