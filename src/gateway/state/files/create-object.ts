import { type JsonObject, recordOf, textOf } from "../../../formats/json.ts";
import { openaiRules } from "../../../formats/openai-chat/request/request-rules.ts";
import { bytesUpTo } from "../../../lib/http/limited-body.ts";
import { outgoingForm } from "../../../lib/http/multipart/form-stream.ts";
import { textOfBytes } from "../../../lib/values/bytes.ts";
import type { Caller } from "../../call/caller.ts";
import type { ClientBody } from "../../call/endpoint.ts";
import { CLIENT_LEFT } from "../../call/progress.ts";
import type { Choice } from "../../call/route.ts";
import type { Hold } from "../../call/services.ts";
import {
  invalidRequest,
  type ReadBodyContext,
  readBody,
  tooLarge,
  withBodyDeadline,
} from "../../request/client-body.ts";
import type { RoutingMemory } from "../../routing/memory.ts";
import { chooseOwner, storedObjectOf } from "../objects/choose-owner.ts";
import { type ObjectRequest, ownerOf, requestObject } from "../objects/request-upstream.ts";
import type { ObjectKind, Payer, StoredObject } from "../objects/store.ts";
import { unknownObject } from "../references/may-refer.ts";
import type { UsesStores } from "../stores.ts";
import type { AdmitJobContext } from "./admit-job.ts";
import { admitBatch, admitJob } from "./admit-job.ts";
import { PATHS, pathOf, storeObject } from "./read-objects.ts";
import { trainingOf } from "./settle-object.ts";

/** What these functions work with. */
export type CreateObjectContext = AdmitJobContext & ReadBodyContext & Pick<RoutingMemory, "keys">;

/** Creates an object from a request: reads it and chooses the channel that stores it. Rejects GatewayError. */
export type Create = (context: CreateObjectContext, caller: Caller, request: Request) => Promise<JsonObject>;

/** POST /v1/files, a form */
export const createFile: Create = async (context, caller, request) => {
  const body = await readUpload(context, request);
  try {
    if (!body.form || body.json.file === undefined)
      throw invalidRequest({ code: "gateway_field_missing", params: { field: "file" } }, "file");
    if (!textOf(body.json.purpose))
      throw invalidRequest({ code: "gateway_field_missing", params: { field: "purpose" } }, "purpose");
    const form = await outgoingForm(body.form.parts, {});
    const maker = chooseOwner(context, caller);
    return await createAtUpstream(context, caller, maker, { kind: "file", path: PATHS.file, body: form });
  } finally {
    await body.form?.discard();
  }
};

/** POST /v1/uploads: a file that is uploaded in parts */
export const createUpload: Create = async (context, caller, request) => {
  const { text } = await jsonBody(context, request);
  const maker = chooseOwner(context, caller);
  return createAtUpstream(context, caller, maker, { kind: "upload", path: PATHS.upload, body: text });
};

/** POST /v1/batches: on the channel that has its file; the most that it can cost is held until it is over */
export const createBatch: Create = async (context, caller, request) => {
  const { json, text } = await jsonBody(context, request);
  const input = await fileOf(context, caller, json, "input_file_id");
  if (!input)
    throw invalidRequest({ code: "gateway_field_missing", params: { field: "input_file_id" } }, "input_file_id");
  const hold = await admitBatch(context, caller, input);
  const order = { kind: "batch", path: PATHS.batch, body: text } as const;
  return createWithHold(context, caller, request, ownerOf(context, input), order, hold);
};

/**
 * POST /v1/fine_tuning/jobs: on the channel that has its files. Training has its own price, MODEL-training, and the
 * most that it can cost is held until it is over.
 */
export const createJob: Create = async (context, caller, request) => {
  const { json, text } = await jsonBody(context, request);
  const training = await fileOf(context, caller, json, "training_file");
  if (!training)
    throw invalidRequest({ code: "gateway_field_missing", params: { field: "training_file" } }, "training_file");
  const validation = await fileOf(context, caller, json, "validation_file");
  if (validation && (validation.channelId !== training.channelId || validation.keyHash !== training.keyHash)) {
    throw invalidRequest({ code: "gateway_files_apart" }, "validation_file");
  }
  const hold = await admitJob(context, caller, json, training);
  const model = textOf(json.model) ?? "";
  const payingModel = { requested: trainingOf(model), upstream: trainingOf(model) };
  const order = { kind: "job", path: PATHS.job, body: text, model: payingModel } as const;
  return createWithHold(context, caller, request, ownerOf(context, training), order, hold);
};

