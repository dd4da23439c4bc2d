import type { Citation, Signature } from "../../conversation/conversation.ts";
import type { ReplyEvent } from "../../conversation/reply.ts";
import { type JsonObject, numberOf, recordOf, recordsOf, textOf, textsOf } from "../../json.ts";
import { readReasoning } from "../request/reasoning.ts";

/** The reasoning text of a message or delta; signatures come from `reasoning_details`. */
export function reasoningSteps(message: JsonObject, choice: number): ReplyEvent[] {
  const steps: ReplyEvent[] = [];
  const plain = textOf(message.reasoning_content) ?? textOf(message.reasoning);
  const { reasoning_details, thinking_blocks } = message;
  const details = readReasoning({ reasoning_details, thinking_blocks });
  if (plain) steps.push({ type: "reasoning", choice, text: plain });
  for (const { text, signature, encrypted, summary } of details) {
    if (!plain && text !== "") steps.push({ type: "reasoning", choice, text, ...(summary && { summary }) });
    if (signature) steps.push({ type: "signature", choice, signature, ...(encrypted && { encrypted }) });
  }
  return steps;
}

/** Content of a message or delta: text, or parts (Mistral's and Cohere's reasoning, images as OpenRouter has them). */
export function contentSteps(content: unknown, choice: number): ReplyEvent[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", choice, text: content }];
  return recordsOf(content).flatMap((part): ReplyEvent[] => {
    if (part.type === "thinking" || part.type === "reasoning") {
      const inner = recordsOf(part.thinking)
        .map(({ text }) => textOf(text) ?? "")
        .join("");
      const text = inner || (textOf(part.thinking) ?? textOf(part.text) ?? "");
      return text === "" ? [] : [{ type: "reasoning", choice, text }];
    }
    const text = textOf(part.text);
    if (text !== null && text !== "") return [{ type: "text", choice, text }];
    return imageSteps([part], choice);
  });
}

/** Images of OpenRouter and compatible services: `images: [{image_url: {url: data URI}}]`. */
export function imageSteps(images: unknown, choice: number): ReplyEvent[] {
  return recordsOf(images).flatMap((image): ReplyEvent[] => {
    const url = textOf(recordOf(image.image_url)?.url) ?? textOf(image.image_url) ?? "";
    const [, mediaType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
    if (mediaType === undefined || data === undefined) {
      return url === "" ? [] : [{ type: "text", choice, text: `![image](${url})` }];
    }
    return [{ type: "media", choice, kind: "image", source: { kind: "base64", mediaType, data } }];
  });
}

/** The citations in a message's `annotations`; other annotations are ignored. */
export function citationSteps(annotations: unknown, choice: number): ReplyEvent[] {
  return recordsOf(annotations).flatMap((annotation): ReplyEvent[] => {
    const cited = recordOf(annotation.url_citation);
    if (!cited) return [];
    const citation: Citation = {
      url: textOf(cited.url),
      title: textOf(cited.title),
      citedText: textOf(cited.content),
      start: numberOf(cited.start_index),
      end: numberOf(cited.end_index),
    };
    return [{ type: "citation", choice, citation }];
  });
}

/**
 * Cited pages that some services list outside the choices: Perplexity and Baidu `search_results`, Zhipu `web_search`,
 * Perplexity and xAI URLs only. Maps URL to title.
 */
export function citedPages({ search_results, web_search, citations }: JsonObject): ReadonlyMap<string, string | null> {
  const pages = new Map<string, string | null>();
  for (const { url, link, title } of [...recordsOf(search_results), ...recordsOf(web_search)]) {
    const address = textOf(url) ?? textOf(link);
    if (address) pages.set(address, textOf(title));
  }
  for (const address of textsOf(citations)) if (!pages.has(address)) pages.set(address, null);
  return pages;
}

/** The signature that Gemini's OpenAI-compatible endpoint attaches to a call; it returns to that endpoint only. */
export function callSignature(call: JsonObject): Signature | null {
  const value = textOf(recordOf(recordOf(call.extra_content)?.google)?.thought_signature);
  return value === null ? null : { dialect: "openai-chat", value };
}
