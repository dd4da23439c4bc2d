import { timingSafeEqual } from "node:crypto";
import { type JsonObject, textOf } from "../../../formats/json.ts";
import { compactionItems, readSummary } from "../../../formats/openai-responses/compaction.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { hexDigest } from "../../../lib/security/crypto.ts";
import type { Call } from "../../call/call.ts";
import type { Route } from "../../call/route.ts";
import type { Services, Uses } from "../../call/services.ts";
import { invalidRequest } from "../../request/client-body.ts";
import { keyHashOf } from "../objects/request-upstream.ts";
import type { UsesStores } from "../stores.ts";
import { pinOwner } from "./pin-channel.ts";

/** The code that authenticates a summary written by this gateway. */
export const codeOfSummary = ({ vault }: Pick<Services, "vault">, summary: string): string =>
  vault.keyedHash(`compaction\n${summary}`);

/**
 * Resolves compacted conversations in the request: verifies this gateway's, and routes a provider's to the channel and
 * key that made it, if known. Rejects GatewayError if an item was modified, or if its channel is unavailable.
 */
export async function bindCompactions(
  context: Uses<"channels" | "vault"> & UsesStores<"responses">,
  call: Call,
): Promise<Call> {
  const { services } = context;
  for (const item of compactionItems(call.body.json.input)) {
    const sealed = readSummary(item);
    if (sealed) {
      if (!isEqual(sealed.code, codeOfSummary(services, sealed.summary)))
        throw invalidRequest({ code: "gateway_compaction_invalid" }, "input");
      continue;
    }
    const maker = await services.responses.find(idOf(item), call.caller.user.id, nowSeconds());
    if (maker) return pinOwner(context, call, maker);
  }
  return call;
}

/** Remembers which channel and key compacted a conversation, because only they can read the items. */
export function keepCompactions(
  { services }: Uses<"settings"> & UsesStores<"responses">,
  { caller }: Call,
  { channel, key }: Route,
  output: unknown,
): void {
  const hours = services.settings.values["responses.keep_hours"];
  if (hours === 0) return;
  const createdAt = nowSeconds();
  for (const item of compactionItems(output)) {
    services.responses.keep({
      id: idOf(item),
      userId: caller.user.id,
      channelId: channel.id,
      keyHash: keyHashOf(channel, key),
      isNative: true,
      turns: [],
      body: {},
      createdAt,
      expiresAt: createdAt + hours * 3600,
    });
  }
}

/** The id derives from the content, because clients may omit the item's id. */
const idOf = (item: JsonObject): string => `cmp_${hexDigest(textOf(item.encrypted_content) ?? "")}`;

function isEqual(one: string, other: string): boolean {
  const [actual, expected] = [Buffer.from(one), Buffer.from(other)];
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}
