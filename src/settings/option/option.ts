import { OperationError } from "../../lib/operation-error.ts";
import { isHexColor } from "../../lib/values/color.ts";
import { type Decimal, decimal, isNegative, subtract, toText } from "../../lib/values/decimal.ts";
import { lookupTable } from "../../lib/values/lookup-table.ts";

/** One setting: what it may be, what it is unless somebody sets it, and who may see it. */
export type Option<T> = Readonly<{
  /** The default as text, as the options call shows it. */
  initial: string;
  /**
   * Reads and checks text: the typed value, and the text to keep (normalized). Throws OperationError naming `key`.
   */
  read(text: string, key: string): Readonly<{ value: T; text: string }>;
  traits: Traits;
}>;

export type Traits = Readonly<{
  /** Stored encrypted and never sent back. */
  secret?: true;
  /** It is changed on a page of its own, not among the settings. */
  ownPage?: true;
  /** Turning this switch on needs these options to be filled. */
  needs?: readonly string[];
}>;

const LONGEST_TEXT = 200_000;

/** An option: its text at first, and how a text is read. `parse` throws what is wrong with it. */
export function option<T>(initial: string, traits: Traits, parse: (text: string, key: string) => T): Option<T>;
export function option<T>(
  initial: string,
  traits: Traits,
  parse: (text: string, key: string) => T,
  format: (value: T) => string,
): Option<T>;
export function option<T>(
  initial: string,
  traits: Traits,
  parse: (text: string, key: string) => T,
  format?: (value: T) => string,
): Option<T> {
  return {
    initial,
    traits,
    read(raw, key) {
      if (raw.length > LONGEST_TEXT) throw new OperationError("option_too_long", { key, max: LONGEST_TEXT });
      const value = parse(raw, key);
      return { value, text: format ? format(value) : raw };
    },
  };
}

const BOOLS = lookupTable<boolean>({ true: true, "1": true, false: false, "0": false, "": false });

/** An option that is true or false. */
export const bool = (initial: boolean, traits: Traits = {}): Option<boolean> =>
  option(
    String(initial),
    traits,
    (text, key) => {
      const value = BOOLS[text.trim().toLowerCase()];
      if (value === undefined) throw new OperationError("option_bool", { key });
      return value;
    },
    String,
  );

/** Highest amount a quota option may have: far above any balance, far below 2^53. */
const MOST = 1_000_000_000_000;

/** An option of a whole number within a range. */
export const integer = (initial: number, range: Range = {}, traits: Traits = {}): Option<number> =>
  option(
    String(initial),
    traits,
    (text, key) => {
      const { min = 0, max = MOST } = range;
      const value = text.trim() === "" ? initial : Number(text);
      if (!Number.isInteger(value) || value < min || value > max) {
        throw new OperationError("option_integer", { key, min, max });
      }
      return value;
    },
    String,
  );

type Range = Readonly<{ min?: number; max?: number }>;

/** A measure that is no money (seconds, a share): a plain number. */
export const number = (initial: number, range: Range = {}, traits: Traits = {}): Option<number> =>
  option(String(initial), traits, (text, key) => Number(toText(readDecimal(text, key, range, initial))), String);

/** A price or rate: exact, with at most `decimals` decimals where that is given. */
export const exact = (
  initial: number,
  { decimals, ...range }: Range & { decimals?: number } = {},
  traits: Traits = {},
): Option<Decimal> =>
  option(
    String(initial),
    traits,
    (text, key) => {
      const value = readDecimal(text, key, range, initial);
      if (decimals !== undefined && decimal(toText(value, decimals)).cmp(value) !== 0) {
        throw new OperationError("option_decimals", { key, max: decimals });
      }
      return value;
    },
    toText,
  );

function readDecimal(text: string, key: string, { min = 0, max = MOST }: Range, initial: number): Decimal {
  try {
    const value = decimal(text.trim() === "" ? initial : text);
    if (!isNegative(subtract(value, decimal(min))) && !isNegative(subtract(decimal(max), value))) return value;
  } catch {
    // Not a number at all: the same message.
  }
  throw new OperationError("option_number", { key, min, max });
}

/** An option of any text. */
export const text = (initial = "", traits: Traits = {}): Option<string> => option(initial, traits, (raw) => raw);

