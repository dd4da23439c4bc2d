import { randomUUID } from "node:crypto";
import { parseJson, recordOf, textOf } from "../../../formats/json.ts";
import type { SigningTools } from "../../contract/provider.ts";

/** Uploads the image of a data URI for a Dify user. Resolves to its id; rejects with the reason of a failure. */
export async function uploadImage(
  url: string,
  authorization: string,
  dataUri: string,
  user: string,
  { post }: SigningTools,
): Promise<string> {
  const [, mediaType = "image/png", data = ""] = /^data:([^;,]+)[^,]*,(.*)$/s.exec(dataUri) ?? [];
  const boundary = `sluice-${randomUUID()}`;
  const part = (head: string) => `--${boundary}\r\ncontent-disposition: form-data; ${head}\r\n`;
  const name = `image.${mediaType.split("/")[1]?.replace(/[^a-z0-9]/gi, "") ?? "png"}`;
  const body = Buffer.concat([
    Buffer.from(`${part('name="user"')}\r\n${user.replace(/[\r\n]/g, " ")}\r\n`),
    Buffer.from(`${part(`name="file"; filename="${name}"`)}content-type: ${mediaType}\r\n\r\n`),
    Buffer.from(data, "base64"),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  const headers = { authorization, "content-type": `multipart/form-data; boundary=${boundary}` };
  const { status, text } = await post(url, headers, body);
  const answer = recordOf(parseJson(text));
  const id = textOf(answer?.id);
  if (id === null)
    throw new Error(`the image could not be uploaded (HTTP ${status}): ${textOf(answer?.message) ?? ""}`);
  return id;
}
