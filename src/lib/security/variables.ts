import { readFileSync } from "node:fs";
import { isSecretReference } from "./secret-references/reference.ts";

/** The environment is wrong; the message names the variable and says what it may be. */
export class ConfigError extends Error {
  override name = "ConfigError";
}

/** The value of an environment variable without surrounding spaces; null: it is not set, or empty. */
export type ReadText = (name: string) => string | null;

/** One setting of the process, made of one environment variable or of a few that belong together. */
export type Variable<Value> = Readonly<{
  /** The names of its variables, with the value of each where it is not set, as the documentation writes it. */
  defaults: Readonly<Record<string, string>>;
  /** Older names that are read where the first one is not set. */
  aliases: readonly string[];
  /** Only tests set it: it is not in the documentation. */
  isForTests: boolean;
  /** `<name>_FILE` may name a file that holds the value. */
  isSecret: boolean;
  /** The text itself, which may be a reference where the variable is secret. Throws ConfigError. */
  readText(text: ReadText): string | null;
  /** Throws ConfigError. */
  read(text: ReadText): Value;
}>;

type Options = Readonly<{ shown?: string; aliases?: readonly string[]; isForTests?: boolean; isSecret?: boolean }>;

/** A setting of one variable; `parse` gets its text, or null where it is not set. */
export function variable<Value>(
  name: string,
  parse: (value: string | null) => Value,
  { shown = "unset", aliases = [], isForTests = false, isSecret = false }: Options = {},
): Variable<Value> {
  const readText = (text: ReadText) => {
    const value = [name, ...aliases].map(text).find((found) => found !== null) ?? null;
    return isSecret ? secretOf(name, value, text(`${name}_FILE`)) : value;
  };
  const read = (text: ReadText) => {
    const value = readText(text);
    if (isSecret && value !== null && isSecretReference(value)) {
      throw new ConfigError(`${name} can't be a reference to a secret manager here: ${value}`);
    }
    return parse(value);
  };
  return { defaults: { [name]: shown }, aliases, isForTests, isSecret, readText, read };
}

/** A secret's value, from the variable itself or from the file that `<name>_FILE` names (Docker and Kubernetes mount them). */
function secretOf(name: string, value: string | null, file: string | null): string | null {
  if (file === null) return value;
  if (value !== null) throw new ConfigError(`Set ${name} or ${name}_FILE, not both`);
  const content = readSecretFile(name, file).trim();
  if (content === "") throw new ConfigError(`${name}_FILE names an empty file: ${file}`);
  return content;
}

function readSecretFile(name: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
    throw new ConfigError(`${name}_FILE names a file that cannot be read: ${file}${code}`);
  }
}

/** A variable of text. */
export const text = (name: string, fallback: string): Variable<string> =>
  variable(name, (value) => value ?? fallback, { shown: fallback });

/** A text that has no default. */
export const optionalText = (name: string, options?: Options): Variable<string | null> =>
  variable(name, (value) => value, options);

/** Words between spaces or commas. */
export const list = (name: string): Variable<readonly string[]> =>
  variable(name, (value) => (value ?? "").split(/[\s,]+/).filter(Boolean), { shown: "none" });

