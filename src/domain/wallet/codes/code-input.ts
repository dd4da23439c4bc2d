import type { redemptionCodes } from "../../../../db/schema/wallet/codes.ts";
import type { Db } from "../../../../db/types.ts";
import { OperationError, throwRuleError } from "../../../lib/operation-error.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import { amountText } from "../amount-text.ts";
import {
  CODE_LIMITS,
  codeCountError,
  codeKeyError,
  codeNameError,
  codeQuotaError,
  codeUsesError,
  codeWindowError,
  UNLIMITED_USES,
} from "./code-rules.ts";

export type CodeDeps = Readonly<{ db: Db; settings: SettingsReader }>;

/** What may be changed of a code that exists. */
export type CodeChange = Readonly<{
  /** Blank: what the code is worth. */
  name?: string | undefined;
  quota?: number | undefined;
  valid_from?: number;
  valid_until?: number;
}>;

export type NewCodes = CodeChange &
  Readonly<{
    quota: number;
    /** The plan that they give for one period; `quota` then does not count. */
    plan_id?: number | null;
    /** How many, 1 to 100. */
    count?: number;
    is_gift?: boolean;
    /** Of gift codes; -1: unlimited. */
    max_uses?: number;
    /** Chosen rather than made up; then it is one code. */
    key?: string;
  }>;

export type CodeValues = Partial<typeof redemptionCodes.$inferInsert>;

/** The year 9999. */
const LAST_SECOND = 253_402_300_799;

/** Checks the fields that are present, but for a blank name, and turns them into column values. Throws OperationError. */
export function readCodeChange({ name, quota, valid_from, valid_until }: CodeChange): CodeValues {
  return {
    ...(name?.trim() && { name: readName(name) }),
    ...(quota !== undefined && { quota: readQuota(quota) }),
    ...(valid_from !== undefined && { validFrom: readTime(valid_from) }),
    ...(valid_until !== undefined && { validUntil: readTime(valid_until) }),
  };
}

/** The name of a code that is given none: the plan's, or its quota as messages name it. */
export const worthName = (settings: SettingsReader, quotaUnits: number, plan: { name: string } | null): string =>
  [...(plan?.name ?? amountText(settings, quotaUnits))].slice(0, CODE_LIMITS.name).join("").trim();

/** The window in which a code works must not be empty; 0 leaves an end open. Throws OperationError. */
export function checkWindow(validFrom: number, validUntil: number): void {
  throwRuleError(codeWindowError(validFrom, validUntil));
}

/** How many codes to make. Throws OperationError. */
export function readCount({ count = 1, key }: NewCodes): number {
  throwRuleError(codeCountError(count, key), { max: CODE_LIMITS.count });
  return count;
}

/** Only gift codes have a number of uses. Throws OperationError. */
export function readMaxUses({ is_gift, max_uses = UNLIMITED_USES }: NewCodes): number {
  if (!is_gift) return UNLIMITED_USES;
  throwRuleError(codeUsesError(max_uses));
  return max_uses;
}

/** A key of the operator's choice; null: none is given. Throws OperationError. */
export function readKey({ key: requested }: NewCodes): string | null {
  const key = requested?.trim() ?? "";
  throwRuleError(codeKeyError(key), { max: CODE_LIMITS.key });
  return key || null;
}

function readName(text: string): string {
  throwRuleError(codeNameError(text), { max: CODE_LIMITS.name });
  return text.trim();
}

function readQuota(quota: number): number {
  throwRuleError(codeQuotaError(quota));
  return quota;
}

function readTime(seconds: number): number {
  if (!Number.isInteger(seconds) || seconds < 0 || seconds > LAST_SECOND) throw new OperationError("code_time_invalid");
  return seconds;
}
