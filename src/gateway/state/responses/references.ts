import { type JsonObject, recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import { placeOfItem } from "../../../formats/openai-responses/items.ts";
import type { ResponseStore } from "./store.ts";

/** Items of earlier answers in place of the references to them, as far as the answers are kept here; null: none is. */
export async function followReferences(
  store: Pick<ResponseStore, "bodies">,
  input: unknown,
  userId: number,
  nowSeconds: number,
): Promise<readonly JsonObject[] | null> {
  const items = recordsOf(input);
  const places = items.map(placeReferredTo);
  const ids = new Set(places.flatMap((place) => place?.responseId ?? []));
  if (ids.size === 0) return null;
  const bodies = await store.bodies([...ids], userId, nowSeconds);
  let isAnyKept = false;
  const whole = items.map((item, at) => {
    const place = places[at];
    const output = place && bodies.get(place.responseId)?.output;
    const kept = Array.isArray(output) ? recordOf(output[place?.outputIndex ?? -1]) : null;
    if (!kept || kept.id !== item.id) return item;
    isAnyKept = true;
    return kept;
  });
  return isAnyKept ? whole : null;
}

/** Where the item is to be found that this one only names; null: it is whole, or made elsewhere. */
function placeReferredTo(item: JsonObject): ReturnType<typeof placeOfItem> {
  const id = textOf(item.id);
  const isReference = item.type === "item_reference" || (item.type == null && item.role === undefined);
  return isReference && id !== null ? placeOfItem(id) : null;
}
