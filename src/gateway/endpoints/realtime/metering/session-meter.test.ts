import { expect, test } from "bun:test";
import { RealtimeTranscript } from "./session-meter.ts";

const item = (role: string, text: string) => ({
  type: "conversation.item.create",
  item: { type: "message", role, content: [{ type: "input_text", text }] },
});

test("content is stored from one charge to the next, texts and transcripts alike", () => {
  const content = new RealtimeTranscript();
  content.client({ type: "session.update", session: { instructions: "be kind" } });
  content.client(item("user", "hello"));
  content.upstream({ type: "response.output_text.delta", delta: "good " });
  content.upstream({ type: "response.output_audio_transcript.delta", delta: "day" });
  expect(content.take()).toEqual({
    prompt: {
      messages: [
        { role: "system", content: "be kind" },
        { role: "user", content: "hello" },
      ],
    },
    text: "good day",
  });
  content.client({ type: "response.create", response: { instructions: "be curt" } });
  content.upstream({ type: "conversation.item.input_audio_transcription.completed", transcript: "and now?" });
  expect(content.take()).toEqual({
    prompt: {
      messages: [
        { role: "system", content: "be curt" },
        { role: "user", content: "and now?" },
      ],
    },
    text: "",
  });
  expect(content.take().prompt).toEqual({ messages: [{ role: "system", content: "be kind" }] });
});

test("a session that is never charged stays bounded", () => {
  const content = new RealtimeTranscript();
  const long = "x".repeat(100_000);
  for (let count = 0; count < 10; count += 1) {
    content.client(item("user", long));
    content.upstream({ type: "response.text.delta", delta: long });
  }
  const { prompt, text } = content.take();
  expect(text).toHaveLength(200_000);
  expect(prompt.messages).toHaveLength(2);
});
