import { request } from "../../api/client.ts";
import type { Token } from "./token.ts";
import type { TokenBody } from "./token-form.ts";

/** Makes so many keys alike, all or none; the server gives those behind the first a suffix to their name. */
export const createTokens = async (body: TokenBody, count: number): Promise<Token[]> =>
  (await request<Token[]>("/api/token/", { method: "POST", body: { ...body, count } })).data;

export const updateToken = async (id: number, body: Partial<TokenBody>): Promise<Token> =>
  (await request<Token>("/api/token/", { method: "PUT", body: { ...body, id } })).data;

/** Enables (1) or disables (2); the server refuses to enable what is expired or exhausted. */
export const setTokenStatus = async (id: number, status: number): Promise<Token> =>
  (await request<Token>("/api/token/", { method: "PUT", query: { status_only: "true" }, body: { id, status } })).data;

/** Gives the key a new secret; the old one works for so long. */
export const rotateToken = async (id: number, graceSeconds: number): Promise<Token> =>
  (await request<Token>(`/api/token/${id}/rotate`, { method: "POST", body: { grace_seconds: graceSeconds } })).data;

export const deleteToken = (id: number) => request<null>(`/api/token/${id}/`, { method: "DELETE" });
