import type { Db } from "../../db/types.ts";
import { sessionCookie } from "../accounts/session-cookie.ts";
import type { Sessions } from "../accounts/sessions.ts";
import { type UserView, viewUser } from "../accounts/user-view.ts";
import type { ClientAddress, PeerSource } from "../lib/client-ip.ts";
import { type Envelope, ok } from "./envelope.ts";

export type EntranceServices = Readonly<{ db: Db; sessions: Sessions; clientAddress: ClientAddress }>;

/** A call that may sign somebody in. */
export type EntranceCall = {
  request: Request;
  server: PeerSource;
  set: { headers: Record<string, string | number | readonly string[] | undefined> };
};

/** Signs a user in who has proven who they are: starts a session and answers with the user. */
export async function enter(
  { db, sessions, clientAddress }: EntranceServices,
  { request, server, set }: EntranceCall,
  userId: number,
): Promise<Envelope<UserView>> {
  const value = await sessions.start(userId, {
    ip: clientAddress.ip(request, server),
    userAgent: request.headers.get("user-agent") ?? "",
  });
  set.headers["set-cookie"] = sessionCookie(value, clientAddress.isHttps(request, server));
  return ok(await viewUser(db, userId));
}
