import { openaiChatDoor } from "../../dialects/openai-chat/index.ts";
import { invalidRequest } from "../client-body.ts";
import type { Endpoint } from "./endpoint.ts";
import { readOpenAi } from "./text.ts";

export const embeddings: Endpoint = {
  capability: "embeddings",
  codec: openaiChatDoor,
  streams: false,
  emptyIsFree: false,
  read(body, path) {
    if (body.input === undefined || body.input === "") throw invalidRequest("“input” is missing.", "input");
    return readOpenAi(body, path);
  },
};
