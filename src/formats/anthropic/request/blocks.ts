import {
  type Citation,
  extensionsOf,
  type MediaPart,
  type MediaSource,
  ownMembers,
  type Part,
  type TextPart,
} from "../../conversation/conversation.ts";
import {
  carrySignature,
  claudeSignature,
  EMPTY_PROOF,
  hasGatewayMark,
  readCallId,
  readSignature,
} from "../../conversation/signature.ts";
import { withMessageMark } from "../../helpers/cache-marks.ts";
import { type JsonObject, parseJson, recordOf, recordsOf, textOf } from "../../json.ts";
import { callIdFor } from "../../tools/tool-names.ts";
import { isSynthesized, type Searched, synthesizedId } from "../../tools/web-search.ts";

/** Reads the content blocks of a message or a response. Source: https://docs.anthropic.com/en/api/messages */
export function partsOf(content: unknown): Part[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return recordsOf(content).flatMap((block) => {
    const images = imagesIn(block);
    const part = partOf(block);
    const isBare = part.type === "document" && part.source.kind === "text" && part.source.text === "";
    return isBare && images.length > 0 ? withMessageMark([...labelOf(block), ...images], block) : [part, ...images];
  });
}

/** What a document of images alone is called. */
function labelOf({ title, context }: JsonObject): Part[] {
  const text = [title, context].filter((line) => typeof line === "string" && line !== "").join("\n");
  return text === "" ? [] : [{ type: "text", text }];
}

/**
 * Images of a document made of content blocks. No other format nests images in documents, so they become parts of their
 * own.
 */
function imagesIn({ type, source }: JsonObject): Part[] {
  const written = type === "document" ? recordOf(source) : null;
  return written?.type === "content" ? partsOf(written.content).filter((part) => part.type === "image") : [];
}

function partOf(block: JsonObject): Part {
  const cache = recordOf(block.cache_control);
  const marked = cache && { cache };
  switch (block.type) {
    case "text": {
      const citations = recordsOf(block.citations).map(citationOf);
      return { type: "text", text: textOf(block.text) ?? "", ...marked, ...(citations.length > 0 && { citations }) };
    }
    case "image":
      return {
        type: "image",
        source: sourceOf(recordOf(block.source), "image/png"),
        ...marked,
        ...extensionsOf("anthropic", block, IMAGE_MEMBERS),
      };
    case "document": {
      const name = textOf(block.title);
      return {
        type: "document",
        source: sourceOf(recordOf(block.source), "application/pdf"),
        ...(name !== null && { name }),
        ...marked,
        ...extensionsOf("anthropic", block, DOCUMENT_MEMBERS),
      };
    }
    case "thinking": {
      const signature = textOf(block.signature);
      return {
        type: "reasoning",
        text: textOf(block.thinking) ?? "",
        ...(signature && { signature: readSignature(signature, "anthropic") }),
      };
    }
    case "redacted_thinking":
      return {
        type: "reasoning",
        text: "",
        encrypted: true,
        signature: readSignature(textOf(block.data) ?? "", "anthropic"),
      };
    case "tool_use":
      return {
        type: "tool-call",
        id: readCallId(textOf(block.id) ?? ""),
        name: textOf(block.name) ?? "",
        input: JSON.stringify(block.input ?? {}),
        kind: "function",
        ...marked,
        ...extensionsOf("anthropic", block, CALL_PREFIX),
      };
    case "tool_result":
      return {
        type: "tool-result",
        callId: readCallId(textOf(block.tool_use_id) ?? ""),
        name: null,
        parts: partsOf(block.content),
        isError: block.is_error === true,
        ...marked,
        ...extensionsOf("anthropic", block, RESULT_MEMBERS),
      };
    case "search_result": {
      // Other formats receive the block as the text it contains, with the last mark in it.
      const { cache_control: _, ...own } = block;
      const { content, cache: last } = withoutMarks(recordsOf(block.content));
      const outer = cache ?? last;
      const members = { ...own, ...(block.content !== undefined && { content }) };
      return {
        type: "text",
        text: foundText(block),
        ...(outer && { cache: outer }),
        extensions: { dialect: "anthropic", members },
      };
    }
    case "tool_reference": {
      // Elsewhere all tools are loaded: the result is the name of the tool that was found.
      const { cache_control: _, ...members } = block;
      const text = textOf(block.tool_name) ?? "";
      return { type: "text", text, ...marked, extensions: { dialect: "anthropic", members } };
    }
    default:
      return { type: "native", dialect: "anthropic", name: textOf(block.type) ?? "block", value: block };
  }
}