/** The path below which a site is reached: `/one` or `/one/two`, without a slash at its end; empty: the root. */
export const basePath = (name: string): Variable<string> =>
  variable(
    name,
    (value) => {
      const path = (value ?? "").replace(/\/+$/, "");
      if (path === "" || /^(\/[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*)+$/.test(path)) return path;
      throw new ConfigError(
        `${name} must be a path such as /sluice: letters, digits, “-”, “_” and “.” between slashes`,
      );
    },
    { shown: "none" },
  );

/** `name=value` pairs between commas, percent-encoded, as OpenTelemetry's variables have them. */
export const pairs = (name: string, options?: Options): Variable<Readonly<Record<string, string>>> =>
  variable(name, (value) => parsePairs(name, value), { shown: "none", ...options });

function parsePairs(name: string, value: string | null): Record<string, string> {
  const found: Record<string, string> = {};
  for (const pair of (value ?? "").split(",").filter((part) => part.trim() !== "")) {
    const at = pair.indexOf("=");
    const key = pair.slice(0, at).trim();
    try {
      if (at < 1 || key === "") throw new URIError();
      found[key] = decodeURIComponent(pair.slice(at + 1).trim());
    } catch {
      throw new ConfigError(`${name} must be name=value pairs between commas, percent-encoded`);
    }
  }
  return found;
}

/** Shares by name: `name=0.1` pairs between commas, each from 0 to 1, in the order in which they are written. */
export const shares = (name: string): Variable<ReadonlyMap<string, number>> =>
  variable(
    name,
    (value) => {
      const found = Object.entries(parsePairs(name, value)).map(
        ([key, text]) => [key, Number(text || "none")] as const,
      );
      const wrong = found.find(([, share]) => !(share >= 0 && share <= 1));
      if (wrong) throw new ConfigError(`${name}: the share of ${wrong[0]} must be a number from 0 to 1`);
      return new Map(found);
    },
    { shown: "none" },
  );

/** A variable that is true or false. */
export const flag = (name: string, fallback: boolean): Variable<boolean> =>
  variable(name, (value) => parseFlag(name, value) ?? fallback, { shown: String(fallback) });

function parseFlag(name: string, value: string | null): boolean | null {
  const word = value?.toLowerCase();
  if (word === undefined) return null;
  if (["true", "1", "yes", "on"].includes(word)) return true;
  if (["false", "0", "no", "off"].includes(word)) return false;
  throw new ConfigError(`${name} must be true or false`);
}

/** Bounds of a whole number, both included; `times`: what the setting is in, in units of the variable. */
type Range = Readonly<{ min: number; max: number; times?: number }>;

/** A variable of a whole number within a range. */
export const integer = (name: string, fallback: number, range: Range): Variable<number> =>
  variable(name, (value) => parseInteger(name, value, range) ?? fallback * (range.times ?? 1), {
    shown: String(fallback),
  });

/** The same without a default; `shown`: what the documentation says instead of one. */
export const optionalInteger = (name: string, range: Range, shown: string): Variable<number | null> =>
  variable(name, (value) => parseInteger(name, value, range), { shown });

function parseInteger(name: string, value: string | null, { min, max, times = 1 }: Range): number | null {
  if (value === null) return null;
  const parsed = Number(value);
  if (!Number.isInteger(parsed) || parsed < min || parsed > max) {
    throw new ConfigError(`${name} must be a whole number from ${min} to ${max}`);
  }
  return parsed * times;
}

const MOST_WORKERS = 128;

/** How many processes; null: `auto`. */
export const workerCount = (name: string): Variable<number | null> =>
  variable(
    name,
    (value) => {
      if (value === null || value.toLowerCase() === "auto") return null;
      const parsed = Number(value);
      if (Number.isInteger(parsed) && parsed >= 1 && parsed <= MOST_WORKERS) return parsed;
      throw new ConfigError(`${name} must be auto or a whole number from 1 to ${MOST_WORKERS}`);
    },
    { shown: "auto" },
  );

/** A number from 0 to 1. */
export const fraction = (name: string, fallback: number): Variable<number> =>
  variable(
    name,
    (value) => {
      const parsed = value === null ? fallback : Number(value);
      if (parsed >= 0 && parsed <= 1) return parsed;
      throw new ConfigError(`${name} must be a number from 0 to 1`);
    },
    { shown: String(fallback) },
  );

/** One of a few words; `fallback` may depend on where the process runs, `shown` says how. */
export const oneOf = <Word extends string>(
  name: string,
  words: readonly Word[],
  fallback: Word,
  shown: string = fallback,
): Variable<Word> =>
  variable(
    name,
    (value) => {
      if (value === null) return fallback;
      const word = words.find((candidate) => candidate === value.toLowerCase());
      if (!word) throw new ConfigError(`${name} must be one of ${words.join(", ")}`);
      return word;
    },
    { shown },
  );

/** The address of a service, without a slash at the end. */
export const optionalAddress = (name: string, options?: Options): Variable<string | null> =>
  variable(name, (value) => parseAddress(name, value), options);

function parseAddress(name: string, value: string | null): string | null {
  if (value === null) return null;
  const address = value.replace(/\/+$/, "");
  if (/^https?:\/\//i.test(address) && URL.canParse(address)) return address;
  throw new ConfigError(`${name} must be an address that begins with http:// or https://`);
}

/** The address of a public service, which only tests change. */
export const serviceAddress = (name: string, fallback: string): Variable<string> =>
  variable(name, (value) => parseAddress(name, value) ?? fallback, { shown: fallback, isForTests: true });

/** Requests per window and address or user; null: not limited. */
export type RateLimit = Readonly<{ count: number; windowMs: number }> | null;

/** A limit of requests: whether it is on, how many, in how many seconds. */
export function rateLimit(name: string, count: number, seconds: number): Variable<RateLimit> {
  const isOn = flag(`${name}_ENABLE`, true);
  const most = integer(name, count, { min: 1, max: 1_000_000 });
  const windowMs = integer(`${name}_DURATION`, seconds, { min: 1, max: 86_400, times: 1000 });
  return {
    defaults: { ...isOn.defaults, ...most.defaults, ...windowMs.defaults },
    aliases: [],
    isForTests: false,
    isSecret: false,
    readText: () => null,
    read: (env) => (isOn.read(env) ? { count: most.read(env), windowMs: windowMs.read(env) } : null),
  };
}
