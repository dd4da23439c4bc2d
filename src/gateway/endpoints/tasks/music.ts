import { findMedia } from "../../../domain/tasks/find-tasks.ts";
import { addMedia, takeMedia } from "../../../domain/tasks/submit-task.ts";
import { viewSong } from "../../../domain/tasks/task-view.ts";
import { type JsonObject, recordOf, recordsOf, textOf, textsOf } from "../../../formats/json.ts";
import { requestIdOf } from "../../../lib/http/request.ts";
import type { Caller } from "../../call/caller.ts";
import { GatewayError } from "../../call/errors.ts";
import { StoredAnswers, type StoredAnswersContext } from "../../call/guardrails/answer/guard-stored.ts";
import type { CallTools, Uses } from "../../call/services.ts";
import type { GatewayServer } from "../../request/arrival.ts";
import { readBody } from "../../request/client-body.ts";
import { type Route, route } from "../route.ts";
import { type AdmitTaskContext, admitTask } from "./admit-task.ts";
import { music } from "./endpoints.ts";
import { answer, taskErrorOf } from "./responses.ts";
import { type SubmitContext, type SubmitResult, submitTask } from "./submit.ts";
import { callerOf } from "./task-channel.ts";

/** What these functions work with. */
export type MusicContext = SubmitContext & AdmitTaskContext & StoredAnswersContext;

const PLATFORM = "suno";
const MAX_IDS = 500;
const MAX_HOOK_LENGTH = 2000;

/** POST /suno/submit/{action}: orders a song or lyrics; the response contains the task id. */
async function submitMusic(
  context: MusicContext,
  request: Request,
  server: GatewayServer | null,
  action: string,
): Promise<Response> {
  try {
    const arrival = { request, server, endpoint: music };
    const { call, planned, body } = await admitTask(context, arrival, (caller, { json }) =>
      plan(context, caller, readMusicOrder(action, json)),
    );
    const { order, model, prompt } = planned;
    const { tasks } = context.services;
    const { caller } = call;
    const { sent } = await submitTask(context, call, {
      kind: "media",
      store: () =>
        addMedia(tasks.db, {
          userId: caller.user.id,
          tokenId: caller.token?.id ?? 0,
          channelId: 0,
          platform: PLATFORM,
          action: order.action,
          modelName: model,
          taskId: "",
          properties: { input: prompt },
          notifyHook: (textOf(body.json.notify_hook) ?? "").slice(0, MAX_HOOK_LENGTH),
          chargeId: call.recordId,
          createdAt: call.createdAt,
        }),
      request: async ({ channel, provider }) => ({
        url: `${provider.url(channel, { capability: "music", dialect: "openai-chat", model, stream: false })}/submit/${order.action}`,
        body: JSON.stringify(order.body),
      }),
      read: readSubmitted,
      take: (id, taken) => takeMedia(tasks.db, id, taken, { taskId: taken.upstreamId }),
    });
    return answer(request, sent.answer, sent.upstreamId === null ? 400 : 200);
  } catch (error) {
    return refusal(context, request, error);
  }
}

/** A song that continues another goes to the channel of that song. */
async function plan({ services }: Uses<"tasks">, caller: Caller, order: MusicOrder) {
  const { model, prompt, parentId } = order;
  if (parentId === null) return { order, model, prompt };
  const [parent] = await findMedia(services.tasks.db, caller.user.id, PLATFORM, [parentId]);
  if (!parent) throw new GatewayError(400, "invalid_request", "task_not_exist");
  // The clip must be that task's: the upstream would continue anybody's.
  const clip = textOf(order.body.continue_clip_id);
  if (!recordsOf(parent.data).some(({ id }) => id === clip)) {
    throw new GatewayError(400, "invalid_request", "clip_not_exist");
  }
  return { order, model, prompt, parent };
}

function readSubmitted(answered: unknown): SubmitResult<unknown> | null {
  const response = recordOf(answered);
  const code = textOf(response?.code);
  if (!response || code === null) return null;
  const upstreamId = code === "success" ? textOf(response.data) : null;
  return { answer: response, upstreamId, code: upstreamId === null ? 0 : 1, reason: textOf(response.message) || code };
}

