import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { KeyStanding, KeyStandingResponse } from "../../../src/gateway/http/endpoints/billing.ts";
import { readEnvelope, readJson } from "../../api/client.ts";
import { logApi } from "../../api/groups.ts";
import { requestHeaders } from "../../api/request-headers.ts";

export type { KeyStanding };

/** Kept only as long as the page is open: the key is part of what names it. */
const FORGET = { gcTime: 0, retry: false } as const;

/** The key travels in a header, so that no address holds it, and without the session of whoever is signed in. */
const asKey = (key: string) => ({ authorization: `Bearer ${key}` });

export const keyStanding = (key: string) =>
  queryOptions({
    queryKey: ["key-standing", key],
    queryFn: async ({ signal }) => {
      const init = { credentials: "omit", headers: { ...requestHeaders(), ...asKey(key) }, signal } as const;
      return (await readJson<KeyStandingResponse>("/api/usage/token", init)).data;
    },
    ...FORGET,
  });

export const keyLog = (key: string, page: number, pageSize: number) =>
  queryOptions({
    queryKey: ["key-log", key, page, pageSize],
    queryFn: ({ signal }) =>
      readEnvelope(
        logApi.token.get({
          query: { p: page + 1, page_size: pageSize },
          headers: asKey(key),
          fetch: { credentials: "omit", signal },
        }),
        { stayOn401: true },
      ),
    placeholderData: keepPreviousData,
    ...FORGET,
  });
