import { randomUUID } from "node:crypto";
import { parseJson, recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import { chatApi } from "../../contract/chat.ts";
import type { Provider, SigningTools } from "../../contract/provider.ts";
import { difyCodec } from "./codec.ts";
import { difyKind } from "./encode-request.ts";

const DEFAULT_BASE_URL = "https://api.dify.ai";
const PATHS = { chat: "/chat-messages", workflow: "/workflows/run", completion: "/completion-messages" } as const;

const rootOf = (baseUrl: string): string => {
  const base = (baseUrl || DEFAULT_BASE_URL).replace(/\/+$/, "");
  return base.endsWith("/v1") ? base : `${base}/v1`;
};

/**
 * A Dify app. Models named `workflow…` and `completion…` are apps of these kinds; all others are chats, agents or
 * chatflows.
 */
export const dify: Provider = {
  type: 37,
  name: "Dify",
  owner: "dify",
  defaultBaseUrl: DEFAULT_BASE_URL,
  capabilities: ["chat"],
  keyHint: "app-…",
  models: ["dify", "workflow", "completion"],
  noListPrice: "own_app",
  url: ({ baseUrl }, { model }) => rootOf(baseUrl) + PATHS[difyKind(model)],
  authHeaders: (_channel, key) => ({ authorization: `Bearer ${key}` }),
  async sign({ headers, body }, { baseUrl }, _key, tools) {
    if (!body.includes("data:")) return {};
    const sent = recordOf(parseJson(body)) ?? {};
    const user = textOf(sent.user) ?? "";
    const files = await Promise.all(
      recordsOf(sent.files).map(async (file) => {
        const url = textOf(file.url) ?? "";
        if (!url.startsWith("data:")) return file;
        const id = await uploadImage(`${rootOf(baseUrl)}/files/upload`, headers.authorization ?? "", url, user, tools);
        return { type: "image", transfer_method: "local_file", upload_file_id: id };
      }),
    );
    return files.length > 0 ? { body: JSON.stringify({ ...sent, files }) } : {};
  },
  chat: chatApi({
    formats: ["dify"],
    codec: difyCodec,
    // Agents reject requests without streaming.
    streaming: { mode: () => "always", includesUsage: false },
  }),
};

/** Uploads the image of a data URI for a Dify user. Resolves to its id; rejects with the reason of a failure. */
async function uploadImage(
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
