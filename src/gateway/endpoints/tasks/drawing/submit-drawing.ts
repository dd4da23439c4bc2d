import { findDrawings } from "../../../../domain/tasks/find-tasks.ts";
import { applyReport } from "../../../../domain/tasks/polling/apply-report.ts";
import { addDrawing, takeDrawing } from "../../../../domain/tasks/submit-task.ts";
import { findOpenDrawing } from "../../../../domain/tasks/task-rows.ts";
import { callbackUrlOf } from "../../../../domain/tasks/task-view.ts";
import { type JsonObject, numberOf, recordOf, textOf } from "../../../../formats/json.ts";
import { readDrawing } from "../../../../formats/tasks/midjourney.ts";
import type { Caller } from "../../../call/caller.ts";
import type { Uses } from "../../../call/services.ts";
import type { GatewayServer } from "../../../request/arrival.ts";
import type { AdmitTaskContext } from "../admit-task.ts";
import { admitTask } from "../admit-task.ts";
import { drawing } from "../endpoints.ts";
import { answer } from "../responses.ts";
import type { SubmitContext } from "../submit.ts";
import { type SubmitResult, submitTask } from "../submit.ts";
import { bodyForUpstream, type DrawingOrder, readOrder, reason } from "./action.ts";
import { CODE, refusal } from "./responses.ts";

/** What these functions work with. */
export type SubmitDrawingContext = SubmitContext & AdmitTaskContext;

/** Actions that open a form; the client completes it with a modal call, which is charged. */
const OPENS_FORM: ReadonlySet<string> = new Set(["INPAINT", "CUSTOM_ZOOM"]);
const MAX_HOOK_LENGTH = 2000;

type Planned = Readonly<{ order: DrawingOrder; model: string; prompt: string; parent?: ParentOf }>;
type ParentOf = Readonly<{ channelId: number; keyHash: string }>;

/** POST /mj/submit/…, also with a mode as prefix; `read` parses the order. */
export async function submitDrawing(
  context: SubmitDrawingContext,
  request: Request,
  server: GatewayServer | null,
  mode: string,
  read: (body: JsonObject) => DrawingOrder,
): Promise<Response> {
  try {
    const arrival = { request, server, endpoint: drawing };
    const { call, planned, body } = await admitTask(context, arrival, (caller, { json }) =>
      plan(context, caller, read(json)),
    );
    const { settings, tasks } = context.services;
    const { order, prompt } = planned;
    const notifiesClient = settings.values.MjNotifyEnabled;
    const hook = notifiesClient ? (textOf(body.json.notifyHook) ?? "").slice(0, MAX_HOOK_LENGTH) : "";
    const { caller } = call;
    const { sent, route } = await submitTask(context, call, {
      kind: "drawing",
      store: () =>
        addDrawing(tasks.db, {
          userId: caller.user.id,
          tokenId: caller.token?.id ?? 0,
          channelId: 0,
          action: order.action,
          prompt,
          state: textOf(body.json.state) ?? "",
          botType: textOf(body.json.botType) ?? "",
          customId: order.customId,
          notifyHook: hook,
          chargeId: call.recordId,
          createdAt: call.createdAt,
        }),
      request: async ({ channel, provider }, id) => ({
        url:
          upstreamUrl(
            provider.url(channel, { capability: "drawing", dialect: "openai-chat", model: "", stream: false }),
            mode,
          ) + order.path,
        body: JSON.stringify(
          bodyForUpstream(order.body, {
            callbackUrl: notifiesClient ? callbackUrlOf(tasks, id) : null,
            keepsAccountFilter: settings.values.MjAccountFilterEnabled,
            clearsModes: settings.values.MjModeClearEnabled,
          }),
        ),
      }),
      read: (answered) => readSubmitted(answered, order.action),
      async take(id, taken, { answer: upstreamAnswer, code, reason: description }) {
        const isOver = order.action === "UPLOAD" && code === CODE.accepted;
        await takeDrawing(tasks.db, id, taken, { code, description, isOver });
        if (code === CODE.exists) await recordExisting(context, id, taken.upstreamId, upstreamAnswer);
      },
    });
    // The failure of a follow-up says nothing about the channel: the account of its first task may be the one that is
    // gone.
    const isWithoutAccounts = sent.code === CODE.noAccount && !planned.parent;
    if (isWithoutAccounts) context.health.noAccount(route.channel, sent.reason);
    return respondToSubmit(request, sent, order.action);
  } catch (error) {
    return refusal(context, request, error);
  }
}

