import { anthropicDoor } from "../../dialects/anthropic/index.ts";
import { promptAsChat } from "../../dialects/openai-chat/index.ts";
import { readBody } from "../client-body.ts";
import type { RelayContext } from "../context.ts";
import { countPrompt } from "../count-tokens.ts";
import type { RelayServer } from "../handle.ts";
import { answerFor } from "./models.ts";

/** POST /v1/messages/count_tokens: counted here, by the tokenizer that also bills what upstreams leave unsaid. */
export const countMessageTokens = (
  context: RelayContext,
  request: Request,
  server: RelayServer | null,
): Promise<Response> =>
  answerFor(context, request, server, anthropicDoor, async () => {
    const { json } = await readBody(request, context.services.config);
    const conversation = anthropicDoor.decodeRequest(json);
    return { input_tokens: await countPrompt(conversation.model, promptAsChat(conversation)) };
  });
