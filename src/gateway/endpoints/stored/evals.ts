import type { JsonObject } from "../../../formats/json.ts";
import { type RequestRules, requestMembers } from "../../../formats/request-rules.ts";
import { decodePath } from "../../../lib/http/request.ts";
import type { Caller } from "../../call/caller.ts";
import type { RouteMethod } from "../../request/arrival.ts";
import { invalidRequest, readBody } from "../../request/client-body.ts";
import { admitRun } from "../../state/evals/admit-run.ts";
import { type CreateObjectContext, createWithHold } from "../../state/files/create-object.ts";
import { listObjects, pathOf, readPart, refresh, removeObject, storeObject } from "../../state/files/read-objects.ts";
import { ownerOf, requestObject } from "../../state/objects/request-upstream.ts";
import { isFinal, type StoredObject } from "../../state/objects/store.ts";
import { unknownObject } from "../../state/references/may-refer.ts";
import { type Route, type RoutedRequest, route } from "../route.ts";
import { type AnswerWithContext, answerWith, find } from "./files.ts";

/** What these functions work with. */
export type EvalsContext = AnswerWithContext & CreateObjectContext;

/** Members by which runs are admitted and priced. */
const runRules: RequestRules = {
  members: requestMembers(
    "data_source type source id content model input_messages template sampling_params max_completion_tokens max_completions_tokens tools",
    { free: "item sample metadata parameters schema" },
  ),
  numbers: [],
  switches: [],
};

type Work = (caller: Caller, object: StoredObject, routed: RoutedRequest) => Promise<object>;

/**
 * Runs of evals with their output items; the evals themselves are a collection. Users reach only what their own keys made.
 * Source: https://developers.openai.com/api/reference/resources/evals
 */
export function evalRoutes(context: EvalsContext): readonly Route[] {
  const ofEval = (work: Work) => (routed: RoutedRequest) =>
    answerWith(context, routed, async (caller) =>
      work(caller, await find(context, caller, "eval", routed.param("id")), routed),
    );
  const ofRun = (method: RouteMethod, path: string, work: Work) =>
    route(method, `/evals/:id/runs/:run${path}`, (routed) =>
      answerWith(context, routed, async (caller) => {
        const run = await find(context, caller, "eval_run", routed.param("run"));
        if (run.body.eval_id !== decodePath(routed.param("id"))) throw unknownObject(run.id);
        return work(caller, run, routed);
      }),
    );
  const queryOf = ({ request }: RoutedRequest) => new URL(request.url).search;
  return [
    route(
      "DELETE",
      "/evals/:id",
      ofEval((caller, evaluation) => removeEval(context, caller, evaluation)),
    ),
    route(
      "POST",
      "/evals/:id/runs",
      ofEval((caller, evaluation, { request }) => createRun(context, caller, evaluation, request)),
    ),
    route(
      "GET",
      "/evals/:id/runs",
      ofEval((caller, { id }, { request }) =>
        listObjects(context, caller, "eval_run", new URL(request.url).searchParams, { member: "eval_id", value: id }),
      ),
    ),
    ofRun("GET", "", async (_, run) => (await refresh(context, run)).body),
    // The reference has the first path, OpenAI's clients call the second.
    ...["", "/cancel"].map((path) => ofRun("POST", path, (_, run) => cancelRun(context, run, path))),
    ofRun("DELETE", "", (_, run) => removeRun(context, run)),
    ofRun("GET", "/output_items", (_, run, routed) => readPart(context, run, "output_items", queryOf(routed))),
    ofRun("GET", "/output_items/:item", (_, run, routed) => {
      const item = routed.param("item");
      if (!/^[\w-]+$/.test(item)) throw unknownObject(item);
      return readPart(context, run, `output_items/${item}`, queryOf(routed));
    }),
  ];
}

async function createRun(
  context: EvalsContext,
  caller: Caller,
  evaluation: StoredObject,
  request: Request,
): Promise<JsonObject> {
  const { text, json, form } = await readBody(context, request, runRules);
  if (form) {
    await form.discard();
    throw invalidRequest({ code: "gateway_body_no_object" });
  }
  const { hold, models } = await admitRun(context, caller, evaluation, json);
  const maker = ownerOf(context, evaluation);
  const order = { kind: "eval_run", path: `${pathOf(evaluation)}/runs`, body: text, models } as const;
  return createWithHold(context, caller, request, maker, order, hold);
}

async function cancelRun(context: EvalsContext, run: StoredObject, path: string): Promise<JsonObject> {
  const ask = { method: "POST", path: pathOf(run) + path, body: "{}" } as const;
  const body = await requestObject(context, ownerOf(context, run), ask);
  return (await storeObject(context, run, body)).body;
}

/** What a run used is known only while it exists, so one that is under way must be canceled first. */
async function removeRun(context: EvalsContext, run: StoredObject): Promise<JsonObject> {
  await finishRun(context, run);
  return removeObject(context, run);
}

async function finishRun(context: EvalsContext, run: StoredObject): Promise<void> {
  if (run.settledAt !== null) return;
  const now = await refresh(context, run);
  if (!isFinal(now.body)) throw invalidRequest({ code: "gateway_eval_running", params: { id: run.id } });
}

async function removeEval(context: EvalsContext, caller: Caller, evaluation: StoredObject): Promise<JsonObject> {
  const { objects } = context.services;
  const match = { member: "eval_id", value: evaluation.id } as const;
  const page = {
    kind: "eval_run",
    userId: caller.user.id,
    match,
    before: null,
    limit: 100,
    newestFirst: true,
  } as const;
  const runs: StoredObject[] = [];
  for (let after: string | null = null; ; ) {
    const found = await objects.list({ ...page, after });
    runs.push(...found);
    after = found.at(-1)?.id ?? null;
    if (found.length < page.limit) break;
  }
  for (const run of runs) await finishRun(context, run);
  const answer = await removeObject(context, evaluation);
  for (const { id } of runs) await objects.remove(id);
  return answer;
}
