import { Registry } from "prom-client";
import type { JsonObject } from "../../../../src/formats/json.ts";
import { selectAdapter } from "../../../../src/gateway/adapters/adapt.ts";
import { newCall } from "../../../../src/gateway/call/call.ts";
import { CallTiming } from "../../../../src/gateway/call/progress.ts";
import type { GatewayContext } from "../../../../src/gateway/endpoints/context.ts";
import { createContext } from "../../../../src/gateway/endpoints/create-gateway.ts";
import { jsonBody } from "../../../../src/gateway/request/client-body.ts";
import { parseRequest } from "../../../../src/gateway/request/parse-request.ts";
import { chatServiceOf } from "../../../../src/providers/contract/facts.ts";
import { providerOf } from "../../../../src/providers/registry.ts";
import { channelEntry, tokenEntry, userEntry } from "../../../support/gateway/entries.ts";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import type { Client } from "../clients/client.ts";
import type { Service } from "./services.ts";

/** What goes upstream, and the names of what stays behind; `refusal`: why the gateway takes no such request. */
export type Sent = Readonly<{ body: string; dropped: readonly string[]; refusal?: string }>;

/** Writes requests as the gateway does, without sending them. */
export function createSender(): Readonly<{
  send(client: Client, service: Service, request: JsonObject): Promise<Sent>;
  stop(): Promise<void>;
}> {
  const relay = startRelay({ channels: [] });
  const context: GatewayContext = {
    ...createContext({ ...relay.services, metrics: new Registry() }),
    // The bytes behind an address are that address, so that they are found again.
    clientMediaFetch: async (url) => ({
      url,
      status: 200,
      headers: new Headers({ "content-type": url.endsWith(".png") ? "image/png" : "application/pdf" }),
      body: new TextEncoder().encode(`bytes of ${url}`),
      text: () => `bytes of ${url}`,
    }),
  };
  const caller = { user: userEntry(), token: tokenEntry() };
  return {
    async send(client, service, request) {
      const provider = providerOf(service.type);
      if (!provider) throw new Error(`there is no type ${service.type}`);
      const { endpoint } = client;
      const path = client.path?.(service.model);
      const text = JSON.stringify(path ? request : { ...request, model: service.model });
      const at = "https://gateway.invalid/";
      const channel = channelEntry({ type: service.type, keys: [service.key], baseUrl: at });
      try {
        const received = new Request(at, { method: "POST" });
        const arrival = { request: received, server: null, endpoint, ...(path && { path }) };
        const parsed = parseRequest(arrival, jsonBody(text, text.length, endpoint.rules));
        const authorized = { request: received, endpoint, caller, ip: "", candidates: { model: service.model } };
        const call = newCall(authorized as unknown as Parameters<typeof newCall>[0], parsed, new CallTiming(0));
        const adapter = selectAdapter(context, call, {
          ...{ channel, key: service.key, keyIndex: 0, provider, price: null, dropped: [] },
          service: chatServiceOf(provider),
          userAgent: "",
          proxy: "",
          upstreamModel: service.model,
        });
        const { body, dropped } = await adapter.encode();
        return { body: String(body), dropped };
      } catch (error) {
        return { body: "", dropped: [], refusal: String(error) };
      }
    },
    stop: () => relay.stop(),
  };
}
