import { geminiClientCodec } from "../../../../formats/gemini/index.ts";
import { type JsonObject, parseJson, recordOf, recordsOf, textOf } from "../../../../formats/json.ts";
import { readOpenAi } from "../../../../formats/openai-chat/request/summary.ts";
import { type RequestRules, requestMembers } from "../../../../formats/request-rules.ts";
import { sayReason } from "../../../../lib/reason.ts";
import type { LiveApi } from "../../../../providers/contract/provider.ts";
import type { Caller } from "../../../call/caller.ts";
import type { Endpoint } from "../../../call/endpoint.ts";
import { GatewayError } from "../../../call/errors.ts";
import { SessionGuard } from "../../../call/guardrails/answer/session-guard.ts";
import type { StepFilter } from "../../../call/guardrails/answer/step-filter.ts";
import { emptyGuardLog } from "../../../call/guardrails/call-guard.ts";
import { refuseForbidden } from "../../../call/guardrails/request/refuse-forbidden.ts";
import type { Route } from "../../../call/route.ts";
import { checkRequest, invalidRequest } from "../../../request/client-body.ts";
import type { Charge } from "../metering/billing.ts";
import { type Frame, textOfFrame } from "../pipe.ts";
import { callerOf, type ResponseCallContext, type SessionOrigin } from "../response-call.ts";
import type { OpeningFrames, RealtimeProtocol, Refused, SessionEvents, UpstreamFrames } from "../sockets.ts";
import { clientTextsOf } from "./client-texts.ts";
import { endsTurn, LiveTurns, withUsageNames } from "./turns.ts";

const rules: RequestRules = {
  members: requestMembers(
    `setup model systemInstruction parts text clientContent turns turnComplete realtimeInput mediaChunks audio video mimeType data
    toolResponse functionResponses`,
    { free: "response parameters parametersJsonSchema args", hasTwoSpellings: true },
  ),
  numbers: [],
  switches: [],
};

const live: Endpoint = {
  capability: "live",
  codec: geminiClientCodec,
  rules,
  streams: true,
  emptyIsFree: false,
  read: readOpenAi,
};

/**
 * Google's Live API (`BidiGenerateContent`, https://ai.google.dev/api/live): the first message names the model, messages of the
 * upstream report usage, an error is the reason of the close frame.
 */
