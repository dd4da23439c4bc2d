import { queryOptions } from "@tanstack/react-query";
import { readData } from "../../../api/client.ts";
import { applicationApi } from "../../../api/groups.ts";

const PARAMETERS = [
  ...(["client_id", "redirect_uri", "response_type", "state"] as const),
  ...(["code_challenge", "code_challenge_method", "scope", "resource"] as const),
];

/** The query of an authorization request (RFC 6749, 4.1.1), as the page was opened with it. */
export type AuthorizationQuery = Readonly<Partial<Record<(typeof PARAMETERS)[number], string>>>;

export const authorizationQuery = (search: Readonly<Record<string, unknown>>): AuthorizationQuery =>
  Object.fromEntries(PARAMETERS.flatMap((name) => (typeof search[name] === "string" ? [[name, search[name]]] : [])));

/** Who asks for access, for the account that the user acts for (`account`; null: their own). */
export const applicationRequest = (account: number | null, query: AuthorizationQuery) =>
  queryOptions({
    queryKey: ["application", account, query],
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => readData(applicationApi.request.post(query, { fetch: { signal } })),
  });

/** An application that asks for access. */
export type Application = Awaited<ReturnType<NonNullable<ReturnType<typeof applicationRequest>["queryFn"]>>>;

type Approval = Parameters<typeof applicationApi.approve.post>[0];

/** Gives access; returns where the browser goes. */
export const approveApplication = (body: Approval) => readData(applicationApi.approve.post(body));

export const denyApplication = (query: AuthorizationQuery) => readData(applicationApi.deny.post(query));

/** The applications to which the user gave access. */
export const applications = queryOptions({
  queryKey: ["applications"],
  queryFn: ({ signal }) => readData(applicationApi.get({ fetch: { signal } })),
});

export const endAccess = (id: number) => readData(applicationApi({ id }).delete());
