import { type AuthenticateContext, authenticate } from "../auth/authenticate.ts";
import type { Caller } from "../call/caller.ts";
import type { CallTools } from "../call/services.ts";

/** What `authenticateInTurn` works with. */
export type AuthenticateInTurnContext = AuthenticateContext & Pick<CallTools, "turns">;

/** The caller, when it is the turn of its user. Rejects GatewayError, also where that takes too long. */
export async function authenticateInTurn(
  context: AuthenticateInTurnContext,
  request: Request,
  ip: string,
): Promise<Caller> {
  const caller = await authenticate(context, request, ip);
  await context.turns.enter(caller.user.id);
  return caller;
}
