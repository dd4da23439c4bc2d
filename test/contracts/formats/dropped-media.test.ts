import { describe, expect, test } from "bun:test";
import { shippedCatalog } from "../../../src/catalog/catalog.ts";
import { decodeRequest as readMessages } from "../../../src/formats/anthropic/request/decode-request.ts";
import type { Conversation } from "../../../src/formats/conversation/conversation.ts";
import { decodeRequest as readGemini } from "../../../src/formats/gemini/request/decode-request.ts";
import { codecOf } from "../../../src/providers/registry.ts";

const TARGETS = ["openai-chat", "openai-responses", "anthropic", "ollama", "cohere", "dashscope", "converse"] as const;
type Target = (typeof TARGETS)[number] | "gemini";

/** What an upstream gets of a conversation, as text, and what is named as lost. */
function sent(target: Target, conversation: Conversation) {
  const dropped = new Set<string>();
  const known = {
    model: "gemini-2.5-flash",
    info: shippedCatalog.find("gemini-2.5-flash"),
    defaultMaxTokens: 4096,
    newId: (prefix: string) => `${prefix}1`,
  };
  const body = codecOf(target).encodeRequest(conversation, known, dropped);
  return { text: JSON.stringify(body), dropped: [...dropped] };
}

describe("what Google alone can fetch", () => {
  const FILES = [
    ["a file in its cloud", { fileUri: "gs://bucket/report.pdf", mimeType: "application/pdf" }],
    [
      "a file of its own",
      { fileUri: "https://generativelanguage.googleapis.com/v1beta/files/x1", mimeType: "image/png" },
    ],
    ["a video without a type", { fileUri: "https://youtu.be/9hE5-98ZeCg" }],
  ] as const;
  const conversationWith = (fileData: object): Conversation =>
    readGemini(
      { contents: [{ role: "user", parts: [{ text: "What is in it?" }, { fileData }] }] },
      { model: "gemini-2.5-flash", stream: false },
    );

  test.each(FILES.flatMap(([name, file]) => TARGETS.map((target) => [name, target, file] as const)))(
    "%s is not offered to another format but named: %s",
    (_, target, file) => {
      const { text, dropped } = sent(target, conversationWith(file));
      expect(text).not.toContain(file.fileUri);
      expect(text).toContain("What is in it?");
      expect(dropped).toHaveLength(1);
      expect(["document", "image", "image_url", "file"]).toContain(dropped[0] as string);
    },
  );

  test.each(FILES)("%s goes to Google", (_, file) => {
    const { text, dropped } = sent("gemini", conversationWith(file));
    expect(text).toContain(`"fileUri":"${file.fileUri}"`);
    if ("mimeType" in file) expect(text).toContain(`"mimeType":"${file.mimeType}"`);
    expect(dropped).toEqual([]);
  });
});

describe("a document of Anthropic's that consists of blocks", () => {
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } };
  const messagesWith = (content: object[]): Conversation =>
    readMessages({
      model: "m",
      max_tokens: 9,
      messages: [
        {
          role: "user",
          content: [
            { type: "document", title: "Tides", source: { type: "content", content } },
            { type: "text", text: "What is the tide?" },
          ],
        },
      ],
    });

  test.each(["openai-chat", "openai-responses", "anthropic", "gemini", "ollama"] as const)(
    "keeps its images: %s",
    (target) => {
      const { text, dropped } = sent(target, messagesWith([{ type: "text", text: "High at noon" }, image]));
      expect(text).toContain(image.source.data);
      expect(text).toContain("What is the tide?");
      expect(dropped.filter((name) => name === "image")).toEqual([]);
    },
  );

  test("of images alone is these, behind its title", () => {
    const { turns } = messagesWith([image, image]);
    expect(turns[0]?.parts.map(({ type }) => type)).toEqual(["text", "image", "image", "text"]);
  });
});
