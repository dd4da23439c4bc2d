import {
  type CompleteRequest,
  CompleteResultSchema,
  ErrorCode,
  GetPromptResultSchema,
  ListPromptsResultSchema,
  ListResourcesResultSchema,
  ListResourceTemplatesResultSchema,
  McpError,
  ReadResourceResultSchema,
} from "@modelcontextprotocol/sdk/types.js";
import type { McpServer } from "../../../domain/models/mcp/directory.ts";
import { aliasOf } from "../../../domain/models/mcp/tools/tool-names.ts";
import type { JsonObject } from "../../../formats/json.ts";
import { ZERO } from "../../../lib/values/decimal.ts";
import { toolModel } from "../../adapters/mcp/sources/offered-tools.ts";
import { allowsModel } from "../../auth/authorize.ts";
import { isLimited, rateLimit } from "../../auth/rate-limit.ts";
import { GatewayError } from "../../call/errors.ts";
import { refuseForbidden } from "../../call/guardrails/request/refuse-forbidden.ts";
import { guardListed } from "../../call/guardrails/servers/guard-server-call.ts";
import { textsIn, textsOf } from "../../request/order-texts.ts";
import { type Observer, sendObserved } from "./questions/observer.ts";
import { runServerCall, type ServerCallContext, type ServerCaller, throughBreaker } from "./server-call.ts";

/** Of one server and kind. */
const MAX_ENTRIES = 1_000;
const MAX_PAGES = 20;
/** An entry that is longer says more than a list should. */
const MAX_ENTRY_LENGTH = 65_536;
/** Of a name that an error repeats. */
export const MAX_NAMED = 100;
/** Visible characters, as in names of tools. */
const NAME = /^[\x21-\x7e]{1,128}$/;
/** The address of a resource among those of several servers. */
const JOINED = /^sluice:\/\/([a-z0-9-]+)\/(.+)$/s;

/** Makes a call of a server with who follows it, and ends that with it. */
export type Observe = <Result>(
  called: Readonly<{ server: McpServer; model: string }>,
  make: (observer: Observer) => Promise<Result>,
) => Promise<Result>;

function readPrompts(result: JsonObject) {
  const { prompts, nextCursor } = ListPromptsResultSchema.parse(result);
  return { items: prompts.filter(({ name }) => NAME.test(name)), nextCursor };
}

/**
 * Prompts and resources of servers that the operator lets pass. They are read from the server when the client asks; nothing of them is
 * pinned, so their texts, and those of lists, pass the guardrails for requests of models before the client gets them.
 */
export class PassedOn {
  readonly #byPrompts: readonly McpServer[];
  readonly #byResources: readonly McpServer[];

