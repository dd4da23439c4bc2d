import type { Token } from "../../../api/api-keys/api-key.ts";
import { readData } from "../../../api/client.ts";
import { tokenApi } from "../../../api/groups.ts";
// The type alone: the form's rules need a library of addresses, which lists do not.
import type { TokenBody } from "./api-key-form.ts";

/** Creates several identical keys, all or none; the server adds a suffix to the names after the first. */
export const createApiKeys = async (body: TokenBody, count: number) =>
  [await readData(tokenApi.post({ ...body, count }))].flat();

export const updateToken = (id: number, body: Partial<TokenBody>): Promise<Token> =>
  readData(tokenApi.put({ ...body, id }));

/** Enables (1) or disables (2) a key; the server rejects enabling an expired or exhausted one. */
export const setTokenStatus = (id: number, status: number): Promise<Token> =>
  readData(tokenApi.put({ id, status }, { query: { status_only: "true" } }));

/** Rotates the key's secret; the old one works for a grace period. */
export const rotateToken = (id: number, graceSeconds: number): Promise<Token> =>
  readData(tokenApi({ id }).rotate.post({ grace_seconds: graceSeconds }));

export const deleteToken = (id: number) => readData(tokenApi({ id }).delete());
