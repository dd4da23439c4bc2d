import type { Db } from "../../../../db/types.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import { startFlow, takeFlow } from "../sessions/flows.ts";

type TicketDeps = Readonly<{ db: Db; vault: Vault }>;

const SECONDS = 60;
const PARAMETER = "download_ticket";

/**
 * Lets one user's browser fetch the file at `address` (path and query of this gateway) by itself, where it cannot send the
 * user-id header: once, within a minute, and with that user's session. Returns the address to open.
 */
export async function issueDownload(deps: TicketDeps, userId: number, address: string): Promise<string> {
  const ticket = await startFlow(deps, "download", { userId, data: { state: address } }, SECONDS);
  return `${address}${address.includes("?") ? "&" : "?"}${PARAMETER}=${ticket}`;
}

/** Whether the request names a ticket at all. */
export const hasDownloadTicket = (request: Request): boolean =>
  request.method === "GET" && new URL(request.url).searchParams.has(PARAMETER);

/** Uses the ticket of a request up: true when it was issued to this user for this very address. */
export async function takeDownload(deps: TicketDeps, userId: number, request: Request): Promise<boolean> {
  const { pathname, search } = new URL(request.url);
  const [, query, ticket] = new RegExp(`^\\?(?:(.*)&)?${PARAMETER}=([\\w-]+)$`).exec(search) ?? [];
  const address = query === undefined ? pathname : `${pathname}?${query}`;
  const flow = await takeFlow(deps, "download", ticket ?? null, address);
  return flow?.userId === userId;
}
