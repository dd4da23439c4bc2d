import { authenticate, type Caller } from "../auth/authenticate.ts";
import type { GatewayContext } from "../call/context.ts";
import { GatewayError } from "../call/errors.ts";
import type { GatewayServer } from "../http/arrival.ts";

/** The caller of a free request about tasks. Rejects GatewayError, also if the site has disabled tasks. */
export async function callerOf(
  { services }: GatewayContext,
  request: Request,
  server: GatewayServer | null,
  option: "DrawingEnabled" | "TaskEnabled",
): Promise<Caller> {
  const caller = await authenticate(services, request, services.clientAddress.ip(request, server));
  if (services.settings.get(option)) return caller;
  throw new GatewayError(403, "endpoint_disabled", { code: "gateway_tasks_off" });
}
