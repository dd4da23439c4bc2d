import { readData } from "../../api/client.ts";
import { tokenApi } from "../../api/groups.ts";
import type { Token } from "./token.ts";
import type { TokenBody } from "./token-form.ts";

/** Makes so many keys alike, all or none; the server gives those behind the first a suffix to their name. */
export const createTokens = async (body: TokenBody, count: number) =>
  [await readData(tokenApi.post({ ...body, count }))].flat();

export const updateToken = (id: number, body: Partial<TokenBody>): Promise<Token> =>
  readData(tokenApi.put({ ...body, id }));

/** Enables (1) or disables (2); the server refuses to enable what is expired or exhausted. */
export const setTokenStatus = (id: number, status: number): Promise<Token> =>
  readData(tokenApi.put({ id, status }, { query: { status_only: "true" } }));

/** Gives the key a new secret; the old one works for so long. */
export const rotateToken = (id: number, graceSeconds: number): Promise<Token> =>
  readData(tokenApi({ id }).rotate.post({ grace_seconds: graceSeconds }));

export const deleteToken = (id: number) => readData(tokenApi({ id }).delete());
