import { declarationOf } from "../../../../../formats/gemini/request/encode-request.ts";
import { type JsonObject, recordOf, recordsOf, textOf, textsOf } from "../../../../../formats/json.ts";
import { OPENAI_VOICES } from "../../../../../providers/shared/openai-voices.ts";
import type { GatewayError } from "../../../../call/errors.ts";
import { invalidRequest } from "../../../../request/client-body.ts";
import { type AudioFormat, audioFormatOf, PCM_24K } from "./audio.ts";

/** The error of something that the Live API has no way to express. */
export const inexpressible = (field: string): GatewayError =>
  invalidRequest({ code: "gateway_live_inexpressible", params: { field } }, field);

const AUDIO: JsonObject = {
  input: {
    format: PCM_24K,
    transcription: null,
    noise_reduction: null,
    turn_detection: { type: "server_vad", create_response: true, interrupt_response: true },
  },
  output: { format: PCM_24K, voice: "default", speed: 1 },
};

/**
 * The settings of a session of OpenAI's Realtime API (https://platform.openai.com/docs/api-reference/realtime), and the
 * `setup` message of the Live API (https://ai.google.dev/api/live) with the same effect. What Google's models have no
 * setting for stays as it is: the client sees it in `session.updated`.
 */
export class LiveSettings {
  #session: JsonObject;
  /** The setup that was sent: it cannot change. */
  #sent: string | null = null;

