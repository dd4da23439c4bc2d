import { FieldError } from "../../../../lib/field-readers.ts";

/** The variables of a server's process, by name. */
export type Environment = Readonly<Record<string, string>>;

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const MAX_VARIABLES = 100;
/** A shorter value is no secret, and would black out much of what is read. */
const MIN_HIDDEN_LENGTH = 4;

/** Reads `NAME=value` lines; empty ones and those that begin with # count for nothing. Throws FieldError. */
export function readEnvironment(text: string): Environment {
  const lines = text.split("\n").map((line) => line.replace(/\r$/, ""));
  const entries = lines.flatMap((line) => {
    if (line.trim() === "" || line.trimStart().startsWith("#")) return [];
    const at = line.indexOf("=");
    const name = line.slice(0, at).trim();
    if (at < 0 || !NAME.test(name) || line.includes("\0")) throw new FieldError("secret", "lines of NAME=value");
    return [[name, line.slice(at + 1)] as const];
  });
  if (entries.length > MAX_VARIABLES) throw new FieldError("secret", `at most ${MAX_VARIABLES} variables`);
  return Object.fromEntries(entries);
}

/** What a process wrote, without the values of its variables and without control characters. */
export function hideValues(text: string, environment: Environment): string {
  const values = Object.values(environment)
    .filter((value) => value.length >= MIN_HIDDEN_LENGTH)
    .sort((a, b) => b.length - a.length);
  const hidden = values.reduce((rest, value) => rest.replaceAll(value, "***"), text);
  return hidden.replace(/(?![\n\t])[\p{Cc}\p{Cf}]/gu, "");
}