  constructor(
    private readonly context: ServerCallContext,
    servers: readonly McpServer[],
    private readonly isJoined: boolean,
    private readonly by: ServerCaller,
  ) {
    const allows = (name: string, what: string) => allowsModel(by.caller, toolModel(name, what));
    this.#byPrompts = servers.filter(({ passesPrompts, name }) => passesPrompts && allows(name, "prompts/get"));
    this.#byResources = servers.filter(
      ({ passesResources, name }) => passesResources && allows(name, "resources/read"),
    );
  }

  get hasPrompts(): boolean {
    return this.#byPrompts.length > 0;
  }

  get hasResources(): boolean {
    return this.#byResources.length > 0;
  }

  async prompts() {
    const lists = await this.#listAll(this.#byPrompts, "prompts/list", readPrompts);
    return lists.flatMap(({ server, items }) =>
      items.map((prompt) => ({ ...prompt, name: this.#promptName(server, prompt.name) })),
    );
  }

  /** Rejects GatewayError or McpError. */
  async prompt(name: string, input: Readonly<Record<string, string>>, observe: Observe) {
    const { server, own } = await this.#findPrompt(name);
    const params = { name: own, ...(Object.keys(input).length > 0 && { arguments: input }) };
    const result = await this.#call(server, { method: "prompts/get", params }, observe, (raw) =>
      GetPromptResultSchema.parse(raw),
    );
    return {
      ...result,
      messages: result.messages.map((message) => ({ ...message, content: this.namedContent(server, message.content) })),
    };
  }

  async resources() {
    const lists = await this.#listAll(this.#byResources, "resources/list", (result) => {
      const { resources, nextCursor } = ListResourcesResultSchema.parse(result);
      return { items: resources, nextCursor };
    });
    return lists.flatMap(({ server, items }) =>
      items.map((resource) => ({ ...resource, uri: this.#uri(server, resource.uri) })),
    );
  }

  async templates() {
    const lists = await this.#listAll(this.#byResources, "resources/templates/list", (result) => {
      const { resourceTemplates, nextCursor } = ListResourceTemplatesResultSchema.parse(result);
      return { items: resourceTemplates, nextCursor };
    });
    return lists.flatMap(({ server, items }) =>
      items.map((template) => ({ ...template, uriTemplate: this.#uri(server, template.uriTemplate) })),
    );
  }

  /** Rejects GatewayError or McpError. */
  async resource(uri: string, observe: Observe) {
    const { server, own } = this.#findResource(uri);
    const result = await this.#call(server, { method: "resources/read", params: { uri: own } }, observe, (raw) =>
      ReadResourceResultSchema.parse(raw),
    );
    return { ...result, contents: result.contents.map((each) => ({ ...each, uri: this.#uri(server, each.uri) })) };
  }

  /** Suggestions for an argument of a prompt or template. Rejects GatewayError or McpError. */
  async completion({ ref, ...params }: CompleteRequest["params"]) {
    const { server, own } = ref.type === "ref/prompt" ? await this.#findPrompt(ref.name) : this.#findResource(ref.uri);
    const owned = ref.type === "ref/prompt" ? { ...ref, name: own } : { ...ref, uri: own };
    await this.#limit();
    const { context, by } = this;
    const model = toolModel(server.name, "completion/complete");
    refuseForbidden(context, by.caller, model, { input: textsOf(params) }, { server: server.name });
    const result = await this.#request(server, "completion/complete", { ...params, ref: owned }, (answer) =>
      CompleteResultSchema.parse(answer),
    );
    const values = guardListed(context, by.caller, model, server.name, result.completion.values) ?? [];
    return { ...result, completion: { ...result.completion, values } };
  }

  /** Content with the address by which this client reads a resource of the server. */
  namedContent<Content extends Readonly<{ type: string }>>(server: McpServer, content: Content): Content {
    if (!this.#byResources.includes(server)) return content;
    if ("uri" in content && typeof content.uri === "string") return { ...content, uri: this.#uri(server, content.uri) };
    if (!("resource" in content) || typeof content.resource !== "object" || content.resource === null) return content;
    const { resource } = content;
    if (!("uri" in resource) || typeof resource.uri !== "string") return content;
    return { ...content, resource: { ...resource, uri: this.#uri(server, resource.uri) } };
  }

  #promptName = ({ name }: McpServer, prompt: string): string => (this.isJoined ? aliasOf(name, prompt) : prompt);

  #uri = ({ name }: McpServer, uri: string): string => (this.isJoined ? `sluice://${name}/${uri}` : uri);

  async #findPrompt(name: string): Promise<Readonly<{ server: McpServer; own: string }>> {
    const [only] = this.#byPrompts;
    if (!this.isJoined && only) return { server: only, own: name };
    const plain = this.#byPrompts.find((server) => name.startsWith(`${server.name}__`));
    const own = plain && name.slice(plain.name.length + 2);
    if (plain && own && aliasOf(plain.name, own) === name) return { server: plain, own };
    // A name that clients would refuse has another one, which only the list knows.
    const lists = await this.#listAll(this.#byPrompts, "prompts/list", readPrompts);
    for (const { server, items } of lists) {
      const found = items.find((item) => aliasOf(server.name, item.name) === name);
      if (found) return { server, own: found.name };
    }
    throw new McpError(ErrorCode.InvalidParams, `There is no prompt ${name.slice(0, MAX_NAMED)}.`);
  }

  #findResource(uri: string): Readonly<{ server: McpServer; own: string }> {
    const [only] = this.#byResources;
    if (!this.isJoined && only) return { server: only, own: uri };
    const [, name, own] = JOINED.exec(uri) ?? [];
    const server = this.#byResources.find((each) => each.name === name);
    if (server && own) return { server, own };
    throw new McpError(ErrorCode.InvalidParams, `There is no resource ${uri.slice(0, MAX_NAMED)}.`);
  }

  /** The lists of servers; of several, those that answer. Rejects GatewayError. */
  async #listAll<Item extends object>(
    servers: readonly McpServer[],
    method: string,
    read: (result: JsonObject) => Readonly<{ items: readonly Item[]; nextCursor?: string | undefined }>,
  ): Promise<readonly Readonly<{ server: McpServer; items: readonly Item[] }>[]> {
    await this.#limit();
    const lists = await Promise.allSettled(servers.map((server) => this.#list(server, method, read)));
    return lists.flatMap((list, at) => {
      const server = servers[at];
      if (list.status === "fulfilled") return server ? [{ server, items: list.value }] : [];
      if (!this.isJoined) throw list.reason;
      return [];
    });
  }

  async #list<Item extends object>(
    server: McpServer,
    method: string,
    read: (result: JsonObject) => Readonly<{ items: readonly Item[]; nextCursor?: string | undefined }>,
  ): Promise<readonly Item[]> {
    const items: Item[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES && items.length < MAX_ENTRIES; page += 1) {
      try {
        const result = await this.#request(server, method, cursor === undefined ? {} : { cursor }, read);
        const model = toolModel(server.name, method);
        for (const item of result.items) {
          if (JSON.stringify(item).length > MAX_ENTRY_LENGTH) continue;
          const passed = guardListed(this.context, this.by.caller, model, server.name, item);
          if (passed) items.push(passed);
        }
        cursor = result.nextCursor;
      } catch (error) {
        // A server that has none need not know the method.
        if (error instanceof GatewayError && error.code === ErrorCode.MethodNotFound) return [];
        throw error;
      }
      if (cursor === undefined) break;
    }
    return items.slice(0, MAX_ENTRIES);
  }

  /** Lists and suggestions reach the server, so they count toward the limits of the caller. */
  async #limit(): Promise<void> {
    if (isLimited(this.context, this.by.caller)) await rateLimit(this.context, this.by.caller);
  }

  #request<Result>(
    server: McpServer,
    method: string,
    params: JsonObject,
    read: (result: JsonObject) => Result,
  ): Promise<Result> {
    const { mcpSessions } = this.context;
    const { timeoutMs } = server;
    return throughBreaker(mcpSessions, server, this.by.caller, async () =>
      read(await mcpSessions.request(server, this.by, { method, params, timeoutMs })),
    );
  }

  async #call<Result extends object>(
    server: McpServer,
    { method, params }: Readonly<{ method: string; params: JsonObject }>,
    observe: Observe,
    read: (result: JsonObject) => Result,
  ): Promise<Result> {
    const { context, by } = this;
    const model = toolModel(server.name, method);
    return await observe({ server, model }, (observer) =>
      runServerCall<Result>(context, {
        ...{ by, server, tool: null, model, input: params, usdPerCall: ZERO, textOf: textsIn },
        send: async (sent, isRead) =>
          read(
            await sendObserved(server, observer, isRead, (options) =>
              context.mcpSessions.request(server, by, { method, params: sent, ...options }),
            ),
          ),
      }),
    );
  }
}
