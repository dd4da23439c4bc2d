import { type JsonObject, recordOf, recordsOf } from "../../../../src/formats/json.ts";
import { generateContent } from "../../../../src/gateway/request/endpoints/conversations.ts";
import { readType } from "../schema/read-types.ts";
import type { Shape } from "../schema/shape.ts";
import { address, budget, bytes, type Client, fraction, jsonSchema, oneOf, setList } from "./client.ts";

const FILE = "@google/genai/dist/genai.d.ts";
const member = (shape: Shape) => ({ shape, isOptional: true });
const typed = (name: string): Shape => readType(FILE, name);

/** The body as the API takes it: the official client's options are in one level, and its types are those of the members. */
const REQUEST: Shape = {
  kind: "object",
  name: "GenerateContentRequest",
  members: new Map([
    ["contents", member({ kind: "list", of: typed("Content") })],
    ["systemInstruction", member(typed("Content"))],
    ["tools", member({ kind: "list", of: typed("Tool") })],
    ["toolConfig", member(typed("ToolConfig"))],
    ["safetySettings", member({ kind: "list", of: typed("SafetySetting") })],
    ["generationConfig", member(typed("GenerationConfig"))],
    ["labels", member({ kind: "free" })],
    ["serviceTier", member({ kind: "constant", values: ["standard", "flex", "priority"] })],
  ]),
};

/** Parts that stand for something, one of which a part must have. */
const DATA =
  "text inlineData fileData functionCall functionResponse executableCode codeExecutionResult toolCall toolResponse".split(
    " ",
  );
const OF_MODEL =
  "functionCall executableCode codeExecutionResult toolCall thought thoughtSignature audioTranscription".split(" ");

/** Gemini's generateContent. */
export const gemini: Client = {
  name: "gemini",
  endpoint: generateContent,
  root: REQUEST,
  path: (model) => ({ model, stream: false }),
  skipped:
    /^(contents|systemInstruction)\.role|^systemInstruction\.parts\.(?!text)|\.(responseSchema|responseJsonSchema|parameters|response)\.|UNSPECIFIED/,
  special: [
    [/\.(args|response)$/, (marker) => ({ value: { [marker]: "yes" }, marker })],
    [/inlineData\.data$/, bytes],
    [/\.fileUri$/, address],
    [/mimeType$/, oneOf("image/png")],
    [/responseMimeType$/, oneOf("application/json")],
    [/\.(parametersJsonSchema|responseJsonSchema|responseSchema|parameters|response)$/, jsonSchema],
    [/(temperature|topP|frequencyPenalty|presencePenalty)$/, fraction],
    [/(candidateCount|logprobs)$/, oneOf(2, 3)],
    [/topK$/, oneOf(20, 30)],
    [/thoughtSignature$/, bytes],
    [/thinkingBudget$/, budget],
  ],
  texts: /^contents\.parts\.text$/,
  arrange(request, builder) {
    const arranged: JsonObject[] = [];
    const say = (): void => {
      const part: JsonObject = {};
      part.text = builder.note("contents.parts.text", part, "text");
      arranged.push({ role: "user", parts: [part] });
    };
    say();
    for (const content of recordsOf(request.contents)) {
      const parts = recordsOf(content.parts);
      const isModel = parts.some((part) => OF_MODEL.some((name) => name in part));
      content.role = isModel ? "model" : "user";
      for (const part of parts) {
        if (!DATA.some((name) => name in part))
          Object.assign(part, "videoMetadata" in part ? FILE_PART : { text: "So." });
        const result = recordOf(part.functionResponse);
        if (result) {
          result.name ??= "look";
          const id = result.id === undefined ? {} : { id: result.id };
          arranged.push({ role: "model", parts: [{ functionCall: { ...id, name: result.name, args: {} } }] });
        }
        const call = recordOf(part.functionCall);
        if (call) call.name ??= "look";
      }
      if (!isModel && !parts.some(({ functionResponse }) => functionResponse))
        arranged.push({ role: "model", parts: [{ text: "Well." }] });
      arranged.push(content);
      for (const { functionCall } of parts) {
        const call = recordOf(functionCall);
        const id = call?.id === undefined ? {} : { id: call.id };
        if (call)
          arranged.push({ role: "user", parts: [{ functionResponse: { ...id, name: call.name, response: {} } }] });
      }
    }
    say();
    setList(request, "contents", arranged);
    const config = recordOf(request.generationConfig);
    if (config?.logprobs !== undefined) config.responseLogprobs = true;
    if (config?.responseSchema || config?.responseJsonSchema) config.responseMimeType = "application/json";
    if (request.toolConfig) {
      const calling = recordOf(recordOf(request.toolConfig)?.functionCallingConfig);
      const names = Array.isArray(calling?.allowedFunctionNames) ? calling.allowedFunctionNames : ["look"];
      if (calling?.allowedFunctionNames) calling.mode = "ANY";
      setList(request, "tools", [
        ...recordsOf(request.tools),
        { functionDeclarations: names.map((name) => ({ name, description: "Looks." })) },
      ]);
    }
  },
};

const FILE_PART = { fileData: { fileUri: "https://example.org/film.mp4", mimeType: "video/mp4" } };
