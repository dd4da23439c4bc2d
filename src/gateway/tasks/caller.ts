import { authenticateCaller, type Caller } from "../auth/authenticate.ts";
import { admitGroup } from "../auth/authorize.ts";
import type { RelayContext } from "../call/context.ts";
import { RelayError } from "../call/errors.ts";
import type { RelayServer } from "../http/handle.ts";

/** Who asks about tasks; such calls cost nothing. Rejects RelayError, also where the site has turned tasks off. */
export async function callerOf(
  { services }: RelayContext,
  request: Request,
  server: RelayServer | null,
  option: "DrawingEnabled" | "TaskEnabled",
): Promise<Caller> {
  const caller = await authenticateCaller(services, request, services.clientAddress.ip(request, server));
  admitGroup(services, caller);
  if (services.settings.get(option)) return caller;
  throw new RelayError(403, "endpoint_disabled", "Tasks of this kind are turned off on this site.");
}
