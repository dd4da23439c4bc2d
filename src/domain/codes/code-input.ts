import type { redemptionCodes } from "../../../db/schema/billing/codes.ts";
import { OperationError } from "../../lib/operation-error.ts";

/** What may be changed of a code that exists. */
export type CodeChange = Readonly<{ name?: string; quota?: number; valid_from?: number; valid_until?: number }>;

export type NewCodes = CodeChange &
  Readonly<{
    name: string;
    quota: number;
    /** How many, 1 to 100. */
    count?: number;
    is_gift?: boolean;
    /** Of gift codes; -1: unlimited. */
    max_uses?: number;
    /** Chosen rather than made up; then it is one code. */
    key?: string;
  }>;

export type CodeValues = Partial<typeof redemptionCodes.$inferInsert>;

const LONGEST_NAME = 20;
const LONGEST_KEY = 64;
const MOST_AT_ONCE = 100;
const MOST_USES = 1_000_000_000;
/** The year 9999. */
const LAST_SECOND = 253_402_300_799;
const UNLIMITED = -1;

/** Checks the fields that are present and turns them into column values. Throws OperationError. */
export function readCodeChange({ name, quota, valid_from, valid_until }: CodeChange): CodeValues {
  return {
    ...(name !== undefined && { name: readName(name) }),
    ...(quota !== undefined && { quota: readQuota(quota) }),
    ...(valid_from !== undefined && { validFrom: readTime(valid_from) }),
    ...(valid_until !== undefined && { validUntil: readTime(valid_until) }),
  };
}

/** The window in which a code works must not be empty; 0 leaves an end open. Throws OperationError. */
export function checkWindow(validFrom: number, validUntil: number): void {
  if (validFrom > 0 && validUntil > 0 && validFrom >= validUntil) throw new OperationError("code_window_invalid");
}

/** How many codes to make. Throws OperationError. */
export function readCount({ count = 1, key }: NewCodes): number {
  if (key?.trim()) return 1;
  if (!Number.isInteger(count) || count < 1 || count > MOST_AT_ONCE) {
    throw new OperationError("code_count_invalid", { max: MOST_AT_ONCE });
  }
  return count;
}

/** Only gift codes have a number of uses. Throws OperationError. */
export function readMaxUses({ is_gift, max_uses = UNLIMITED }: NewCodes): number {
  if (!is_gift || max_uses === UNLIMITED) return UNLIMITED;
  if (!Number.isInteger(max_uses) || max_uses < 1 || max_uses > MOST_USES) {
    throw new OperationError("code_max_uses_invalid");
  }
  return max_uses;
}

/** A key of the operator's choice; null: none is given. Throws OperationError. */
export function readKey({ key: given }: NewCodes): string | null {
  const key = given?.trim() ?? "";
  if (key === "") return null;
  if (key.length > LONGEST_KEY || /[\s\p{C}]/u.test(key))
    throw new OperationError("code_key_invalid", { max: LONGEST_KEY });
  return key;
}

function readName(given: string): string {
  const name = given.trim();
  const { length } = [...name];
  if (length < 1 || length > LONGEST_NAME) throw new OperationError("code_name_length", { max: LONGEST_NAME });
  return name;
}

function readQuota(quota: number): number {
  if (!Number.isSafeInteger(quota) || quota < 1) throw new OperationError("code_quota_invalid");
  return quota;
}

function readTime(seconds: number): number {
  if (!Number.isInteger(seconds) || seconds < 0 || seconds > LAST_SECOND) throw new OperationError("code_time_invalid");
  return seconds;
}