/** POST /v1/uploads/{id}/parts, a form */
export async function addPart(
  context: CreateObjectContext,
  upload: StoredObject,
  request: Request,
): Promise<JsonObject> {
  const body = await readUpload(context, request);
  try {
    if (!body.form || body.json.data === undefined)
      throw invalidRequest({ code: "gateway_field_missing", params: { field: "data" } }, "data");
    const form = await outgoingForm(body.form.parts, {});
    return await requestObject(context, ownerOf(context, upload), {
      method: "POST",
      path: `${pathOf(upload)}/parts`,
      body: form,
    });
  } finally {
    await body.form?.discard();
  }
}

/** POST …/{id}/cancel, /complete, /pause, /resume */
export async function runAction(
  context: CreateObjectContext,
  object: StoredObject,
  action: string,
  request: Request,
): Promise<JsonObject> {
  const { maxRequestBodyBytes, requestBodyTimeoutMs } = context.services.config;
  const reading = bytesUpTo(request, maxRequestBodyBytes);
  const bytes = await withBodyDeadline(reading, maxRequestBodyBytes, requestBodyTimeoutMs);
  if (!bytes) throw tooLarge(maxRequestBodyBytes);
  const body = textOfBytes(bytes) || "{}";
  const ask = { method: "POST", path: `${pathOf(object)}/${action}`, body } as const;
  const answer = await requestObject(context, ownerOf(context, object), ask);
  const file = recordOf(answer.file);
  if (file) await context.services.objects.keep({ ...object, id: String(file.id), kind: "file", body: file });
  return (await storeObject(context, object, answer)).body;
}

const readUpload = (context: ReadBodyContext, request: Request): Promise<ClientBody> =>
  readBody(context, request, openaiRules, context.services.config.maxUploadBytes);

async function jsonBody(context: ReadBodyContext, request: Request): Promise<ClientBody> {
  const body = await readBody(context, request, openaiRules);
  if (!body.form) return body;
  await body.form.discard();
  throw invalidRequest({ code: "gateway_body_no_object" });
}

/** What to create at an upstream. */
type Order = Readonly<{
  kind: ObjectKind;
  /** The path after the version. */
  path: string;
  body: NonNullable<ObjectRequest["body"]>;
  model?: Payer["model"];
  /** The models that it may use, if there are several. */
  models?: readonly string[];
}>;

/** Creates an object at the upstream, and stores its owner and channel. */
async function createAtUpstream(
  context: CreateObjectContext,
  caller: Caller,
  maker: Choice,
  { kind, path, body, model, models }: Order,
): Promise<JsonObject> {
  const made = await requestObject(context, maker, { method: "POST", path, body });
  const object = storedObjectOf(caller, maker, kind, made, model);
  await context.services.objects.keep(models ? { ...object, payer: { ...object.payer, models } } : object);
  return made;
}

/** The same, with the most that it can cost held while it runs. Rejects GatewayError. */
export async function createWithHold(
  context: CreateObjectContext,
  caller: Caller,
  request: Request,
  maker: Choice,
  order: Order,
  hold: Hold,
): Promise<JsonObject> {
  const { billing, log } = context.services;
  let object: JsonObject;
  try {
    if (request.signal.aborted) throw CLIENT_LEFT;
    object = await createAtUpstream(context, caller, maker, order);
  } catch (error) {
    billing.refund(hold);
    throw error;
  }
  // The job is running: even without its hold it is charged when it is over.
  await billing.keepHold(hold, String(object.id)).catch((error) => {
    log.error({ error, objectId: object.id, kind: order.kind }, "nothing is held for it while it runs");
  });
  return object;
}

async function fileOf(
  context: UsesStores<"objects">,
  caller: Caller,
  body: JsonObject,
  field: string,
): Promise<StoredObject | null> {
  const id = textOf(body[field]);
  if (!id) return null;
  const file = await context.services.objects.find("file", id, caller.user.id);
  if (!file) throw unknownObject(id);
  return file;
}
