import { authenticate, type Caller } from "../auth/authenticate.ts";
import type { GatewayContext } from "../call/context.ts";
import { GatewayError } from "../call/errors.ts";
import type { GatewayServer } from "../http/arrival.ts";

/** Who asks about tasks; such calls cost nothing. Rejects GatewayError, also where the site has turned tasks off. */
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