/** POST /suno/fetch: the caller's own tasks with the given ids. */
async function listSongs(context: MusicContext, request: Request, server: GatewayServer | null) {
  try {
    const caller = await callerOf(context, request, server, "TaskEnabled");
    const { tasks } = context.services;
    const { json } = await readBody(context, request, music.rules);
    const rows = await findMedia(tasks.db, caller.user.id, PLATFORM, textsOf(json.ids).slice(0, MAX_IDS));
    return await answerSongs(context, request, caller, rows.map(viewSong));
  } catch (error) {
    return refusal(context, request, error);
  }
}

/** GET /suno/fetch/{id}: one of the caller's own tasks. */
async function fetchSong(context: MusicContext, request: Request, server: GatewayServer | null, id: string) {
  try {
    const caller = await callerOf(context, request, server, "TaskEnabled");
    const [row] = await findMedia(context.services.tasks.db, caller.user.id, PLATFORM, [id]);
    if (!row) throw new GatewayError(400, "task_not_exist", "task_not_exist");
    return await answerSongs(context, request, caller, viewSong(row));
  } catch (error) {
    return refusal(context, request, error);
  }
}

/** Lyrics and titles are answers, too. */
async function answerSongs(context: MusicContext, request: Request, caller: Caller, data: unknown): Promise<Response> {
  const guardrails = new StoredAnswers(context, caller, requestIdOf(request));
  return answer(request, await guardrails.pass({ code: "success", message: "", data }));
}

/** An error in the protocol's format, with the status of the failure. */
export function refusal(context: Uses<"log"> & Pick<CallTools, "metrics">, request: Request, error: unknown): Response {
  const clientError = taskErrorOf(context, error);
  const code = clientError.isQuota ? "quota_not_enough" : codeOf(clientError);
  return answer(
    request,
    { code, message: `${clientError.message} (request id: ${requestIdOf(request)})`, data: null },
    clientError.status,
  );
}

const codeOf = ({ code, type }: GatewayError): string =>
  type === "upstream_error" ? "fail_to_fetch_task" : code === null ? "error" : String(code);

/** A parsed music order. */
type MusicOrder = Readonly<{
  action: "MUSIC" | "LYRICS";
  model: string;
  prompt: string;
  /** The task whose song it continues; null for a new song. */
  parentId: string | null;
  body: JsonObject;
}>;

const DEFAULT_VERSION = "chirp-v3-0";

/** Reads an order by its path after /suno/submit/, in any case. Throws GatewayError with the protocol's reason. */
function readMusicOrder(name: string, body: JsonObject): MusicOrder {
  const action = name.toUpperCase();
  const prompt = textOf(body.prompt) || (textOf(body.gpt_description_prompt) ?? "");
  const { notify_hook: _hook, ...order } = body;
  if (action === "LYRICS") {
    if (!textOf(body.prompt)) throw new GatewayError(400, "invalid_request", "prompt_empty");
    return { action, model: "suno_lyrics", prompt, parentId: null, body: order };
  }
  if (action !== "MUSIC") throw new GatewayError(400, "invalid_request", "invalid_action");
  const taskId = textOf(body.task_id) ?? "";
  const continues = (textOf(body.continue_clip_id) ?? "") !== "";
  if (continues && taskId === "") throw new GatewayError(400, "invalid_request", "task_id_is_required");
  const withVersion = { ...order, mv: textOf(body.mv) || DEFAULT_VERSION };
  return { action, model: "suno_music", prompt, parentId: continues ? taskId : null, body: withVersion };
}

/** The Suno protocol, under /suno. */
export const musicRoutes = (context: MusicContext): readonly Route[] => [
  route("POST", "/submit/:action", ({ request, server, param }) =>
    submitMusic(context, request, server, param("action")),
  ),
  route("POST", "/fetch", ({ request, server }) => listSongs(context, request, server)),
  route("GET", "/fetch/:id", ({ request, server, param }) => fetchSong(context, request, server, param("id"))),
];
