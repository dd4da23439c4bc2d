import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CreateMessageRequestSchema,
  CreateMessageResultSchema,
  CreateMessageResultWithToolsSchema,
  ElicitRequestSchema,
  ElicitResultSchema,
  ErrorCode,
  ListRootsRequestSchema,
  ListRootsResultSchema,
  LoggingLevelSchema,
  LoggingMessageNotificationSchema,
  McpError,
  type RequestId,
} from "@modelcontextprotocol/sdk/types.js";
import type { McpServer } from "../../../../domain/models/mcp/directory.ts";
import type { CallClient } from "../../../../domain/models/mcp/server-messages.ts";
import { type JsonObject, recordOf } from "../../../../formats/json.ts";
import { sayReason } from "../../../../lib/reason.ts";
import type { Caller } from "../../../call/caller.ts";
import { GatewayError } from "../../../call/errors.ts";
import { refuseForbidden } from "../../../call/guardrails/request/refuse-forbidden.ts";
import type { Uses } from "../../../call/services.ts";
import { textsIn } from "../../../request/order-texts.ts";
import { CallCanceledError } from "./call-canceled.ts";
import { declaredTo, isWebAddress } from "./client-abilities.ts";
import { type Questions, TooManyQuestionsError } from "./questions.ts";

/** Of one call. */
const [MAX_QUESTIONS, MAX_NOTES] = [100, 1_000];
/** Of their JSON, in UTF-16 code units. */
const [MAX_QUESTION_LENGTH, MAX_NOTE_LENGTH] = [1_048_576, 65_536];

/** From the least severe to the most (RFC 5424). */
const LEVELS: readonly string[] = LoggingLevelSchema.options;

export type RelayContext = Uses<"settings"> & Readonly<{ mcpQuestions: Questions }>;

type RelayedCall = Readonly<{
  caller: Caller;
  session: string;
  server: McpServer;
  /** The name of what is called, by which guardrails apply. */
  model: string;
  /** Whether the client sees several servers as one. */
  isJoined: boolean;
  /** The stream of the call, and the client's id of it. */
  transport: Transport;
  requestId: RequestId;
  /** The client has left, and can answer no more. */
  left: AbortSignal;
}>;

/**
 * What the server of a call sends to its client: questions, if the client has declared that it answers such, and the server may ask
 * them; log messages. Texts of questions and answers must pass the guardrails for requests of models.
 */
export class CallRelay implements CallClient {
  readonly #canceled = new AbortController();
  readonly #over = new AbortController();
  readonly #startedAt = performance.now();
  #questions = 0;
  #notes = 0;
  #open = 0;
  #wasSent = false;

  constructor(
    private readonly context: RelayContext,
    private readonly call: RelayedCall,
  ) {}

  get logLevel(): string | null {
    return this.context.mcpQuestions.levelOf(this.call.caller, this.call.session);
  }

  get hasSession(): boolean {
    return this.call.session !== "";
  }

  get signal(): AbortSignal {
    return this.#canceled.signal;
  }

  /** A question waits for its answer. */
  get isAsking(): boolean {
    return this.#open > 0;
  }

  sending(): void {
    this.#wasSent = true;
  }

  /** The client wants no result. */
  cancel(): void {
    this.#canceled.abort(new CallCanceledError(this.#wasSent));
  }

  /** The call has its result: what is still open needs no answer. */
  end(): void {
    this.#over.abort(new McpError(ErrorCode.InvalidRequest, "The call is over."));
  }

