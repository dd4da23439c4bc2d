import { nowSeconds } from "../../lib/clock.ts";
import { admitGroup } from "../admit.ts";
import { authenticate, type Caller } from "../authenticate.ts";
import type { RelayContext } from "../context.ts";
import { RelayError } from "../errors.ts";
import type { RelayServer } from "../handle.ts";

/** Who asks about tasks; such calls cost nothing. Throws RelayError, also where the site has turned tasks off. */
export function callerOf(
  { services }: RelayContext,
  request: Request,
  server: RelayServer | null,
  option: "DrawingEnabled" | "TaskEnabled",
): Caller {
  const caller = authenticate(services, request, services.clientAddress.ip(request, server), nowSeconds());
  admitGroup(services, caller);
  if (services.settings.get(option)) return caller;
  throw new RelayError(403, "endpoint_disabled", "Tasks of this kind are turned off on this site.");
}
