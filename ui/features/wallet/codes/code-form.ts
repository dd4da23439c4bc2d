import {
  CODE_LIMITS,
  codeCountError,
  codeKeyError,
  codeNameError,
  codeQuotaError,
  codeUsesError,
  codeWindowError,
} from "../../../../src/domain/wallet/codes/code-rules.ts";
import { readData } from "../../../api/client.ts";
import { redemptionApi } from "../../../api/groups.ts";
import { type Code, UNLIMITED } from "./code.ts";

/** The drawer's fields; numbers are text while being edited. */
export type CodeForm = {
  name: string;
  quota: string;
  /** The plan that the codes give instead of quota; 0: quota. */
  planId: number;
  count: string;
  isGift: boolean;
  maxUses: string;
  key: string;
  /** Epoch seconds; 0: not set; null: not a valid date. */
  validFrom: number | null;
  validUntil: number | null;
};

export const NEW_CODE: CodeForm = {
  name: "",
  quota: "100000",
  planId: 0,
  count: "1",
  isGift: false,
  maxUses: String(UNLIMITED),
  key: "",
  validFrom: 0,
  validUntil: 0,
};

export const formOf = (code: Code): CodeForm => ({
  name: code.name,
  quota: String(code.quota),
  planId: code.plan_id ?? 0,
  count: "1",
  isGift: code.is_gift,
  maxUses: String(code.max_uses),
  key: code.key,
  validFrom: code.valid_from,
  validUntil: code.valid_until,
});

type CodeBody = Readonly<{
  name: string;
  quota: number;
  plan_id: number | null;
  count: number;
  is_gift: boolean;
  max_uses: number;
  key?: string;
  valid_from: number;
  valid_until: number;
}>;

/** Body of POST and PUT; a blank name defaults to `worthText`, the value of the codes. */
export const bodyOf = (form: CodeForm, worthText: string): CodeBody => ({
  name: form.name.trim() || [...worthText].slice(0, CODE_LIMITS.name).join("").trim(),
  quota: form.planId === 0 ? Number(form.quota) : 0,
  plan_id: form.planId || null,
  count: Number(form.count),
  is_gift: form.isGift,
  max_uses: form.isGift ? Number(form.maxUses) : UNLIMITED,
  ...(form.key.trim() && { key: form.key.trim() }),
  valid_from: form.validFrom ?? 0,
  valid_until: form.validUntil ?? 0,
});

/** What is wrong with the form, by field: under `codes.form.errors` in the words. */
export const checkCodeForm = (form: CodeForm) => ({
  name: form.name.trim() === "" ? undefined : codeNameError(form.name),
  quota: form.planId === 0 ? codeQuotaError(Number(form.quota)) : undefined,
  count: codeCountError(Number(form.count), form.key),
  maxUses: form.isGift ? codeUsesError(Number(form.maxUses)) : undefined,
  key: codeKeyError(form.key),
  validFrom: form.validFrom === null ? ("date" as const) : undefined,
  validUntil: form.validUntil === null ? ("date" as const) : codeWindowError(form.validFrom ?? 0, form.validUntil),
});

/** Creates codes; resolves with their keys. */
export const createCodes = (body: CodeBody): Promise<string[]> => readData(redemptionApi.post(body));

export const updateCode = (id: number, body: Partial<CodeBody>) => readData(redemptionApi.put({ ...body, id }));

export const setCodeStatus = (id: number, status: number) =>
  readData(redemptionApi.put({ id, status }, { query: { status_only: "true" } }));

export const deleteCode = (id: number) => readData(redemptionApi({ id }).delete());

/** Both resolve with the number of codes. */
export const disableCodes = (ids: readonly number[]): Promise<number> =>
  readData(redemptionApi["batch-disable"].put({ ids: [...ids] }));

export const deleteDisabledCodes = (): Promise<number> => readData(redemptionApi["delete-disabled"].delete());

export const countByName = (name: string): Promise<number> =>
  readData(redemptionApi["count-by-name"].get({ query: { name } }));

export const deleteByName = (name: string): Promise<number> =>
  readData(redemptionApi["delete-by-name"].delete({}, { query: { name } }));
