/** The streams of other providers, for what a gateway must translate. */

type Usage = Readonly<{ prompt: number; completion: number }>;

/** A Messages stream as Anthropic's API writes it: one text block, a word a delta. */
export function anthropicEvents(words: readonly string[], usage: Usage): Uint8Array[] {
  const message = {
    id: "msg_bench",
    type: "message",
    role: "assistant",
    model: "claude",
    content: [],
    stop_reason: null,
    usage: { input_tokens: usage.prompt, output_tokens: 1 },
  };
  const events = [
    { type: "message_start", message },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    ...words.map((text) => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } })),
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: { output_tokens: usage.completion },
    },
    { type: "message_stop" },
  ];
  return events.map((event) => Buffer.from(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`));
}

/** A streamGenerateContent answer as Google's API writes it: each event repeats the usage so far. */
export function geminiEvents(words: readonly string[], usage: Usage): Uint8Array[] {
  return words.map((text, index) => {
    const last = index === words.length - 1;
    const candidate = {
      content: { role: "model", parts: [{ text }] },
      index: 0,
      ...(last && { finishReason: "STOP" }),
    };
    const written = last ? usage.completion : index + 1;
    const event = {
      candidates: [candidate],
      usageMetadata: {
        promptTokenCount: usage.prompt,
        candidatesTokenCount: written,
        totalTokenCount: usage.prompt + written,
      },
      modelVersion: "gemini",
      responseId: "bench",
    };
    return Buffer.from(`data: ${JSON.stringify(event)}\r\n\r\n`);
  });
}
