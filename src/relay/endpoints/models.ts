import { nowSeconds } from "../../lib/clock.ts";
import { requestIdOf } from "../../lib/request-id.ts";
import { providerOf } from "../../providers/registry.ts";
import { admitGroup } from "../admit.ts";
import { authenticate, type Caller } from "../authenticate.ts";
import type { RelayContext } from "../context.ts";
import { RelayError } from "../errors.ts";
import { type RelayServer, refuse } from "../handle.ts";
import { corsHeaders } from "../headers.ts";

/** A model as OpenAI's API lists it; the date is the ecosystem's constant. */
type ModelObject = {
  id: string;
  object: "model";
  created: number;
  owned_by: string;
  root: string;
  parent: null;
};

const CREATED = 1_626_777_600;

/** GET /v1/models: what this key may call now. */
export function listModels(context: RelayContext, request: Request, server: RelayServer | null): Response {
  return answer(context, request, server, (caller) => ({
    success: true,
    object: "list",
    data: modelsOf(context, caller).map((model) => modelObject(context, caller, model)),
  }));
}

/** GET /v1/models/{model}; 404 `model_not_found` for what the key may not call. */
export function showModel(
  context: RelayContext,
  request: Request,
  server: RelayServer | null,
  model: string,
): Response {
  return answer(context, request, server, (caller) => {
    const limits = caller.token?.modelLimits;
    if ((limits && !limits.has(model)) || !context.services.channels.candidates(caller.group, model)) {
      throw new RelayError(
        404,
        "model_not_found",
        `The model “${model}” does not exist, or this API key has no access to it.`,
        {
          type: "invalid_request_error",
          param: "model",
        },
      );
    }
    return modelObject(context, caller, model);
  });
}

function answer(
  context: RelayContext,
  request: Request,
  server: RelayServer | null,
  make: (caller: Caller) => object,
): Response {
  try {
    const { services } = context;
    const caller = authenticate(services, request, services.clientAddress.ip(request, server), nowSeconds());
    admitGroup(services, caller);
    return Response.json(make(caller), { headers: { ...corsHeaders(request), "x-request-id": requestIdOf(request) } });
  } catch (error) {
    return refuse(context, request, error);
  }
}

function modelsOf({ services }: RelayContext, caller: Caller): readonly string[] {
  const limits = caller.token?.modelLimits;
  const models = services.channels.modelsOf(caller.group);
  return limits ? models.filter((model) => limits.has(model)) : models;
}

function modelObject({ services }: RelayContext, caller: Caller, model: string): ModelObject {
  const channel = services.channels.candidates(caller.group, model)?.tiers[0]?.channels[0];
  const owner = channel && providerOf(channel.type)?.owner;
  return { id: model, object: "model", created: CREATED, owned_by: owner ?? "custom", root: model, parent: null };
}
