import { admitGroup } from "../admit.ts";
import { authenticateCaller, type Caller } from "../authenticate.ts";
import type { RelayContext } from "../context.ts";
import { RelayError } from "../errors.ts";
import type { RelayServer } from "../handle.ts";

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
