import { authenticate, type Caller } from "../auth/authenticate.ts";
import type { RelayContext } from "../call/context.ts";
import { RelayError } from "../call/errors.ts";
import type { RelayServer } from "../http/arrival.ts";

/** Who asks about tasks; such calls cost nothing. Rejects RelayError, also where the site has turned tasks off. */
export async function callerOf(
  { services }: RelayContext,
  request: Request,
  server: RelayServer | null,
  option: "DrawingEnabled" | "TaskEnabled",
): Promise<Caller> {
  const caller = await authenticate(services, request, services.clientAddress.ip(request, server));
  if (services.settings.get(option)) return caller;
  throw new RelayError(403, "endpoint_disabled", "Tasks of this kind are turned off on this site.");
}
