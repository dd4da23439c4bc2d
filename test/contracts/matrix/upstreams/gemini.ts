import { type JsonObject, numberOf, recordOf, recordsOf, textOf } from "../../../../src/formats/json.ts";
import { type Answer, events, halves, type Sent } from "../conversation.ts";
import { type FakeUpstream, unknownMember } from "./fake.ts";

const META = { modelVersion: "gemini-2.5-flash", responseId: "q8Zl" };

function speak(answer: Answer, streamed: boolean): Response {
  const { prompt, cached, completion } = answer.usage;
  const reasoningTokens = answer.thought ? 2 : 0;
  const usageMetadata = {
    promptTokenCount: prompt,
    cachedContentTokenCount: cached,
    candidatesTokenCount: completion - reasoningTokens,
    ...(reasoningTokens > 0 && { thoughtsTokenCount: reasoningTokens }),
    totalTokenCount: prompt + completion,
    promptTokensDetails: [{ modality: "TEXT", tokenCount: prompt }],
  };
  const calls = answer.calls.map(({ name, input }, at) => ({
    functionCall: { name, args: input },
    ...(at === 0 && { thoughtSignature: "dGhvdWdodA==" }),
  }));
  const partsOf = (cut: (text: string) => string[]) => [
    ...cut(answer.thought).map((text) => ({ text, thought: true })),
    ...cut(answer.text).map((text) => ({ text })),
    ...calls,
  ];
  const reason = answer.finish === "length" ? "MAX_TOKENS" : "STOP";
  const piece = (parts: readonly object[], last: boolean) => ({
    candidates: [{ content: { parts, role: "model" }, index: 0, ...(last && { finishReason: reason }) }],
    usageMetadata: last ? usageMetadata : { promptTokenCount: prompt, totalTokenCount: prompt },
    ...META,
  });
  if (!streamed)
    return Response.json(
      piece(
        partsOf((text) => (text ? [text] : [])),
        true,
      ),
    );
  const parts = partsOf(halves);
  return events(
    parts.map((part, at) => piece([part], at === parts.length - 1)),
    false,
  );
}

/** Google's schemas write types in capitals, clients in small letters; both are taken. */
function smallTypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(smallTypes);
  const record = recordOf(value);
  if (!record) return value;
  return Object.fromEntries(
    Object.entries(record).map(([name, inner]) => [
      name,
      name === "type" && typeof inner === "string" ? inner.toLowerCase() : smallTypes(inner),
    ]),
  );
}

function read(body: JsonObject): Sent {
  const parts = recordsOf(body.contents).flatMap(({ role, parts: turnParts }) =>
    recordsOf(turnParts).map((part) => ({ role, part })),
  );
  const config = recordOf(body.generationConfig) ?? {};
  const calls = recordsOf(parts.map(({ part }) => part.functionCall));
  const thinking = recordOf(config.thinkingConfig);
  const words = (list: readonly JsonObject[]) => list.map(({ text }) => textOf(text) ?? "").join("");
  return {
    system: words(recordsOf(recordOf(body.systemInstruction)?.parts)),
    texts: parts.flatMap(({ role, part }) => (role === "user" ? (textOf(part.text) ?? []) : [])),
    images: parts.flatMap(({ part }) => {
      const { mimeType, data } = recordOf(part.inlineData) ?? {};
      return data ? [`data:${mimeType};base64,${data}`] : (textOf(recordOf(part.fileData)?.fileUri) ?? []);
    }),
    tools: recordsOf(body.tools).flatMap(({ functionDeclarations }) =>
      recordsOf(functionDeclarations).map(({ name, parameters, parametersJsonSchema }) => ({
        name: textOf(name) ?? "",
        schema: smallTypes(parameters ?? parametersJsonSchema),
      })),
    ),
    calls: calls.map(({ name, args }) => ({ name: textOf(name) ?? "", input: args })),
    results: parts.flatMap(({ part }) => {
      const result = recordOf(part.functionResponse);
      if (!result) return [];
      const answers = textOf(calls.find(({ name }) => name === result.name)?.name);
      return [{ answers, text: Object.values(recordOf(result.response) ?? {}).join("") }];
    }),
    stop: Array.isArray(config.stopSequences) ? config.stopSequences.map(String) : [],
    schema: config.responseMimeType === "application/json" ? smallTypes(config.responseSchema) : null,
    limit: numberOf(config.maxOutputTokens),
    mustCall: recordOf(recordOf(body.toolConfig)?.functionCallingConfig)?.mode === "ANY",
    reasoning: (numberOf(thinking?.thinkingBudget) ?? 0) > 0 && thinking?.includeThoughts === true,
  };
}

const KNOWN = "systemInstruction contents tools toolConfig generationConfig safetySettings serviceTier";
const CONFIG = `maxOutputTokens temperature topP topK seed stopSequences responseMimeType responseSchema thinkingConfig
  candidateCount responseLogprobs logprobs`;

const fail = (code: number, status: string, message: string) => ({ error: { code, message, status } });

/** Google's generateContent. */
export const gemini: FakeUpstream = {
  type: 24,
  model: "gemini-2.5-flash",
  key: "AIza-upstream",
  isStream: (path) => path.endsWith(":streamGenerateContent"),
  objection(path, body) {
    if (!path.startsWith("/v1beta/models/gemini-2.5-flash:")) return "Not found";
    if (JSON.stringify(body).includes('"additionalProperties"')) return 'Unknown name "additionalProperties"';
    return unknownMember(body, KNOWN) ?? unknownMember(recordOf(body.generationConfig) ?? {}, CONFIG);
  },
  read,
  speak,
  refuse: (message) => Response.json(fail(400, "INVALID_ARGUMENT", message), { status: 400 }),
  breakOff: (words, message) =>
    events(
      [
        { candidates: [{ content: { parts: [{ text: words }], role: "model" }, index: 0 }], ...META },
        fail(503, "UNAVAILABLE", message),
      ],
      false,
    ),
};
