import { type JsonObject, recordsOf, textOf } from "../../../formats/json.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import type { Call } from "../../call/call.ts";
import type { Uses } from "../../call/services.ts";
import type { UsesStores } from "../../state/stores.ts";
import { ChatEvents } from "./chat/events.ts";
import { chatServers } from "./chat/servers.ts";
import { ChatTurn } from "./chat/turn.ts";
import { GeminiEvents } from "./gemini/events.ts";
import { geminiServers } from "./gemini/servers.ts";
import { GeminiTurn } from "./gemini/turn.ts";
import { MessagesEvents } from "./messages/events.ts";
import { messagesServers } from "./messages/servers.ts";
import { MessagesTurn } from "./messages/turn.ts";
import { ResponsesEvents } from "./responses/events.ts";
import { responsesServers } from "./responses/servers.ts";
import { storeTurn } from "./responses/store-turn.ts";
import { ResponsesTurn } from "./responses/turn.ts";
import { siteServersFor } from "./sources/site-address.ts";
import type { McpServer } from "./toolset.ts";
import type { McpEvents, McpTurn } from "./turn.ts";

/** A request in its client's format. */
type McpRequest = Readonly<{
  servers: readonly McpServer[];
  turn: McpTurn;
  events(): McpEvents;
  /** Call when the response is complete. */
  complete(): Promise<void>;
}>;

/** Reads a request with MCP servers. Rejects DecodeError. */
export async function readRequest(
  context: Uses<"settings" | "config"> & UsesStores<"responses">,
  call: Call,
): Promise<McpRequest> {
  const { json } = call.body;
  const { dialect, streamType } = call.endpoint.codec;
  const siteServerOf = siteServersFor(context, call.request);
  const complete = async () => {};
  switch (dialect) {
    case "anthropic": {
      const turn = new MessagesTurn(json);
      return { servers: messagesServers(json, siteServerOf), turn, events: () => new MessagesEvents(turn), complete };
    }
    case "openai-chat": {
      const turn = new ChatTurn(json);
      return { servers: chatServers(json.tools, siteServerOf), turn, events: () => new ChatEvents(turn), complete };
    }
    case "gemini": {
      const turn = new GeminiTurn(json);
      const isArray = !streamType.startsWith("text/event-stream");
      const events = () => new GeminiEvents(turn, isArray);
      return { servers: geminiServers(json.tools, siteServerOf), turn, events, complete };
    }
    default: {
      const turn = new ResponsesTurn(json, await earlierItems(context, call));
      const servers = responsesServers(json.tools, siteServerOf);
      return { servers, turn, events: () => new ResponsesEvents(turn), complete: () => storeTurn(context, call, turn) };
    }
  }
}

/** The items of the response that the request continues, if the gateway stores it. */
async function earlierItems(
  { services }: UsesStores<"responses">,
  { body, caller }: Call,
): Promise<readonly JsonObject[]> {
  const id = textOf(body.json.previous_response_id);
  const found = id ? await services.responses.find(id, caller.user.id, nowSeconds()) : null;
  return recordsOf(found?.body.output);
}
