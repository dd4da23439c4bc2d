import { anthropicClientCodec } from "../../../formats/anthropic/index.ts";
import type { ClientCodec } from "../../../formats/conversation/codec.ts";
import { geminiClientCodec } from "../../../formats/gemini/index.ts";
import { openaiChatClientCodec } from "../../../formats/openai-chat/index.ts";
import { requestIdOf } from "../../../lib/http/request.ts";
import { inServingGroup, unknownModel } from "../../auth/authorize.ts";
import { ownModels } from "../../auth/own-keys.ts";
import type { Caller } from "../../call/caller.ts";
import type { CallTools, Uses } from "../../call/services.ts";
import { type AuthenticateInTurnContext, authenticateInTurn } from "../../pipeline/authenticate-in-turn.ts";
import type { GatewayServer } from "../../request/arrival.ts";
import { corsHeaders } from "../../request/headers.ts";
import { type RefuseContext, refuse } from "../../request/refuse.ts";
import { routeNames, servedModel } from "../../routing/model-fallbacks.ts";
import { codexModels, isCodex } from "./codex-models.ts";
import { anthropicModel, geminiModel, type ModelObjectContext, modelObject } from "./model-object.ts";

/** What `respondToKey` works with. */
export type RespondToKeyContext = AuthenticateInTurnContext & RefuseContext & Uses<"clientAddress">;

/** What `listModels` works with. */
export type ListModelsContext = RespondToKeyContext & ModelObjectContext & Uses<"providerKeys">;

/** What `showModel` works with. */
export type ShowModelContext = ListModelsContext;

/**
 * GET /v1/models: the models available to this key. In Anthropic's format for its clients (they send
 * `anthropic-version`), and in Google's for its clients, which list models under this path, too, and send
 * `x-goog-api-key`. Codex (`client_version`) gets its own form besides OpenAI's.
 */
export function listModels(
  context: ListModelsContext,
  request: Request,
  server: GatewayServer | null,
): Promise<Response> {
  return respondToKey(context, request, server, codecOf(request), async (caller) => {
    const models = allowedModels(context, caller);
    if (isGoogle(request)) return { models: models.map((model) => geminiModel(context, caller, model)) };
    if (!isAnthropic(request)) {
      const data = models.map((model) => modelObject(context, caller, model));
      const forCodex = isCodex(request) && { models: codexModels(context, caller, models) };
      return { success: true, object: "list", data, ...forCodex };
    }
    return {
      data: models.map((model) => anthropicModel(context, caller, model)),
      has_more: false,
      first_id: models[0] ?? null,
      last_id: models.at(-1) ?? null,
    };
  });
}

/** GET /v1/models/{model}; 404 `model_not_found` for models unavailable to the key. */
export function showModel(
  context: ShowModelContext,
  request: Request,
  server: GatewayServer | null,
  model: string,
): Promise<Response> {
  return respondToKey(context, request, server, codecOf(request), async (caller) => {
    refuseUnknownModel(context, caller, model);
    if (isGoogle(request)) return geminiModel(context, caller, model);
    return isAnthropic(request) ? anthropicModel(context, caller, model) : modelObject(context, caller, model);
  });
}

/** Responds to a request that runs no model: authenticates it and reports errors in the client's format. */
export async function respondToKey(
  context: RespondToKeyContext,
  request: Request,
  server: GatewayServer | null,
  codec: ClientCodec,
  make: (caller: Caller) => Promise<object>,
): Promise<Response> {
  try {
    const { services } = context;
    const caller = await authenticateInTurn(context, request, services.clientAddress.ip(request, server));
    const headers = { ...corsHeaders(request), "x-request-id": requestIdOf(request) };
    const made = await make(caller);
    if (!(made instanceof Response)) return Response.json(made, { headers });
    for (const [name, value] of Object.entries(headers)) made.headers.set(name, value);
    return made;
  } catch (error) {
    return refuse(context, request, error, codec);
  }
}

/** Throws GatewayError 404 for a model that the caller may not call. */
export function refuseUnknownModel(
  { services, catalog }: Uses<"channels" | "providerKeys" | "settings"> & Pick<CallTools, "catalog">,
  caller: Caller,
  model: string,
): void {
  const limits = caller.token?.modelLimits;
  const isServed = () =>
    servedModel(services, inServingGroup(services, caller, model), model) !== null ||
    ownModels(services, caller).includes(model);
  if ((limits && !limits.has(model)) || !isServed()) throw unknownModel(catalog(), model);
}

/** The models that the caller may call. */
export function allowedModels(
  { services }: Uses<"channels" | "providerKeys" | "settings">,
  caller: Caller,
): readonly string[] {
  const limits = caller.token?.modelLimits;
  const own = (caller.groups ?? [caller.group]).flatMap((group) => services.channels.modelsOf(group));
  const models = [...new Set([...own, ...routeNames(services, caller), ...ownModels(services, caller)])].sort();
  return limits ? models.filter((model) => limits.has(model)) : models;
}

const isAnthropic = ({ headers }: Request): boolean => headers.has("anthropic-version") || headers.has("x-api-key");

const isGoogle = ({ headers }: Request): boolean => headers.has("x-goog-api-key");

/** The format of a client that lists models, which share one path. */
export const codecOf = (request: Request): ClientCodec =>
  isGoogle(request) ? geminiClientCodec : isAnthropic(request) ? anthropicClientCodec : openaiChatClientCodec;