  constructor(id: string, model: string) {
    this.#session = {
      type: "realtime",
      object: "realtime.session",
      id,
      model,
      output_modalities: ["audio"],
      instructions: "",
      tools: [],
      tool_choice: "auto",
      max_output_tokens: "inf",
      tracing: null,
      truncation: "auto",
      prompt: null,
      expires_at: 0,
      audio: AUDIO,
      include: null,
    };
  }

  /** The session as the client sees it. */
  get view(): JsonObject {
    return this.#session;
  }

  /** The client says when its turn begins and ends. */
  get isManual(): boolean {
    return this.#input.turn_detection === null;
  }

  get transcribesInput(): boolean {
    return this.#input.transcription !== null;
  }

  get isAudio(): boolean {
    return textsOf(this.#session.output_modalities)[0] !== "text";
  }

  get inputFormat(): AudioFormat {
    return formatIn(this.#input) ?? PCM_24K;
  }

  get outputFormat(): AudioFormat {
    return formatIn(recordOf(recordOf(this.#session.audio)?.output)) ?? PCM_24K;
  }

  /** Takes the members that a `session.update` names. Throws GatewayError; nothing has changed then. */
  update(change: JsonObject): void {
    const audio = recordOf(change.audio);
    const [input, output] = [recordOf(audio?.input), recordOf(audio?.output)];
    refuseUnknown(change, input, output);
    const before = this.#session;
    const shown = recordOf(before.audio);
    this.#session = {
      ...before,
      ...pick(change, ["instructions", "tools", "output_modalities", "max_output_tokens", "truncation", "tool_choice"]),
      audio: {
        input: {
          ...recordOf(shown?.input),
          ...pick(input, ["transcription", "turn_detection"]),
          ...(input?.format != null && { format: formatIn(input) }),
        },
        output: {
          ...recordOf(shown?.output),
          ...pick(output, ["voice"]),
          ...(output?.format != null && { format: formatIn(output) }),
        },
      },
    };
    if (this.#sent === null || JSON.stringify(this.#setup()) === this.#sent) return;
    this.#session = before;
    throw invalidRequest({ code: "gateway_live_fixed" }, "session");
  }

  /** The members of the setup message, without its model; they cannot change from now on. */
  takeSetup(): JsonObject {
    const setup = this.#setup();
    this.#sent = JSON.stringify(setup);
    return setup;
  }

  get #input(): JsonObject {
    return recordOf(recordOf(this.#session.audio)?.input) ?? {};
  }

  #setup(): JsonObject {
    const { instructions, tools, tool_choice: choice, max_output_tokens: maximum, truncation } = this.#session;
    const chosen = recordOf(recordOf(this.#session.audio)?.output)?.voice;
    const voice = textOf(chosen) ?? textOf(recordOf(chosen)?.id) ?? "default";
    const isKnown = voice !== "default" && !OPENAI_VOICES.test(voice);
    const declarations = choice === "none" ? [] : recordsOf(tools).map(declared);
    return {
      generationConfig: {
        responseModalities: [this.isAudio ? "AUDIO" : "TEXT"],
        ...(typeof maximum === "number" && { maxOutputTokens: maximum }),
        ...(this.isAudio &&
          isKnown && { speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: voice } } } }),
      },
      ...(textOf(instructions) && { systemInstruction: { parts: [{ text: instructions }] } }),
      ...(declarations.length > 0 && { tools: [{ functionDeclarations: declarations }] }),
      realtimeInputConfig: activityOf(recordOf(this.#input.turn_detection)),
      ...(this.transcribesInput && { inputAudioTranscription: {} }),
      ...(this.isAudio && { outputAudioTranscription: {} }),
      // Google ends a long session otherwise: OpenAI forgets its beginning.
      ...(truncation !== "disabled" && { contextWindowCompression: { slidingWindow: {} } }),
    };
  }
}

/** Throws GatewayError for members whose meaning would be lost. */
function refuseUnknown(change: JsonObject, input: JsonObject | null, output: JsonObject | null): void {
  const choice = change.tool_choice;
  const detection = recordOf(input?.turn_detection);
  const modalities = change.output_modalities;
  const faults: Readonly<Record<string, boolean>> = {
    "session.type": change.type != null && change.type !== "realtime",
    "session.prompt": change.prompt != null,
    "session.tool_choice": choice != null && choice !== "auto" && choice !== "none",
    "session.tools": recordsOf(change.tools).some(({ type }) => type !== "function"),
    "session.output_modalities":
      modalities != null && !["audio", "text"].includes(textsOf(modalities).join() || "none"),
    "session.audio.input.format": input?.format != null && formatIn(input) === null,
    "session.audio.output.format": output?.format != null && formatIn(output) === null,
    "session.audio.input.turn_detection.create_response": detection?.create_response === false,
  };
  for (const [field, isFault] of Object.entries(faults)) if (isFault) throw inexpressible(field);
}

function formatIn(side: JsonObject | null): AudioFormat | null {
  const format = recordOf(side?.format);
  return audioFormatOf(format?.type, format?.rate);
}

/** Members of a change that are present. */
const pick = (change: JsonObject | null, names: readonly string[]): JsonObject =>
  Object.fromEntries(names.flatMap((name) => (change?.[name] === undefined ? [] : [[name, change[name]]])));

const declared = (tool: JsonObject): JsonObject =>
  declarationOf(textOf(tool.name) ?? "", textOf(tool.description), recordOf(tool.parameters));

/** OpenAI's threshold unless the client sets one; above it speech must be clearer. */
const USUAL_THRESHOLD = 0.5;
const END_BY_EAGERNESS: Readonly<Record<string, string>> = {
  low: "END_SENSITIVITY_LOW",
  high: "END_SENSITIVITY_HIGH",
};

/** Who finds the turns of the user, and whether one interrupts the model. */
function activityOf(detection: JsonObject | null): JsonObject {
  if (!detection) return { automaticActivityDetection: { disabled: true } };
  const { threshold, prefix_padding_ms: padding, silence_duration_ms: silence, eagerness } = detection;
  const end = END_BY_EAGERNESS[textOf(eagerness) ?? ""];
  return {
    automaticActivityDetection: {
      ...(typeof threshold === "number" &&
        threshold > USUAL_THRESHOLD && { startOfSpeechSensitivity: "START_SENSITIVITY_LOW" }),
      ...(typeof padding === "number" && { prefixPaddingMs: padding }),
      ...(typeof silence === "number" && { silenceDurationMs: silence }),
      ...(end && { endOfSpeechSensitivity: end }),
    },
    ...(detection.interrupt_response === false && { activityHandling: "NO_INTERRUPTION" }),
  };
}
