import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  type ClientCapabilities,
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { recordOf } from "../../../../src/formats/json.ts";

/** All that a client can do for servers. */
export const EVERYTHING: ClientCapabilities = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {} },
  roots: {},
};

/** How the client answers; a question that it has no answer to stays open. */
type Answers = Readonly<{
  elicit?: (params: { message: string; mode?: string | undefined }) => Promise<object> | object;
  sample?: (params: object) => object;
}>;

const pickBlue = ({ mode }: { mode?: string | undefined }) =>
  mode === "url" ? { action: "accept" } : { action: "accept", content: { color: "blue" } };

/** Connects clients that answer questions, and gather what they get; `stops` gets what ends them. */
export const connecting =
  (stops: (() => unknown)[]) =>
  async (
    url: string,
    capabilities: ClientCapabilities = EVERYTHING,
    { elicit = pickBlue, sample, ...more }: Answers & { fetch?: typeof fetch; key?: string } = {},
  ) => {
    const client = new Client({ name: "tests", version: "1" }, { capabilities });
    const logs: unknown[] = [];
    const questions: unknown[] = [];
    if (capabilities.elicitation)
      client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
        questions.push(params);
        return { action: "decline" as const, ...(await elicit(params)) };
      });
    if (capabilities.sampling)
      client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => {
        questions.push(params);
        const content = { type: "text" as const, text: "blue" };
        return { model: "the client's", role: "assistant" as const, content, ...sample?.(params) };
      });
    if (capabilities.roots)
      client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: "file:///home", name: "home" }] }));
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void logs.push(params));
    const headers = { authorization: `Bearer sk-${more.key ?? "test"}` };
    const transport = new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers },
      ...(more.fetch && { fetch: more.fetch }),
    });
    await client.connect(transport);
    stops.push(() => client.close());
    const call = async (name: string, input: Record<string, unknown> = {}) => {
      const { content } = await client.callTool({ name, arguments: input });
      const [block] = Array.isArray(content) ? content : [];
      const text = recordOf(block)?.text;
      return typeof text === "string" && /^[[{"\d]/.test(text) ? JSON.parse(text) : text;
    };
    return { client, transport, call, logs, questions };
  };
