import type { ModelInfo } from "../../../catalog/catalog.ts";
import type { ChatService } from "../../conversation/service.ts";
import { readSignature } from "../../conversation/signature.ts";
import { type JsonObject, recordOf, recordsOf, textOf } from "../../json.ts";
import { either, isFetchableUrl, isNamedFile } from "../parts.ts";

/**
 * Whether Google accepts a request of its own client unchanged: no file has to be fetched, and calls are signed by one
 * of Google's models, as the target model requires.
 */
export function canPassThrough(
  body: JsonObject,
  { call_signatures }: ModelInfo,
  { fetchesMedia }: Pick<ChatService, "fetchesMedia">,
): boolean {
  return (
    typeof either(body, "systemInstruction") !== "string" &&
    recordsOf(body.contents).every(({ role, parts }) => {
      // Vertex requires a role.
      if (role !== "user" && role !== "model") return false;
      const list = recordsOf(parts);
      const first = list.find((part) => either(part, "functionCall"));
      const needsSignature = role === "model" && first !== undefined && call_signatures !== false;
      const isSigned = !needsSignature || textOf(either(first, "thoughtSignature")) !== null;
      return isSigned && list.every((part) => isTaken(part, fetchesMedia));
    })
  );
}

function isTaken(part: JsonObject, fetchesMedia: boolean): boolean {
  const signature = textOf(either(part, "thoughtSignature"));
  if (signature && readSignature(signature, "gemini").dialect !== "gemini") return false;
  const files = [part, ...recordsOf(recordOf(either(part, "functionResponse"))?.parts)];
  return files.every((one) => {
    const file = recordOf(either(one, "fileData"));
    const address = textOf(either(file, "fileUri"));
    if (address === null || isFetchableUrl(address)) return true;
    return fetchesMedia && isNamedFile(address, textOf(either(file, "mimeType")));
  });
}