/** One line without surrounding blanks: names, ids, keys. */
export const line = (initial = "", traits: Traits = {}): Option<string> =>
  option(
    initial,
    traits,
    (raw, key) => {
      const value = raw.trim();
      if (value.length > 2000 || /[\r\n]/.test(value)) throw new OperationError("option_too_long", { key, max: 2000 });
      return value;
    },
    (value) => value,
  );

/** A field name (RFC 9110, section 5.1), or nothing. */
export const headerName = (): Option<string> =>
  option(
    "",
    {},
    (raw, key) => {
      const value = raw.trim();
      if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{0,100}$/.test(value)) throw new OperationError("option_header_name", { key });
      return value;
    },
    (value) => value,
  );

/** A color such as #0f766e, or nothing. */
export const color = (): Option<string> =>
  option(
    "",
    {},
    (raw, key) => {
      const value = raw.trim().toLowerCase();
      if (value !== "" && !isHexColor(value)) throw new OperationError("option_color", { key });
      return value;
    },
    (value) => value,
  );

/** An http(s) address that others are made of, without the slashes at its end, or nothing. */
export const address = (initial = "", traits: Traits = {}): Option<string> =>
  readAddress(initial, traits, (typed) => typed.replace(/\/+$/, ""));

/** An http(s) address or a path of this site, such as /logo.png, that pages link to or show; or nothing. */
export const link = (initial = "", traits: Traits = {}): Option<string> =>
  option(
    initial,
    traits,
    (raw, key) => {
      const value = raw.trim();
      const isPath = /^\/(?![/\\])/.test(value);
      const isImage = /^data:image\/[a-z+.-]+[;,]/i.test(value);
      if (value !== "" && !isPath && !isImage && !isHttpAddress(value)) {
        throw new OperationError("option_link", { key });
      }
      return value;
    },
    (value) => value,
  );

/** An http(s) address that is called as it is, also with a slash at its end, or nothing. */
export const endpoint = (initial = "", traits: Traits = {}): Option<string> =>
  readAddress(initial, traits, (typed) => typed);

const isHttpAddress = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text);

const readAddress = (initial: string, traits: Traits, retained: (typed: string) => string): Option<string> =>
  option(
    initial,
    traits,
    (raw, key) => {
      const value = retained(raw.trim());
      if (value !== "" && !isHttpAddress(value)) {
        throw new OperationError("option_address", { key });
      }
      return value;
    },
    (value) => value,
  );

/** The name of a time zone, as the time zone database has it. */
export const timeZone = (initial: string, traits: Traits = {}): Option<string> =>
  option(
    initial,
    traits,
    (raw, key) => {
      try {
        return new Intl.DateTimeFormat("en", { timeZone: raw.trim() || initial }).resolvedOptions().timeZone;
      } catch {
        throw new OperationError("option_time_zone", { key });
      }
    },
    (value) => value,
  );

export const oneOf = <T extends string>(choices: readonly [T, ...T[]], initial: T, traits: Traits = {}): Option<T> =>
  option(
    initial,
    traits,
    (raw, key) => {
      const choice = choices.find((candidate) => candidate === raw.trim());
      if (!choice) throw new OperationError("option_choice", { key, choices: choices.join(", ") });
      return choice;
    },
    (value) => value,
  );

/** One entry a line; blank lines are dropped. */
export const lines = (initial: readonly string[], traits: Traits = {}): Option<readonly string[]> =>
  option(
    initial.join("\n"),
    traits,
    (raw) =>
      raw
        .split(/\r?\n/)
        .map((entry) => entry.trim())
        .filter(Boolean),
    (value) => value.join("\n"),
  );

/** Domains separated by commas, in lower case, each once. */
export const domains = (initial: readonly string[], traits: Traits = {}): Option<readonly string[]> =>
  option(
    initial.join(","),
    traits,
    (raw, key) => {
      const entries = raw
        .split(/[,\s]+/)
        .map((entry) => entry.toLowerCase())
        .filter(Boolean);
      const wrong = entries.find((entry) => !/^(?=.{1,253}$)([a-z0-9](-*[a-z0-9])*\.)+[a-z0-9-]{2,63}$/.test(entry));
      if (wrong) throw new OperationError("option_domain", { key, entry: wrong });
      return [...new Set(entries)];
    },
    (value) => value.join(","),
  );
