import { textOf } from "../../../../formats/json.ts";
import { openaiResponsesClientCodec } from "../../../../formats/openai-responses/index.ts";
import { inputInstructions } from "../../../../formats/openai-responses/instructions.ts";
import { nowSeconds } from "../../../../lib/clock.ts";
import type { Call } from "../../../call/call.ts";
import type { Uses } from "../../../call/services.ts";
import type { UsesStores } from "../../../state/stores.ts";
import type { ResponsesTurn } from "./turn.ts";

/**
 * Stores the response that all rounds add up to, unless the client forbids it: a later request can continue it by its id. One
 * that continues what a provider stores cannot be stored here.
 */
export async function storeTurn(
  { services }: Uses<"settings"> & UsesStores<"responses">,
  call: Call,
  turn: ResponsesTurn,
): Promise<void> {
  const { json } = call.body;
  const hours = services.settings.values["responses.keep_hours"];
  const body = turn.response();
  const id = textOf(body.id);
  if (json.store === false || hours === 0 || !id) return;
  const previousId = textOf(json.previous_response_id);
  const createdAt = nowSeconds();
  const userId = call.caller.user.id;
  const previous = previousId ? await services.responses.find(previousId, userId, createdAt) : null;
  if (previousId && (!previous || previous.isNative)) return;
  const conversation = openaiResponsesClientCodec.decodeRequest({ model: call.summary.model, input: turn.input });
  services.responses.keep({
    ...{ id, userId, channelId: 0, keyHash: "", isNative: false },
    turns: [...(previous?.turns ?? []), ...inputInstructions(conversation), ...conversation.turns],
    ...{ body, createdAt, expiresAt: createdAt + hours * 3600 },
  });
}
