import { checkJson } from "../../components/inputs/json-text.ts";
import type { SettingField } from "./setting-field.ts";

/** What is wrong with the text of a field: a word under `settings.faults`. */
type SettingFault = "number" | "whole" | "range" | "decimals" | "address" | "json";

/** Checks what was typed; null when it can be sent. The server has the last word. */
export function faultOf(field: SettingField, typed: string): SettingFault | null {
  const value = typed.trim();
  switch (field.kind) {
    case "number":
    case "quota": {
      const number = Number(value);
      if (value === "" || !Number.isFinite(number)) return "number";
      const { min = 0, max = Number.POSITIVE_INFINITY, isWhole = false, decimals } = limitsOf(field);
      if (isWhole && !Number.isInteger(number)) return "whole";
      if (decimals !== undefined && Number(number.toFixed(decimals)) !== number) return "decimals";
      return number < min || number > max ? "range" : null;
    }
    case "address":
    case "endpoint":
      return value === "" || (/^https?:\/\//i.test(value) && URL.canParse(value)) ? null : "address";
    case "json":
      return value !== "" && checkJson(value, field.shape) === null ? null : "json";
    default:
      return null;
  }
}

type Limits = Readonly<{ min?: number; max?: number; isWhole?: boolean; decimals?: number }>;

const limitsOf = (field: SettingField): Limits =>
  field.kind === "quota" ? { isWhole: true } : field.kind === "number" ? field : {};

/** What an arrow key makes of a number's text: a step up (1) or down (-1), within the field's range; null: no step. */
export function stepped(field: SettingField, typed: string, direction: 1 | -1): string | null {
  if (field.kind !== "number" && field.kind !== "quota") return null;
  const number = Number(typed);
  if (field.step === undefined || !Number.isFinite(number)) return null;
  const { min = 0, max = Number.POSITIVE_INFINITY } = limitsOf(field);
  const next = Math.min(Math.max(number + direction * field.step, min), max);
  return String(Number(next.toFixed(STEP_PLACES)));
}

/** Sums of decimal steps are rounded to this. */
const STEP_PLACES = 6;

/** The text as it is kept: addresses without slashes at the end, numbers and lines without blanks around them. */
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

/** Longer defaults are told by how many entries they have. */
const LONGEST_DEFAULT = 60;

/** What a line says of a default: the whole of it, empty where there is none, or how many entries it has. */
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
      return Object.entries(JSON.parse(text || "[]") as object);
    case "domains":
      return domainsOf(text);
    case "lines":
      return text.split("\n").filter(Boolean);
    default:
      return null;
  }
}

/** Options in one line each are shown as they are; JSON is formatted for reading. */
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

/** The domains of a list that is kept with commas. */
export const domainsOf = (text: string): string[] => text.split(/[,\s]+/).filter(Boolean);

/** The list with a domain more, or why it is not taken: a word under `settings.domains`. */
export function addDomain(list: string, typed: string): { list: string } | { fault: "invalid" | "duplicate" } {
  const domain = typed.trim().toLowerCase();
  if (!DOMAIN.test(domain)) return { fault: "invalid" };
  const domains = domainsOf(list);
  if (domains.includes(domain)) return { fault: "duplicate" };
  return { list: [...domains, domain].join(",") };
}
