import { isBoolean, isListOf, isNumber, isRecord, isText, mapOf, readMembers } from "../../../lib/json.ts";
import {
  type Answer,
  type Attachment,
  type Chat,
  type ChatSettings,
  type Citation,
  DEFAULT_SETTINGS,
  EMPTY_REPLY,
  emptyAnswer,
  MOST_LANES,
  type Reply,
  type ToolCall,
  type Turn,
} from "./chat.ts";
import { readParameters } from "./parameters.ts";

const isTexts = isListOf(isText);

/** A stored chat; null if it is none, and without what is not readable. Answers that were streaming have ended. */
export function readChat(value: unknown): Chat | null {
  if (!isRecord(value) || !Array.isArray(value.turns) || !isRecord(value.settings)) return null;
  const { id = crypto.randomUUID(), title = "" } = readMembers<{ id: string; title: string }>(value, {
    id: isText,
    title: isText,
  });
  return { id, title, settings: readSettings(value.settings), turns: value.turns.flatMap(readTurn) };
}

function readSettings(value: Record<string, unknown>): ChatSettings {
  const known = readMembers<Omit<ChatSettings, "parameters" | "mocks" | "models"> & { models: string[] }>(value, {
    ...{
      group: isText,
      models: isTexts,
      system: isText,
      tools: isText,
      schema: isText,
      webSearch: isBoolean,
      speaks: isBoolean,
    },
  });
  return {
    ...DEFAULT_SETTINGS,
    ...known,
    models: (known.models ?? DEFAULT_SETTINGS.models).slice(0, MOST_LANES),
    mocks: mapOf(value.mocks, isText) ?? {},
    parameters: readParameters(value.parameters),
  };
}

function readTurn(value: unknown): Turn[] {
  if (!isRecord(value) || !isText(value.text)) return [];
  const attachments = Array.isArray(value.attachments) ? value.attachments.flatMap(readAttachment) : [];
  const answers = Array.isArray(value.answers) ? value.answers.flatMap(readAnswer) : [];
  return [{ id: isText(value.id) ? value.id : crypto.randomUUID(), text: value.text, attachments, answers }];
}

function readAttachment(value: unknown): Attachment[] {
  const {
    kind,
    name = "",
    url,
  } = readMembers<{ kind: string; name: string; url: string }>(value, {
    kind: isText,
    name: isText,
    url: isText,
  });
  const isKnown = kind === "image" || kind === "file" || kind === "audio";
  return isKnown && url ? [{ kind, name, url }] : [];
}

function readAnswer(value: unknown): Answer[] {
  if (!isRecord(value) || !isText(value.model)) return [];
  const {
    status,
    error = "",
    errorCode,
  } = readMembers<{ status: string; error: string; errorCode: string }>(value, {
    status: isText,
    error: isText,
    errorCode: isText,
  });
  return [
    {
      ...emptyAnswer(value.model),
      ...readReply(value),
      status: status === "error" ? "error" : "complete",
      error,
      ...(errorCode !== undefined && { errorCode }),
      steps: Array.isArray(value.steps) ? value.steps.map(readReply) : [],
      dropped: isTexts(value.dropped) ? value.dropped : [],
    },
  ];
}

function readReply(value: unknown): Reply {
  const reply = readMembers<
    Omit<Reply, "tools" | "citations" | "images" | "audio"> & { images: string[]; audio: string[] }
  >(value, {
    ...{
      content: isText,
      reasoning: isText,
      requestId: isText,
      images: isTexts,
      audio: isTexts,
      reasoningMs: isNumber,
    },
    ...{ promptTokens: isNumber, completionTokens: isNumber, firstMs: isNumber, totalMs: isNumber },
  });
  const { tools, citations } = isRecord(value) ? value : {};
  return {
    ...EMPTY_REPLY,
    ...reply,
    tools: Array.isArray(tools) ? tools.map(readTool) : [],
    citations: Array.isArray(citations) ? citations.flatMap(readCitation) : [],
  };
}

const readTool = (value: unknown): ToolCall => ({
  ...{ id: "", name: "", arguments: "" },
  ...readMembers<{ id: string; name: string; arguments: string; result: string }>(value, {
    ...{ id: isText, name: isText, arguments: isText, result: isText },
  }),
});

function readCitation(value: unknown): Citation[] {
  const { url, title = "" } = readMembers<Citation>(value, { url: isText, title: isText });
  return url ? [{ url, title: title || url }] : [];
}
