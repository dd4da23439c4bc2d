import { createHash } from "node:crypto";
import { type JsonObject, parseJson, recordOf } from "../../formats/json.ts";
import type { Signable } from "../contract/provider.ts";

type Body = Pick<Signable, "body" | "parts">;

/** Hexadecimal digest of the bytes that are sent. */
export async function bodySha256({ body, parts }: Body): Promise<string> {
  const hash = createHash("sha256");
  if (!parts) return hash.update(body).digest("hex");
  for await (const bytes of parts.stream()) hash.update(bytes);
  return hash.digest("hex");
}

/** The object that is sent; null: it is none. */
export const bodyJson = ({ body, parts }: Body): JsonObject | null => recordOf(parts ? parts.json : parseJson(body));
