import { request } from "../../api/client.ts";
import type { Code } from "./code.ts";
import type { CodeBody } from "./code-form.ts";

const PATH = "/api/redemption/";

/** Makes codes; resolves with their keys. */
export const createCodes = async (body: CodeBody): Promise<string[]> =>
  (await request<string[]>(PATH, { method: "POST", body })).data;

export const updateCode = (id: number, body: Partial<CodeBody>) =>
  request<Code>(PATH, { method: "PUT", body: { ...body, id } });

export const setCodeStatus = (id: number, status: number) =>
  request<Code>(PATH, { method: "PUT", query: { status_only: "true" }, body: { id, status } });

export const deleteCode = (id: number) => request<null>(`${PATH}${id}/`, { method: "DELETE" });

/** These resolve with how many codes it was. */
export const disableCodes = async (ids: readonly number[]): Promise<number> =>
  (await request<number>(`${PATH}batch-disable`, { method: "PUT", body: { ids } })).data;

export const deleteDisabledCodes = async (): Promise<number> =>
  (await request<number>(`${PATH}delete-disabled`, { method: "DELETE" })).data;

export const countByName = async (name: string): Promise<number> =>
  (await request<number>(`${PATH}count-by-name`, { query: { name } })).data;

export const deleteByName = async (name: string): Promise<number> =>
  (await request<number>(`${PATH}delete-by-name`, { method: "DELETE", query: { name } })).data;
