import { readData } from "../../../api/client.ts";
import { redemptionApi } from "../../../api/groups.ts";
import { type Code, UNLIMITED } from "./code.ts";

/** The drawer's fields; numbers are text while being edited. */
export type CodeForm = {
  name: string;
  quota: string;
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
  count: number;
  is_gift: boolean;
  max_uses: number;
  key?: string;
  valid_from: number;
  valid_until: number;
}>;

/** Body of POST and PUT; a blank name defaults to `quotaText`, the value of the codes. */
export const bodyOf = (form: CodeForm, quotaText: string): CodeBody => ({
  name: form.name.trim() || quotaText.slice(0, MAX_NAME),
  quota: Number(form.quota),
  count: form.key.trim() ? 1 : Number(form.count),
  is_gift: form.isGift,
  max_uses: form.isGift ? Number(form.maxUses) : UNLIMITED,
  ...(form.key.trim() && { key: form.key.trim() }),
  valid_from: form.validFrom ?? 0,
  valid_until: form.validUntil ?? 0,
});

type CodeFault = "name" | "quota" | "count" | "maxUses" | "key" | "date" | "window";
type CodeFaults = Partial<Record<keyof CodeForm, CodeFault>>;

const MAX_NAME = 20;
const MAX_COUNT = 100;
const MAX_KEY = 64;

/** Validation errors by field. */
export function checkCodeForm(form: CodeForm): CodeFaults {
  const faults: CodeFaults = {};
  const [quota, count, maxUses, key] = [form.quota, form.count, form.maxUses, form.key].map((text) => text.trim());
  if ([...form.name.trim()].length > MAX_NAME) faults.name = "name";
  if (!/^[1-9]\d{0,14}$/.test(quota ?? "")) faults.quota = "quota";
  if (!key && !(/^\d{1,3}$/.test(count ?? "") && Number(count) >= 1 && Number(count) <= MAX_COUNT))
    faults.count = "count";
  if (form.isGift && !/^(-1|[1-9]\d{0,8})$/.test(maxUses ?? "")) faults.maxUses = "maxUses";
  if (key && (key.length > MAX_KEY || /\s/.test(key))) faults.key = "key";
  if (form.validFrom === null) faults.validFrom = "date";
  if (form.validUntil === null) faults.validUntil = "date";
  if (form.validFrom && form.validUntil && form.validFrom >= form.validUntil) faults.validUntil = "window";
  return faults;
}

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
