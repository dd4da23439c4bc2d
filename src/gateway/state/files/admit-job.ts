import { estimate } from "../../../billing/pricing/estimate.ts";
import { countOf, type JsonObject, recordOf, textOf } from "../../../formats/json.ts";
import { integer } from "../../../formats/request-rules/number-limits.ts";
import { noRules, type RequestRules } from "../../../formats/request-rules/request-rules.ts";
import type { Caller } from "../../auth/authenticate.ts";
import { authorizeModel } from "../../auth/authorize.ts";
import { refusePrice } from "../../auth/policies.ts";
import { promptTokensBound, reserveAmount } from "../../billing/reserve.ts";
import type { GatewayContext } from "../../call/context.ts";
import type { Hold } from "../../call/services.ts";
import { checkRequest, checkValues, invalidRequest } from "../../http/client-body.ts";
import { jsonLines } from "./json-lines.ts";
import { pathOf } from "./refresh-objects.ts";
import { ownerOf, requestUpstream } from "./request-upstream.ts";
import { trainingOf } from "./settle-object.ts";
import type { StoredObject } from "./store.ts";

/** The number of epochs if the client sets none. */
const DEFAULT_EPOCHS = 3;
const MIN_EXAMPLES = 100;
const MAX_EXAMPLES = 25_000;
const MAX_EPOCHS = 25;

/**
 * Reads the examples of a fine-tuning job before it begins. The model must be allowed to the caller and its training
 * priced, and the balance must cover all tokens in all epochs, which is then held. Resolves with the hold. Rejects
 * GatewayError.
 */
export async function admitJob(
  context: GatewayContext,
  caller: Caller,
  job: JsonObject,
  training: StoredObject,
): Promise<Hold> {
  checkValues(job, jobRules);
  const model = textOf(job.model) ?? "";
  const method = recordOf(job.method);
  if (method?.type === "reinforcement") {
    throw invalidRequest({ code: "gateway_reinforcement" }, "method");
  }
  authorizeModel(caller, model);
  const price = context.prices.of(caller, trainingOf(model), trainingOf(model));
  const ask = { method: "GET", path: `${pathOf(training)}/content` } as const;
  let tokens = 0;
  let examples = 0;
  for await (const example of jsonLines(
    await requestUpstream(context, ownerOf(context, training), ask),
    checkExample,
  )) {
    tokens += promptTokensBound(example, JSON.stringify(example).length);
    examples += 1;
  }
  if (examples === 0) throw invalidRequest({ code: "gateway_training_empty" }, "training_file");
  const promptTokens = tokens * (epochsOf(job) ?? defaultEpochs(examples));
  const expected = { promptTokens, maxOutputTokens: 0, defaultOutputTokens: 0 };
  const cost = estimate(price, expected, context.prices.quotaPerUnit());
  if (caller.policies) refusePrice(caller.policies, cost);
  return reserveAmount(context.services, caller, cost);
}

/** The number of epochs that the client sets; null if none. */
function epochsOf(job: JsonObject): number | null {
  const method = recordOf(job.method);
  const places = [job, recordOf(method?.supervised), recordOf(method?.dpo)];
  const counts = places.flatMap((place) => countOf(recordOf(place?.hyperparameters)?.n_epochs) ?? []);
  return counts.length > 0 ? Math.max(...counts) : null;
}

const epochs = (path: string) => integer(path, 1, 50, "auto");
const jobRules: RequestRules = {
  ...noRules,
  numbers: [
    epochs("hyperparameters.n_epochs"),
    epochs("method.supervised.hyperparameters.n_epochs"),
    epochs("method.dpo.hyperparameters.n_epochs"),
  ],
};

function defaultEpochs(examples: number): number {
  if (examples * DEFAULT_EPOCHS < MIN_EXAMPLES) return Math.min(MAX_EPOCHS, Math.ceil(MIN_EXAMPLES / examples));
  return examples * DEFAULT_EPOCHS > MAX_EXAMPLES ? Math.max(1, Math.ceil(MAX_EXAMPLES / examples)) : DEFAULT_EPOCHS;
}

/** Rejects examples that cannot be read, because they cannot be priced. */
function checkExample(line: string, example: JsonObject | null): void {
  if (!example) throw invalidRequest({ code: "gateway_training_no_object" }, "training_file");
  checkRequest(line, example, noRules);
}