  async ask(method: string, params: JsonObject, canceled: AbortSignal): Promise<JsonObject> {
    const { call, context } = this;
    const { _meta, task, ...question } = params;
    const { sent, readAnswer } = this.#read(method, question);
    this.#questions += 1;
    if (this.#questions > MAX_QUESTIONS || JSON.stringify(sent).length > MAX_QUESTION_LENGTH) throw tooMany();
    this.#guard(sent);
    const signal = AbortSignal.any([canceled, call.left, this.#over.signal, this.#canceled.signal]);
    const withinMs = call.server.timeoutMs - (performance.now() - this.#startedAt);
    let id: string | null = null;
    const send = async (own: string) => {
      id = own;
      await this.#send({ id: own, method, params: sent });
    };
    this.#open += 1;
    try {
      const { result, error } = await context.mcpQuestions.ask(call.caller, call.session, { withinMs, signal, send });
      if (error !== undefined) throw clientError(error);
      const answer = readAnswer(recordOf(result) ?? {});
      this.#guard(answer);
      return answer;
    } catch (thrown) {
      if (signal.aborted && id !== null) {
        const reason = "The server needs no answer any more.";
        await this.#send({ method: "notifications/cancelled", params: { requestId: id, reason } }).catch(() => {});
      }
      if (signal.aborted) throw new McpError(ErrorCode.InvalidRequest, "The client answers no more.");
      if (thrown instanceof TooManyQuestionsError) throw tooMany();
      throw thrown;
    } finally {
      this.#open -= 1;
    }
  }

  notify(method: string, params: JsonObject): void {
    const note = this.#readNote(method, params);
    if (!note || JSON.stringify(note).length > MAX_NOTE_LENGTH) return;
    this.#notes += 1;
    if (this.#notes > MAX_NOTES) return;
    try {
      this.#guard(note);
    } catch {
      return;
    }
    void this.#send({ method, params: note }).catch(() => {});
  }

  /** What of a question is sent, and how its answer is read. Throws McpError unless it is one that the client answers. */
  #read(method: string, params: JsonObject): Question {
    const { server, session } = this.call;
    const { elicitation, sampling, roots } = declaredTo(server, session);
    switch (method) {
      case "elicitation/create": {
        const { success, data } = ElicitRequestSchema.safeParse({ method, params });
        const url = success && data.params.mode === "url" ? data.params.url : null;
        if (!success || (url !== null && !isWebAddress(url))) throw invalid(method);
        if (!(url === null ? elicitation?.form : elicitation?.url)) throw undeclared(method);
        return {
          sent: { ...params, message: this.#named(data.params.message) },
          readAnswer: (each) => ElicitResultSchema.parse(each),
        };
      }
      case "sampling/createMessage": {
        if (!sampling) throw undeclared(method);
        const { success, data } = CreateMessageRequestSchema.safeParse({ method, params });
        if (!success) throw invalid(method);
        const usesTools = data.params.tools !== undefined || data.params.toolChoice !== undefined;
        if (usesTools && !sampling.tools) throw undeclared(method);
        // To the client all servers are one: their contexts are not for this one.
        const { includeContext, ...sent } = params;
        const answers = usesTools ? CreateMessageResultWithToolsSchema : CreateMessageResultSchema;
        return { sent, readAnswer: (each) => answers.parse(each) };
      }
      case "roots/list":
        if (!roots) throw undeclared(method);
        if (!ListRootsRequestSchema.safeParse({ method }).success) throw invalid(method);
        return { sent: {}, readAnswer: (each) => ListRootsResultSchema.parse(each) };
      default:
        throw new McpError(ErrorCode.MethodNotFound, method);
    }
  }

  #readNote(method: string, params: JsonObject): JsonObject | null {
    const { server, session, isJoined } = this.call;
    if (method === "notifications/elicitation/complete") {
      const { elicitationId } = params;
      const isKnown = declaredTo(server, session).elicitation?.url && typeof elicitationId === "string";
      return isKnown ? { elicitationId } : null;
    }
    const { success, data } = LoggingMessageNotificationSchema.safeParse({ method, params });
    if (!success) return null;
    const { level, logger, data: content } = data.params;
    const { logLevel } = this;
    if (logLevel !== null && LEVELS.indexOf(level) < LEVELS.indexOf(logLevel)) return null;
    const name = isJoined ? [server.name, ...(logger === undefined ? [] : [logger])].join("/") : logger;
    return { level, data: content, ...(name !== undefined && { logger: name }) };
  }

  /** People must see which of several servers asks. */
  #named = (message: string): string => (this.call.isJoined ? `${this.call.server.name}: ${message}` : message);

  /** Throws McpError for texts that may not go to models. */
  #guard(value: JsonObject): void {
    const { caller, model, server } = this.call;
    try {
      refuseForbidden(this.context, caller, model, { prompt: textsIn(value) }, { server: server.name });
    } catch (thrown) {
      if (!(thrown instanceof GatewayError)) throw thrown;
      throw new McpError(ErrorCode.InvalidRequest, sayReason(thrown.reason, "en"));
    }
  }

  #send(message: Readonly<{ id?: string; method: string; params: JsonObject }>): Promise<void> {
    const { transport, requestId } = this.call;
    return transport.send({ jsonrpc: "2.0", ...message }, { relatedRequestId: requestId });
  }
}

type Question = Readonly<{ sent: JsonObject; readAnswer(result: JsonObject): JsonObject }>;

const undeclared = (method: string): McpError =>
  new McpError(ErrorCode.MethodNotFound, `The client has not declared that it answers ${method}.`);
const invalid = (method: string): McpError => new McpError(ErrorCode.InvalidParams, `This is no valid ${method}.`);
const tooMany = (): McpError => new McpError(ErrorCode.InvalidRequest, "The server asks too much.");

/** What the client answers instead of a result, as it wrote it. */
function clientError(error: unknown): McpError {
  const { code, message } = recordOf(error) ?? {};
  const text = typeof message === "string" ? message.slice(0, 1_000) : "The client refused.";
  return new McpError(Number.isSafeInteger(code) ? Number(code) : ErrorCode.InternalError, text);
}
