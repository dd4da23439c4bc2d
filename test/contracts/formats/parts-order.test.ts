/** Several texts and images of one turn reach every provider with vision, each next to the text that it belongs to. */
import { describe, expect, test } from "bun:test";
import { anthropicClientCodec } from "../../../src/formats/anthropic/index.ts";
import type { Conversation } from "../../../src/formats/conversation/conversation.ts";
import { geminiClientCodec } from "../../../src/formats/gemini/index.ts";
import { openaiChatClientCodec } from "../../../src/formats/openai-chat/index.ts";
import { openaiResponsesClientCodec } from "../../../src/formats/openai-responses/index.ts";
import { codecOf } from "../../../src/providers/registry.ts";
import { target } from "../../support/formats/fixtures.ts";

const [FIRST, SECOND] = ["Rmlyc3Q=", "U2Vjb25k"];
const dataUrl = (data: string) => `data:image/png;base64,${data}`;
const user = (content: unknown) => ({ model: "m", max_tokens: 9, messages: [{ role: "user", content }] });

const CONVERSATIONS: readonly [string, Conversation][] = [
  [
    "chat",
    openaiChatClientCodec.decodeRequest(
      user([
        { type: "text", text: "This one" },
        { type: "image_url", image_url: { url: dataUrl(FIRST) } },
        { type: "text", text: "or that one" },
        { type: "image_url", image_url: { url: dataUrl(SECOND) } },
      ]),
    ),
  ],
  [
    "responses",
    openaiResponsesClientCodec.decodeRequest({
      input: [
        {
          role: "user",
          content: [
            { type: "input_text", text: "This one" },
            { type: "input_image", image_url: dataUrl(FIRST) },
            { type: "input_text", text: "or that one" },
            { type: "input_image", image_url: dataUrl(SECOND) },
          ],
        },
      ],
    }),
  ],
  [
    "messages",
    anthropicClientCodec.decodeRequest(
      user([
        { type: "text", text: "This one" },
        { type: "image", source: { type: "base64", media_type: "image/png", data: FIRST } },
        { type: "text", text: "or that one" },
        { type: "image", source: { type: "base64", media_type: "image/png", data: SECOND } },
      ]),
    ),
  ],
  [
    "gemini",
    geminiClientCodec.decodeRequest({
      contents: [
        {
          parts: [
            { text: "This one" },
            { inlineData: { mimeType: "image/png", data: FIRST } },
            { text: "or that one" },
            { inlineData: { mimeType: "image/png", data: SECOND } },
          ],
        },
      ],
    }),
  ],
];

const IN_PLACE = [
  "openai-chat",
  "openai-responses",
  "anthropic",
  "gemini",
  "cohere",
  "dashscope",
  "hunyuan",
  "converse",
] as const;

describe.each(CONVERSATIONS)("sent by %s", (_client, conversation) => {
  test.each(IN_PLACE)("%s receives them in their order", (dialect) => {
    const dropped = new Set<string>();
    const sent = JSON.stringify(codecOf(dialect).encodeRequest(conversation, target(), dropped));
    const places = ["This one", FIRST, "or that one", SECOND].map((piece) => sent.indexOf(piece));
    expect(Math.min(...places)).toBeGreaterThan(0);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(dropped).not.toContain("image_url");
  });

  test("Ollama, whose images stand next to the words, receives both in their order", () => {
    const { messages } = codecOf("ollama").encodeRequest(conversation, target(), new Set());
    expect(messages).toMatchObject([{ content: "This one\nor that one", images: [FIRST, SECOND] }]);
  });
});