/** POST /mj/submit/{name} */
export const submitNamed = (
  context: SubmitDrawingContext,
  request: Request,
  server: GatewayServer | null,
  mode: string,
  name: string,
): Promise<Response> => submitDrawing(context, request, server, mode, (body) => readOrder(name, body));

/** A follow-up goes to the channel of its first task, and is logged with that prompt. */
async function plan({ services }: Uses<"settings" | "tasks">, caller: Caller, order: DrawingOrder): Promise<Planned> {
  const { model, prompt, parentId, action } = order;
  if (parentId === null) return { order, model, prompt };
  const [parent] = await findDrawings(services.tasks.db, caller.user.id, [parentId]);
  if (!parent) throw reason("task_not_found");
  const mustBeDone = action !== "MODAL" && services.settings.values.MjActionCheckSuccessEnabled;
  if (mustBeDone && parent.status !== "SUCCESS") throw reason("task_status_not_success");
  return { order, model, prompt: prompt || parent.prompt, parent };
}

/** Modes that begin with `mj-` are the gateway's own; others are part of the upstream's URL. */
const upstreamUrl = (url: string, mode: string): string =>
  mode === "" || mode.startsWith("mj-") ? url : url.replace(/\/mj$/, `/${mode}/mj`);

type SubmitAnswer = JsonObject;

function readSubmitted(answered: unknown, action: string): SubmitResult<SubmitAnswer> | null {
  const response = recordOf(answered);
  const code = numberOf(response?.code);
  if (!response || code === null) return null;
  const isTaken = code === CODE.accepted || (action !== "SWAP_FACE" && (code === CODE.exists || code === CODE.queued));
  const result = Array.isArray(response.result) ? textOf(response.result[0]) : textOf(response.result);
  return {
    answer: response,
    upstreamId: isTaken ? (result ?? "") : null,
    code,
    reason: textOf(response.description) ?? "",
  };
}

/** The upstream already has this order: its response contains the task's status, which may be the only report. */
async function recordExisting(
  { services }: Uses<"tasks">,
  id: number,
  upstreamId: string,
  upstreamAnswer: SubmitAnswer,
) {
  const properties = recordOf(upstreamAnswer.properties);
  if (!textOf(properties?.imageUrl) || !textOf(properties?.status)) return;
  const report = readDrawing({ ...properties, id: upstreamId });
  const task = report && (await findOpenDrawing(services.tasks.db, id));
  if (task) await applyReport(services.tasks, task, report);
}

/**
 * The response to the client: a task that exists or is queued counts as accepted, except for actions that open a form.
 */
function respondToSubmit(
  request: Request,
  { answer: upstreamAnswer, upstreamId, code, reason: why }: SubmitResult<SubmitAnswer>,
  action: string,
) {
  if (upstreamId === null) {
    if (code === CODE.overload) return answer(request, upstreamAnswer, 429);
    if (code === CODE.badRequest || code === CODE.unknown) {
      const description = `${why} ${textOf(upstreamAnswer.result) ?? ""}`.trim();
      return answer(request, { description, type: "upstream_error", code }, 400);
    }
    return answer(request, upstreamAnswer);
  }
  return answer(request, OPENS_FORM.has(action) ? upstreamAnswer : { ...upstreamAnswer, code: CODE.accepted });
}
