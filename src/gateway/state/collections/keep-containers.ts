import { type JsonObject, recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import type { Call } from "../../call/call.ts";
import type { Uses } from "../../call/services.ts";
import type { OutputMeter } from "../../money/output-meter.ts";
import { storedObjectOf } from "../objects/choose-owner.ts";
import { isFinal, type StoredObject } from "../objects/store.ts";
import type { UsesStores } from "../stores.ts";

/** The time that a container's price pays for. Source: https://developers.openai.com/api/docs/pricing */
const SESSION_SECONDS = 20 * 60;

/**
 * Stores the containers in which a response ran code, so that its user can read the files there, and removes those from the
 * charge that the user has paid for in the last 20 minutes. Without the database every container is charged.
 */
export async function keepContainers(
  { services }: Uses<"log"> & UsesStores<"objects">,
  { servedBy: route, caller, body }: Call,
  meter: OutputMeter,
): Promise<void> {
  if (!route) return;
  const tool = recordsOf(body.json.tools).find(({ type }) => type === "code_interpreter");
  meter.containerGigabytes = gigabytesOf(recordOf(tool?.container) ?? {}) ?? 1;
  const now = nowSeconds();
  for (const id of [...(meter.containers ?? [])]) {
    const object = storedObjectOf(caller, route, "container", { id, object: "container" });
    const paid = { ...object, createdAt: now, settledAt: now };
    const isDue = await services.objects.keepPaid(paid, now - SESSION_SECONDS).catch((error) => {
      services.log.warn({ error, containerId: id }, "a container could not be stored");
      return true;
    });
    if (!isDue) meter.removeContainer(id);
  }
}

/** The same for a background response, whose charge includes all of its containers. */
export async function keepContainersOf(
  { services }: Uses<"settings"> & UsesStores<"objects" | "responses">,
  response: StoredObject,
  body: JsonObject,
): Promise<void> {
  if (response.settledAt !== null || !isFinal(body)) return;
  const now = nowSeconds();
  const hours = services.settings.values["responses.keep_hours"];
  const itemIds = recordsOf(body.output).flatMap(({ id }) => textOf(id) ?? []);
  if (hours > 0) services.responses.keepParts(itemIds, response, { createdAt: now, expiresAt: now + hours * 3600 });
  for (const item of recordsOf(body.output)) {
    const id = item.type === "code_interpreter_call" ? textOf(item.container_id) : null;
    if (id === null) continue;
    const container = { id, object: "container" };
    const { model, ...payer } = response.payer;
    await services.objects.keepPaid(
      { ...response, id, kind: "container", body: container, payer, createdAt: now, settledAt: now },
      now - SESSION_SECONDS,
    );
  }
}

/** The memory of a container, by its `memory_limit`: its price is that of one gigabyte times this. Null: unknown. */
export function gigabytesOf({ memory_limit: limit }: JsonObject): number | null {
  if (limit == null) return 1;
  const gigabytes = Number(/^(\d{1,3})g$/.exec(textOf(limit) ?? "")?.[1]);
  return Number.isInteger(gigabytes) && gigabytes > 0 ? gigabytes : null;
}
