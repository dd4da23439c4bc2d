import { queryOptions } from "@tanstack/react-query";
import type { McpSignInView } from "../../../../../src/domain/models/mcp/sign-ins/list-sign-ins.ts";
import { readData } from "../../../../api/client.ts";
import { mcpSignInApi } from "../../../../api/groups.ts";
import { readOrganization } from "../../../../state/organization.ts";

export type { McpSignInView };

/** The servers at which the account that the user acts for signs in. */
export const mcpSignIns = () =>
  queryOptions({
    queryKey: ["mcp-sign-ins", readOrganization()],
    queryFn: ({ signal }): Promise<readonly McpSignInView[]> => readData(mcpSignInApi.get({ fetch: { signal } })),
  });

/** Goes to the authorization server of a server, which sends the browser back to this site. */
export async function signIn(id: number): Promise<void> {
  const { url } = await readData(mcpSignInApi({ id }).start.post());
  window.location.assign(url);
}

/** Completes the sign-in with what the authorization server has added to the address. */
export const completeSignIn = (search: string) => {
  const query = new URLSearchParams(search);
  const optional = ["code", "iss", "error"] as const;
  const values = optional.flatMap((name) => {
    const value = query.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return readData(mcpSignInApi.complete.post({ state: query.get("state") ?? "", ...Object.fromEntries(values) }));
};

/** Deletes the sign-in, and revokes it where the server can. */
export const signOut = (id: number) => readData(mcpSignInApi({ id }).delete());