/** Blocks without their marks, and the last of these. */
function withoutMarks(blocks: readonly JsonObject[]): { content: JsonObject[]; cache: JsonObject | null } {
  const cache = blocks.map((block) => recordOf(block.cache_control)).findLast((mark) => mark !== null) ?? null;
  return { content: blocks.map(({ cache_control: _, ...block }) => block), cache };
}

const foundText = ({ title, source, content }: JsonObject): string =>
  [textOf(title), textOf(source), ...recordsOf(content).map(({ text }) => textOf(text))]
    .filter((line) => line !== null && line !== "")
    .join("\n");

/** Members of a block that are decoded; all others become `extensions`. */
const IMAGE_MEMBERS: ReadonlySet<string> = new Set(["type", "source", "cache_control"]);
const RESULT_MEMBERS: ReadonlySet<string> = new Set(["type", "tool_use_id", "content", "is_error", "cache_control"]);
const DOCUMENT_MEMBERS: ReadonlySet<string> = new Set(["type", "source", "title", "cache_control"]);
const CALL_PREFIX: ReadonlySet<string> = new Set(["type", "id", "name", "input", "cache_control"]);

function sourceOf(source: JsonObject | null, fallbackType: string): MediaSource {
  switch (source?.type) {
    case "url":
      return { kind: "url", url: textOf(source.url) ?? "" };
    case "file":
      return { kind: "file", id: textOf(source.file_id) ?? "", dialect: "anthropic" };
    case "text":
      return { kind: "text", text: textOf(source.data) ?? "" };
    case "content": {
      const parts = partsOf(source.content);
      return { kind: "text", text: parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n") };
    }
    default:
      return {
        kind: "base64",
        mediaType: textOf(source?.media_type) ?? fallbackType,
        data: textOf(source?.data) ?? "",
      };
  }
}

/** Reads one of Anthropic's citations: of a web page, or of a document in the request. */
export function citationOf(value: JsonObject): Citation {
  return {
    url: textOf(value.url),
    title: textOf(value.title) ?? textOf(value.document_title),
    citedText: textOf(value.cited_text),
    start: null,
    end: null,
    native: { dialect: "anthropic", value },
  };
}

/** Writes a part as a content block; null when Anthropic has no equivalent. */
export function blockOf(part: Part): JsonObject | null {
  const mark = "cache" in part && part.cache ? { cache_control: part.cache } : null;
  switch (part.type) {
    case "text": {
      const own = ownMembers(part, "anthropic");
      if (own.type === "search_result" || own.type === "tool_reference") return { ...own, ...mark };
      return part.text === "" ? null : { type: "text", text: part.text, ...citedBy(part), ...mark };
    }
    case "refusal":
      return part.text === "" ? null : { type: "text", text: part.text };
    case "image":
    case "document":
      return mediaBlock(part, mark);
    case "reasoning": {
      const signature = claudeSignature(part.signature);
      if (signature === null) return null;
      return part.encrypted
        ? { type: "redacted_thinking", data: signature }
        : { type: "thinking", thinking: part.text, signature };
    }
    case "tool-call":
      return {
        ...ownMembers(part, "anthropic"),
        type: "tool_use",
        id: callIdFor("anthropic", part.id),
        name: part.name,
        input: inputOf(part.input, part.kind),
        ...mark,
      };
    case "tool-result": {
      const content = part.parts.flatMap((inner) => blockOf(inner) ?? []);
      return {
        ...ownMembers(part, "anthropic"),
        type: "tool_result",
        tool_use_id: callIdFor("anthropic", part.callId),
        ...(content.length > 0 && { content }),
        ...(part.isError && { is_error: true }),
        ...mark,
      };
    }
    case "native":
      return part.dialect === "anthropic" && !isSynthesized(part.value) ? part.value : null;
    default:
      return null;
  }
}

/** Citations of Anthropic's own web search return to it unchanged, with their encrypted index. */
function citedBy({ citations = [] }: TextPart): { citations?: JsonObject[] } {
  const own = citations.flatMap(({ native }) => (native?.dialect === "anthropic" ? [native.value] : []));
  const known = own.filter(({ encrypted_index: proof }) => typeof proof === "string" && !hasGatewayMark(proof));
  return known.length > 0 ? { citations: known } : {};
}

function mediaBlock(part: MediaPart, mark: JsonObject | null): JsonObject | null {
  const source = isSupportedMedia(part) ? sourceBlock(part.source) : null;
  if (!source) return null;
  const title = part.type === "document" && part.name !== undefined ? { title: part.name } : null;
  return { ...ownMembers(part, "anthropic"), type: part.type, source, ...title, ...mark };
}

const TEXT_TYPES = /^(text\/|application\/(json|xml|x-yaml|csv))/;
const IMAGES = /^image\/(jpe?g|png|gif|webp)$/;

/** Whether Anthropic accepts the media: four image types, PDF and plain-text documents. */
function isSupportedMedia({ type, source }: MediaPart): boolean {
  if (source.kind !== "base64") return true;
  const { mediaType } = source;
  return type === "image" ? IMAGES.test(mediaType) : mediaType === "application/pdf" || TEXT_TYPES.test(mediaType);
}

function sourceBlock(source: MediaSource): JsonObject | null {
  switch (source.kind) {
    case "base64":
      return TEXT_TYPES.test(source.mediaType)
        ? { type: "text", media_type: "text/plain", data: Buffer.from(source.data, "base64").toString("utf8") }
        : { type: "base64", media_type: source.mediaType.replace("image/jpg", "image/jpeg"), data: source.data };
    case "url":
      return { type: "url", url: source.url };
    case "text":
      return { type: "text", media_type: "text/plain", data: source.text };
    case "file":
      return source.dialect === "anthropic" ? { type: "file", file_id: source.id } : null;
  }
}

/** The input of a tool call as an object; any other input is wrapped, because Anthropic requires an object. */
function inputOf(input: string, kind: "function" | "custom"): unknown {
  if (kind === "custom") return { input };
  if (input.trim() === "") return {};
  return recordOf(parseJson(input)) ?? { input };
}

/** Writes another provider's web search as Anthropic's blocks: one per query, and the results after the first. */
export const searchBlocks = ({ queries, found }: Searched, newId: (prefix: string) => string): JsonObject[] =>
  (queries.length > 0 ? queries : [""]).flatMap((query, at) => {
    const id = synthesizedId(newId, "srvtoolu_");
    const pages = at > 0 ? [] : found;
    const content = pages.map((page) => ({
      type: "web_search_result",
      ...page,
      encrypted_content: EMPTY_PROOF,
      page_age: null,
    }));
    return [
      { type: "server_tool_use", id, name: "web_search", input: { query } },
      { type: "web_search_tool_result", tool_use_id: id, content },
    ];
  });

/** The block that carries reasoning to a client, whichever provider produced it. */
export function thinkingBlock(
  text: string,
  signature: Parameters<typeof carrySignature>[0] | undefined,
  encrypted = false,
): JsonObject {
  const carried = signature ? carrySignature(signature, "anthropic") : "";
  return encrypted
    ? { type: "redacted_thinking", data: carried }
    : { type: "thinking", thinking: text, signature: carried };
}
