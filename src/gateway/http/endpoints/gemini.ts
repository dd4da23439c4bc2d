import { geminiClientCodec } from "../../../formats/gemini/index.ts";
import type { GatewayContext } from "../../call/context.ts";
import { GatewayError } from "../../call/errors.ts";
import { handleCall } from "../../pipeline.ts";
import type { GatewayServer } from "../arrival.ts";
import { refuse } from "../refuse.ts";
import { generateContent, generateContentArray } from "./conversations.ts";
import { countGeminiTokens } from "./count-tokens.ts";
import { batchEmbedContents, embedContent } from "./embed-content.ts";
import { geminiModel } from "./lookup/model-object.ts";
import { allowedModels, refuseUnknownModel, respondToKey } from "./lookup/models.ts";

/** POST …/models/{model}:{method} of Google's clients; the model may contain slashes and be percent-encoded. */
export async function handleGemini(
  context: GatewayContext,
  request: Request,
  server: GatewayServer | null,
  path: string,
): Promise<Response> {
  const target = decodeURIComponent(path);
  const colon = target.lastIndexOf(":");
  const model = target.slice(0, colon < 0 ? undefined : colon);
  switch (colon < 0 ? "" : target.slice(colon + 1)) {
    case "generateContent":
      return handleCall(context, { request, server, endpoint: generateContent, path: { model, stream: false } });
    case "streamGenerateContent": {
      const asEvents = new URL(request.url).searchParams.get("alt") === "sse";
      const endpoint = asEvents ? generateContent : generateContentArray;
      return handleCall(context, { request, server, endpoint, path: { model, stream: true } });
    }
    case "embedContent":
      return handleCall(context, { request, server, endpoint: embedContent, path: { model } });
    case "batchEmbedContents":
      return handleCall(context, { request, server, endpoint: batchEmbedContents, path: { model } });
    case "countTokens":
      return countGeminiTokens(context, request, server, model);
    default: {
      const unknown = new GatewayError(404, "unknown_url", {
        code: "gateway_unknown_url",
        params: { method: request.method, path: `…/models/${target}` },
      });
      return refuse(context, request, unknown, geminiClientCodec);
    }
  }
}

/** GET /v1beta/models: the models available to this key, as Google lists them. */
export const listGeminiModels = (context: GatewayContext, request: Request, server: GatewayServer | null) =>
  respondToKey(context, request, server, geminiClientCodec, async (caller) => ({
    models: allowedModels(context, caller).map((model) => geminiModel(context, caller, model)),
  }));

/** GET /v1beta/models/{model} */
export const showGeminiModel = (
  context: GatewayContext,
  request: Request,
  server: GatewayServer | null,
  model: string,
) =>
  respondToKey(context, request, server, geminiClientCodec, async (caller) => {
    refuseUnknownModel(context, caller, model);
    return geminiModel(context, caller, model);
  });