export const geminiLive: RealtimeProtocol = {
  endpoint: live,
  modelOf(frame) {
    const setup = recordOf(recordOf(parseJson(textOfFrame(frame)))?.setup);
    const model = textOf(setup?.model)?.replace(/^models\//, "");
    if (!model)
      throw invalidRequest({ code: "gateway_field_missing", params: { field: "setup.model" } }, "setup.model");
    return model;
  },
  events: (context, origin) => new LiveEvents(context, origin),
  describe: (error) => ({ frame: null, reason: sayReason(error.reason, "en") }),
};

/** The messages of one session. */
class LiveEvents implements SessionEvents {
  readonly #turns = new LiveTurns();
  #setup: JsonObject | null = null;
  #filters: readonly StepFilter[] | null = null;
  /** New names of members of the upstream's `usageMetadata`; null: they are those of the Gemini API. */
  #usageNames: LiveApi["usageNames"] | null = null;
  /** Null: not read yet. */
  #caller: Caller | null = null;
  readonly #guard: SessionGuard;
  /** The message that ends the session, if guardrails refuse it. */
  refused: Refused | null = null;

  constructor(
    private readonly context: ResponseCallContext,
    private readonly origin: SessionOrigin,
  ) {
    this.#guard = new SessionGuard(context.services.settings, origin.model, () => this.#currentCaller());
  }

  #currentCaller(): Caller {
    this.#caller ??= callerOf(this.context, this.origin);
    return this.#caller;
  }

  get isBusy(): boolean {
    return this.#turns.isBusy;
  }

  client(frame: Frame) {
    const text = textOfFrame(frame);
    const message = recordOf(parseJson(text));
    if (!message) throw invalidRequest({ code: "gateway_event_no_object" });
    checkRequest(text, message, rules);
    this.#refuseWords(clientTextsOf(message));
    this.#turns.client(message);
    const setup = recordOf(message.setup);
    // The model was authorized and priced when the session began, so it cannot change.
    if (setup && this.#setup)
      throw invalidRequest({ code: "gateway_session_model", params: { model: this.origin.model } }, "setup");
    this.#setup ??= message;
    return { forward: setup ? [] : [frame], reply: [] };
  }

  opening({ provider, channel, key, upstreamModel }: Route): OpeningFrames {
    const params = { key, model: upstreamModel, requestedModel: this.origin.model };
    this.#usageNames = provider.live?.usageNames ?? null;
    const model = provider.live?.modelName(channel, params) ?? `models/${upstreamModel}`;
    const setup = JSON.stringify({ ...this.#setup, setup: { ...recordOf(this.#setup?.setup), model } });
    return { toUpstream: [setup], toClient: [] };
  }

  upstream(received: Frame): UpstreamFrames {
    const { frame, message } = this.#read(received);
    const frames = { toClient: [frame], toUpstream: [], charge: null, transcription: null, error: null };
    if (!message) return frames;
    const charge = this.#turns.upstream(message);
    const filtered = this.#filtered(frame, message, endsTurn(message));
    return { ...frames, ...filtered, charge: charge && this.#guard.toLog(charge) };
  }

  rest(): Omit<Charge, "ending"> | null {
    const rest = this.#turns.rest();
    return rest && this.#guard.toLog(rest);
  }

  /** A message in the form of the Gemini API; null: it is no object. */
  #read(frame: Frame): Readonly<{ frame: Frame; message: JsonObject | null }> {
    const message = recordOf(parseJson(textOfFrame(frame)));
    const renamed = message && this.#usageNames && withUsageNames(message, this.#usageNames);
    return renamed ? { frame: JSON.stringify(renamed), message: renamed } : { frame, message };
  }

  /** Throws GatewayError for texts that the site or the organization's policies forbid. */
  #refuseWords(texts: readonly string[]): void {
    const caller = this.#currentCaller();
    if (texts.length === 0) return;
    const prompt = { messages: texts.map((content) => ({ role: "user", content })) };
    const guard = emptyGuardLog();
    try {
      refuseForbidden(this.context, caller, this.origin.model, prompt, {
        note: (verdict) => guard.verdicts.push(verdict),
      });
      this.#guard.note(guard.verdicts);
    } catch (error) {
      if (error instanceof GatewayError) this.refused = { error, guard };
      throw error;
    }
  }

  /** The frame as guardrails let texts, transcripts and calls of tools pass; one that blocks ends the session. */
  #filtered(frame: Frame, message: JsonObject, isOver: boolean): Pick<UpstreamFrames, "toClient" | "error"> {
    const guard = this.#guard;
    if (guard.isIdle) return { toClient: [frame], error: null };
    const content = recordOf(message.serverContent);
    if (!content) return this.#filteredTools(frame, message);
    this.#filters ??= guard.begin();
    const filters = this.#filters;
    let isStopped = false;
    const clean = (text: unknown): unknown => {
      if (typeof text !== "string") return text;
      const passed = guard.pass(filters, text);
      isStopped ||= passed.isStopped;
      return passed.text;
    };
    /** What is no text of the model: code that it runs, its results, sources. */
    const cleanValue = <Value extends object>(value: Value): Value => {
      const passed = guard.readsTools ? guard.value(value) : value;
      isStopped ||= passed === null;
      return passed ?? value;
    };
    const turn = recordOf(content.modelTurn);
    const parts = Array.isArray(turn?.parts) ? turn.parts : [];
    const cleanPart = (part: JsonObject): JsonObject =>
      part.text !== undefined ? withText(part, clean) : part.inlineData != null ? part : cleanValue(part);
    const cleaned = {
      ...content,
      ...(turn && { modelTurn: { ...turn, parts: parts.map((part) => cleanPart(recordOf(part) ?? {})) } }),
      ...(content.groundingMetadata != null && {
        groundingMetadata: cleanValue(recordOf(content.groundingMetadata) ?? {}),
      }),
      ...(content.outputTranscription !== undefined && {
        outputTranscription: withText(recordOf(content.outputTranscription) ?? {}, clean),
      }),
    };
    const last = isOver && !isStopped ? guard.pass(filters, null) : null;
    isStopped ||= last?.isStopped === true;
    const rest = last?.text ?? "";
    if (isOver) this.#filters = null;
    const held = rest === "" ? [] : [JSON.stringify({ serverContent: { outputTranscription: { text: rest } } })];
    const shown = JSON.stringify({ ...message, serverContent: cleaned });
    return { toClient: isStopped ? [] : [...held, shown], error: isStopped ? guard.stopError() : null };
  }

  #filteredTools(frame: Frame, message: JsonObject): Pick<UpstreamFrames, "toClient" | "error"> {
    const calls = recordOf(message.toolCall);
    if (!calls || !this.#guard.readsTools) return { toClient: [frame], error: null };
    const functionCalls: JsonObject[] = [];
    for (const call of recordsOf(calls.functionCalls)) {
      const { text, isStopped } = this.#guard.tool(textOf(call.name) ?? "", JSON.stringify(call.args ?? {}));
      if (isStopped) return { toClient: [], error: this.#guard.stopError() };
      functionCalls.push({ ...call, args: parseJson(text) });
    }
    return { toClient: [JSON.stringify({ ...message, toolCall: { ...calls, functionCalls } })], error: null };
  }
}

const withText = (part: JsonObject, clean: (text: unknown) => unknown): JsonObject =>
  part.text === undefined ? part : { ...part, text: clean(part.text) };
