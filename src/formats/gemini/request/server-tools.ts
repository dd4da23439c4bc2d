import type { Signature } from "../../conversation/conversation.ts";
import { type JsonObject, parseJson, recordOf, textOf, textsOf } from "../../json.ts";

/**
 * Parts for a tool that Google ran in the same request as the client's functions (`toolCall`, `toolResponse`; only with
 * `toolConfig.includeServerSideToolInvocations`, https://ai.google.dev/gemini-api/docs/tool-combination). Google
 * requires them back unchanged in the next turn. Other formats have no such parts, so they carry them as encrypted
 * reasoning whose signature is the part as JSON (Google's own signatures are base64 and never begin with a brace).
 */

/** The signature that carries such a part through another format; null for other parts. */
export const carryServerTool = (part: JsonObject): Signature | null =>
  recordOf(part.toolCall) || recordOf(part.toolResponse) ? { dialect: "gemini", value: JSON.stringify(part) } : null;

const MEMBERS: ReadonlySet<string> = new Set(["toolCall", "toolResponse", "thoughtSignature", "thought"]);

/** The part that a signature carries; null if it is an ordinary signature. */
export function serverToolIn(signature: Signature | undefined): JsonObject | null {
  if (signature?.dialect !== "gemini" || !signature.value.startsWith("{")) return null;
  const part = recordOf(parseJson(signature.value));
  return part && carryServerTool(part) && Object.keys(part).every((name) => MEMBERS.has(name)) ? part : null;
}

/** Number of Google web searches that a part reports. */
export function searchesIn(signature: Signature): number {
  const call = recordOf(serverToolIn(signature)?.toolCall);
  if (!textOf(call?.toolType)?.startsWith("GOOGLE_SEARCH")) return 0;
  return Math.max(1, textsOf(recordOf(call?.args)?.queries).length);
}
