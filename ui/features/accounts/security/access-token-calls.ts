import { queryOptions } from "@tanstack/react-query";
import type { AccessTokenView } from "../../../../src/domain/accounts/identity/access-tokens.ts";
import { readData } from "../../../api/client.ts";
import { accessTokenApi } from "../../../api/groups.ts";

/** The user's system access tokens. */
export const accessTokens = queryOptions({
  queryKey: ["access-tokens"],
  queryFn: ({ signal }) => readData(accessTokenApi.get({ fetch: { signal } })),
});

/** A system access token as the list shows it. */
export type AccessToken = AccessTokenView;

/** Creates a token; only this answer has it. */
export const createAccessToken = (body: Readonly<{ name: string; expires_time: number; password?: string }>) =>
  readData(accessTokenApi.post(body));

export const revokeAccessToken = (id: number) => readData(accessTokenApi({ id }).delete());
