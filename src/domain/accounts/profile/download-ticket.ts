import type { Db } from "../../../../db/types.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import { startFlow, takeFlow } from "../sign-in/flows.ts";

type TicketDeps = Readonly<{ db: Db; vault: Vault }>;

const SECONDS = 60;
const PARAMETER = "download_ticket";

/** Who may fetch a file; `organizationId`: for which organization, null for their own account. */
type Downloader = Readonly<{ userId: number; organizationId: number | null }>;

/**
 * Lets one user's browser fetch the file at `address` (path and query of this gateway) by itself, where it cannot send the
 * headers that name the user and the organization: once, within a minute, and with that user's session. Returns the address
 * to open.
 */
export async function issueDownload(
  deps: TicketDeps,
  { userId, organizationId }: Downloader,
  address: string,
): Promise<string> {
  const data = { state: address, ...(organizationId !== null && { organization: String(organizationId) }) };
  const ticket = await startFlow(deps, "download", { userId, data }, SECONDS);
  return `${address}${address.includes("?") ? "&" : "?"}${PARAMETER}=${ticket}`;
}

/** Whether the request names a ticket at all. */
export const hasDownloadTicket = (request: Request): boolean =>
  request.method === "GET" && new URL(request.url).searchParams.has(PARAMETER);

/** Uses the ticket of a request up: null unless it was issued to this user for this very address. */
export async function takeDownload(deps: TicketDeps, userId: number, request: Request): Promise<Downloader | null> {
  const { pathname, search } = new URL(request.url);
  const [, query, ticket] = new RegExp(`^\\?(?:(.*)&)?${PARAMETER}=([\\w-]+)$`).exec(search) ?? [];
  const address = query === undefined ? pathname : `${pathname}?${query}`;
  const flow = await takeFlow(deps, "download", ticket ?? null, address);
  if (flow?.userId !== userId) return null;
  const { organization } = flow.data;
  return { userId, organizationId: organization === undefined ? null : Number(organization) };
}
