import { checkJson } from "../../components/inputs/json-text.ts";
import { roundTo } from "../../lib/format/number.ts";
import type { SettingField } from "./setting-field.ts";

/** Validation error of a field: a key under `settings.errors` in the locales. */
type SettingFault = "number" | "integer" | "least" | "range" | "decimals" | "address" | "color" | "json";

/** Validates a field's text; null if valid. The server validates again. */
export function faultOf(field: SettingField, typed: string): SettingFault | null {
  const value = typed.trim();
  switch (field.kind) {
    case "number":
    case "quota": {
      const number = Number(value);
      if (value === "" || !Number.isFinite(number)) return "number";
      const { min = 0, max = Number.POSITIVE_INFINITY, isInteger = false, decimals } = limitsOf(field);
      if (isInteger && !Number.isInteger(number)) return "integer";
      if (decimals !== undefined && roundTo(number, decimals) !== number) return "decimals";
      if (number >= min && number <= max) return null;
      return max === Number.POSITIVE_INFINITY ? "least" : "range";
    }
    case "address":
    case "endpoint":
      return value === "" || (/^https?:\/\//i.test(value) && URL.canParse(value)) ? null : "address";
    case "color":
      return value === "" || COLOR.test(value) ? null : "color";
    case "json":
      return value !== "" && checkJson(value, field.shape) === null ? null : "json";
    default:
      return null;
  }
}

const COLOR = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i;

type Limits = Readonly<{ min?: number; max?: number; isInteger?: boolean; decimals?: number }>;

const limitsOf = (field: SettingField): Limits =>
  field.kind === "quota" ? { isInteger: true } : field.kind === "number" ? field : {};

/** A number's text after an arrow key: one step up (1) or down (-1), within the field's range; null: no step. */
export function stepped(field: SettingField, typed: string, direction: 1 | -1): string | null {
  if (field.kind !== "number" && field.kind !== "quota") return null;
  const number = Number(typed);
  if (field.step === undefined || !Number.isFinite(number)) return null;
  const { min = 0, max = Number.POSITIVE_INFINITY } = limitsOf(field);
  const next = Math.min(Math.max(number + direction * field.step, min), max);
  return String(roundTo(next, STEP_PLACES));
}

/** Sums of decimal steps are rounded to this precision. */
const STEP_PLACES = 6;

/** Normalizes the text for storage: base URLs without trailing slashes, numbers and lines trimmed. */
export function normalize(field: SettingField, typed: string): string {
  switch (field.kind) {
    case "address":
      return typed.trim().replace(/\/+$/, "");
    case "endpoint":
    case "number":
    case "quota":
    case "text":
    case "secret":
      return typed.trim();
    case "color":
      return typed.trim().toLowerCase();
    case "lines":
      return typed
        .split(/\r?\n/)
        .map((line) => line.trim())
        .filter(Boolean)
        .join("\n");
    default:
      return typed;
  }
}

/** For longer defaults, the hint shows the number of entries. */
const LONGEST_DEFAULT = 60;

/** A default for the hint: the full text, empty if there is none, or the number of entries. */
export function shortDefault(field: SettingField, initial: string): string | number {
  const entries = entriesOf(field, initial);
  if (!entries) return initial;
  if (entries.length === 0) return "";
  const text = field.kind === "json" ? JSON.stringify(JSON.parse(initial)) : entries.join(", ");
  return text.length > LONGEST_DEFAULT || (field.kind === "lines" && entries.length > 1) ? entries.length : text;
}

/** Null where a setting has one value. */
function entriesOf({ kind }: SettingField, text: string): readonly unknown[] | null {
  switch (kind) {
    case "json":
      return Object.entries(Object(JSON.parse(text || "[]")));
    case "domains":
      return domainsOf(text);
    case "lines":
      return text.split("\n").filter(Boolean);
    default:
      return null;
  }
}

/** Single-line options are shown unchanged; JSON is formatted. */
export function isSame(field: SettingField, saved: string, typed: string): boolean {
  const next = normalize(field, typed);
  if (field.kind === "secret") return next === "";
  if (field.kind !== "json" || saved === next) return saved === next;
  try {
    return JSON.stringify(JSON.parse(saved)) === JSON.stringify(JSON.parse(next));
  } catch {
    return false;
  }
}

const DOMAIN = /^(?=.{1,253}$)([a-z0-9](-*[a-z0-9])*\.)+[a-z0-9-]{2,63}$/;

/** The domains of a comma-separated list. */
export const domainsOf = (text: string): string[] => text.split(/[,\s]+/).filter(Boolean);

/** Adds a domain to the list, or returns why it is invalid: a key under `settings.domains` in the locales. */
export function addDomain(list: string, typed: string): { list: string } | { fault: "invalid" | "duplicate" } {
  const domain = typed.trim().toLowerCase();
  if (!DOMAIN.test(domain)) return { fault: "invalid" };
  const domains = domainsOf(list);
  if (domains.includes(domain)) return { fault: "duplicate" };
  return { list: [...domains, domain].join(",") };
}
