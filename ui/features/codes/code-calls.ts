import { readData } from "../../api/client.ts";
import { redemptionApi } from "../../api/groups.ts";
import type { CodeBody } from "./code-form.ts";

/** Makes codes; resolves with their keys. */
export const createCodes = (body: CodeBody): Promise<string[]> => readData(redemptionApi.post(body));

export const updateCode = (id: number, body: Partial<CodeBody>) => readData(redemptionApi.put({ ...body, id }));

export const setCodeStatus = (id: number, status: number) =>
  readData(redemptionApi.put({ id, status }, { query: { status_only: "true" } }));

export const deleteCode = (id: number) => readData(redemptionApi({ id }).delete());

/** These resolve with how many codes it was. */
export const disableCodes = (ids: readonly number[]): Promise<number> =>
  readData(redemptionApi["batch-disable"].put({ ids: [...ids] }));

export const deleteDisabledCodes = (): Promise<number> => readData(redemptionApi["delete-disabled"].delete());

export const countByName = (name: string): Promise<number> =>
  readData(redemptionApi["count-by-name"].get({ query: { name } }));

export const deleteByName = (name: string): Promise<number> =>
  readData(redemptionApi["delete-by-name"].delete({}, { query: { name } }));
