import { nowSeconds } from "../../../lib/clock.ts";
import type { Call } from "../../call/call.ts";
import type { Uses } from "../../call/services.ts";
import type { OutputMeter } from "../../money/output-meter.ts";
import { keepContainers } from "../collections/keep-containers.ts";
import { keyHashOf } from "../objects/request-upstream.ts";
import type { UsesStores } from "../stores.ts";

/** What these functions work with. */
export type KeepPartsContext = Uses<"log" | "settings"> & UsesStores<"objects" | "responses">;

/** Remembers whose the containers and stored parts of a response are, so that nobody else may refer to them. */
export async function keepStored(context: KeepPartsContext, call: Call, meter: OutputMeter): Promise<void> {
  if (call.storesParts) keepParts(context, call, meter);
  if (meter.containers) await keepContainers(context, call, meter);
}

function keepParts({ services }: Uses<"settings"> & UsesStores<"responses">, call: Call, meter: OutputMeter): void {
  const hours = services.settings.values["responses.keep_hours"];
  const { servedBy: route } = call;
  if (!route || hours === 0) return;
  const { channel, key } = route;
  const place = { userId: call.caller.user.id, channelId: channel.id, keyHash: keyHashOf(channel, key) };
  const now = nowSeconds();
  services.responses.keepParts(meter.partIds, place, { createdAt: now, expiresAt: now + hours * 3600 });
}
